import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "../../../lib/keys/key.ts";
import type { FingerprintReading, KeyFingerprint } from "../../formats/registry/read-fingerprints.ts";
import type { CallSize } from "./call-size.ts";
import type { KeyReader } from "./key-reader.ts";
import { RecentCosts } from "./recent-costs.ts";

/** Time between the starts of two rounds, in ms. If a round takes longer, the next one follows immediately. */
const ROUND_EVERY_MS = 1000;
/** Maximum polling rate in keys per ms. Without a limit, small keyspaces would be polled as fast as Redis replies. */
const KEYS_PER_MS_MAX = 10;
/** Maximum share of Redis's time that polling may use. */
const POLL_SHARE = 0.2;
/** Time, in ms, after which a key is read in full again. A fingerprint does not show changes to the waiters. */
const FULL_READ_AFTER_MS = 25_000;
const FULL_READS_PER_MS_MAX = 0.4;
/** Maximum difference, in ms, between two readings of the same deadline. Redis and the script round each deadline. */
const DEADLINE_TOLERANCE_MS = 5;
/** Number of rounds that the reported delay covers. */
const ROUNDS_MEASURED = 3;

interface CheckedKey extends KeyFingerprint {
  /** Time (`performance.now()`) at which the fingerprint was requested. */
  readonly sentAt: number;
}

export interface HoldPollerDeps {
  readFingerprints(keys: readonly Key[]): Promise<FingerprintReading[]>;
  /** Lists the known keys, or only those that have not been read for at least `unreadForMs`. */
  listKnownKeys(unreadForMs?: number): Iterable<Key>;
  /** Whether the hold is unchanged because the last full read of the key showed a single holder with this deadline. */
  isUnchangedSinceRead(key: Key, deadlineMs: number | undefined): boolean;
  readonly reader: Pick<KeyReader, "enqueueRead" | "isReadApart" | "waitUntilSettled">;
  /** Whether Redis responds but sends no notifications. */
  shouldPoll(): boolean;
  /** Keys per round trip. */
  readonly callSize: CallSize;
  /** Returns the duration of a command that does no work, or `null` if unknown. */
  getRoundTripMs(): number | null;
  /** Called when the index contains every change to known keys up to `confirmedAt` (`performance.now()`). */
  onRoundEnd(confirmedAt: number): void;
}

/**
 * Polls the keys of known holds while notifications are off. Reads a fingerprint of each key, and reads a key in full
 * if its fingerprint has changed.
 *
 * A round of 10,000 keys takes about 1 s. With more keys, or a busy or slow Redis, a round takes longer, because the
 * polling rate and the share of Redis's time are limited.
 */
export class HoldPoller {
  #checked: ReadonlyMap<Key, CheckedKey> = new Map();
  /**
   * Longest delay of each recent round in ms. A delay is the time between two checks of a key, or from the last check
   * of a changed key until the key is read in full.
   */
  readonly #roundDelaysMs: number[] = [];
  #currentDelayMs = 0;
  readonly #costs = new RecentCosts();
  /** Approximate time (`performance.now()`) of the previous check of the key that is checked next. */
  #oldestCheckAt: number | undefined;
  readonly #abortController = new AbortController();

  constructor(private readonly deps: HoldPollerDeps) {}

  start(): void {
    void this.#run(this.#abortController.signal).catch(() => undefined);
  }

  stop(): void {
    this.#abortController.abort();
  }

  /**
   * Longest time, in ms, for which a change to a known key may have stayed unnoticed in recent rounds. `undefined`
   * before the first measurement.
   */
  get measuredDelayMs(): number | undefined {
    if (this.#roundDelaysMs.length === 0 || this.#oldestCheckAt === undefined) return undefined;
    const currentMs = performance.now() - this.#oldestCheckAt;
    return Math.ceil(Math.max(...this.#roundDelaysMs, this.#currentDelayMs, currentMs));
  }

  async #run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const startedAt = performance.now();
      if (!this.deps.shouldPoll()) this.#reset();
      // A failed round does not count as a check, so the reported delay keeps growing.
      else await this.#pollRound(signal).catch(() => signal.throwIfAborted());
      const restMs = Math.max(1, startedAt + ROUND_EVERY_MS - performance.now());
      await sleep(restMs, undefined, { signal, ref: false });
    }
  }

  #reset(): void {
    this.#checked = new Map();
    this.#roundDelaysMs.length = 0;
    this.#currentDelayMs = 0;
    this.#oldestCheckAt = undefined;
  }

  async #pollRound(signal: AbortSignal): Promise<void> {
    const { reader, listKnownKeys, shouldPoll, onRoundEnd, callSize } = this.deps;
    const startedAt = performance.now();
    const isFirst = this.#oldestCheckAt === undefined;
    const keys = [...listKnownKeys()].filter((key) => !reader.isReadApart(key));
    const checked = new Map<Key, CheckedKey>();
    for (let from = 0; from < keys.length; ) {
      if (!shouldPoll()) return;
      const batch = keys.slice(from, from + callSize.size);
      from += batch.length;
      await this.#pollBatch(batch, checked, signal);
    }
    this.#checked = checked;
    await reader.waitUntilSettled();
    this.#oldestCheckAt = startedAt;
    if (!isFirst) this.#roundDelaysMs.push(this.#currentDelayMs);
    if (this.#roundDelaysMs.length > ROUNDS_MEASURED) this.#roundDelaysMs.shift();
    this.#currentDelayMs = 0;
    onRoundEnd(startedAt);
    this.#enqueueFullReads(keys.length);
  }

  async #pollBatch(keys: readonly Key[], checked: Map<Key, CheckedKey>, signal: AbortSignal): Promise<void> {
    const sentAt = performance.now();
    const readings = await this.deps
      .readFingerprints(keys)
      .catch(() => keys.map((): FingerprintReading => "failed"));
    const receivedAt = performance.now();
    this.deps.callSize.record(keys.length, receivedAt - sentAt);
    let changedSince = Number.POSITIVE_INFINITY;
    for (const [at, key] of keys.entries()) {
      const reading = readings[at] ?? "failed";
      const before = this.#checked.get(key);
      const lastAt = before?.sentAt ?? sentAt;
      this.#oldestCheckAt = lastAt;
      this.#recordDelay(receivedAt - lastAt);
      if (typeof reading === "object") checked.set(key, { ...reading, sentAt });
      if (this.#isUnchanged(key, before, reading)) continue;
      this.deps.reader.enqueueRead(key);
      changedSince = Math.min(changedSince, lastAt);
    }
    if (Number.isFinite(changedSince)) this.#recordWhenSettled(changedSince);
    await this.#rest(keys.length, sentAt, receivedAt, signal);
  }

  #isUnchanged(key: Key, before: CheckedKey | undefined, reading: FingerprintReading): boolean {
    if (typeof reading === "string") return false;
    const { deadlineMs, digest } = reading;
    if (before === undefined) return this.deps.isUnchangedSinceRead(key, deadlineMs);
    return before.digest === digest && isSameDeadline(before.deadlineMs, deadlineMs);
  }

  #recordDelay(delayMs: number): void {
    this.#currentDelayMs = Math.max(this.#currentDelayMs, delayMs);
  }

  #recordWhenSettled(since: number): void {
    void this.deps.reader.waitUntilSettled().then(() => this.#recordDelay(performance.now() - since));
  }

  /**
   * Enqueues full reads of keys that have not been read for some time, to update data that fingerprints exclude, such
   * as waiters. The rate of full reads is limited, regardless of the number of locks.
   */
  #enqueueFullReads(known: number): void {
    const unreadForMs = Math.max(FULL_READ_AFTER_MS, known / FULL_READS_PER_MS_MAX);
    let left = Math.ceil(FULL_READS_PER_MS_MAX * ROUND_EVERY_MS);
    for (const key of this.deps.listKnownKeys(unreadForMs)) {
      if (left-- <= 0) return;
      this.deps.reader.enqueueRead(key);
    }
  }

  async #rest(keys: number, sentAt: number, receivedAt: number, signal: AbortSignal): Promise<void> {
    const workMs = Math.max(0, this.#costs.record(receivedAt - sentAt) - (this.deps.getRoundTripMs() ?? 0));
    const nextAt = Math.max(sentAt + keys / KEYS_PER_MS_MAX, receivedAt + workMs * (1 / POLL_SHARE - 1));
    const restMs = Math.max(this.deps.callSize.takePauseMs(), nextAt - performance.now());
    if (restMs > 0) await sleep(restMs, undefined, { signal, ref: false });
  }
}

/** Returns whether two rounded deadlines may be equal. A deadline is `undefined` if the key has no TTL. */
export function isSameDeadline(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= DEADLINE_TOLERANCE_MS;
}
