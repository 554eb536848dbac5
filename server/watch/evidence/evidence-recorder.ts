import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, Observation, SeenHolder } from "../../formats/observation.ts";
import { getHeldSince } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { formatHoldEvidence, restoreHold } from "./hold-evidence.ts";

const BATCH_SIZE = 500;
/** Maximum number of holds to store per target. */
const HOLDS_MAX = 100_000;
/** Time limit, in ms, for the last write at shutdown. */
const STOP_TIMEOUT_MS = 1000;

export interface EvidenceTimes {
  readonly writeEveryMs: number;
  /**
   * Minimum age, in ms, of a hold whose evidence is stored. Nearly all younger holds end before their evidence could
   * matter.
   */
  readonly heldMsMin: number;
}

const EVIDENCE_TIMES: EvidenceTimes = { writeEveryMs: 5000, heldMsMin: 5000 };

export interface EvidenceOptions {
  readonly times?: EvidenceTimes;
  readonly log?: Logger;
}

/** The watcher for whose holds the recorder stores evidence. */
export interface EvidenceSource {
  /** Returns the current time on the Redis clock. */
  now(): number;
  /** Returns whether every lock of the target has been read. */
  isComplete(): boolean;
  /** Returns whether the key cannot be read, or its state on a quorum is not decided yet. */
  isStateUnknown(key: Key): boolean;
  findHold(key: Key): ObservedHold | undefined;
  listKeys(): Iterable<Key>;
  /** Called when the stored evidence for a key is loaded after the key was read. */
  restoreLate(key: Key): void;
  /** Whether this instance writes the evidence for the target's locks. */
  isWriter(): boolean;
}

/**
 * Stores evidence about holds in the home store. With this evidence, liveness and the start of foreign holds survive a
 * restart.
 *
 * Writes changes every `writeEveryMs` (default 5 s) and at shutdown. If the process is killed, changes since the last
 * write are lost, and the affected holds appear to have been renewed while no process was watching.
 */
export class EvidenceRecorder {
  /** Stored evidence from before startup for keys that have not been read yet. */
  #unread = new Map<Key, string>();
  /** Keys with evidence in the store; `undefined` if the store must be read before the next write. */
  #stored: Set<Key> | undefined;
  /**
   * Whether the store may contain evidence for holds that ended while no instance was watching. If true, the first
   * write after all locks have been read compares the stored keys with the existing locks.
   */
  #mayHaveEndedUnseen = true;
  readonly #changed = new Set<Key>();
  #source: EvidenceSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  private constructor(
    private readonly store: EvidenceStore,
    private readonly times: EvidenceTimes,
    private readonly log: Logger | undefined,
  ) {}

  /** Creates a recorder and reads the stored evidence, now or as soon as the home store is available. */
  static async open(
    store: EvidenceStore,
    { times = EVIDENCE_TIMES, log }: EvidenceOptions = {},
  ): Promise<EvidenceRecorder> {
    const recorder = new EvidenceRecorder(store, times, log);
    // If the evidence cannot be read, the target opens without evidence, and the liveness of its holds is assessed from
    // scratch.
    await store.whenAvailable(() => recorder.#readStored()).catch((error) => recorder.#logFailure(error));
    store.onEmptied(() => recorder.#markAllChanged(new Set()));
    return recorder;
  }

  /**
   * Returns the stored state of a hold and removes the stored evidence from memory. Returns `undefined` if there is no
   * evidence that matches the observation. The index decides whether the observed hold is the stored hold when the
   * index applies the observation.
   */
  readonly restoreHold = (
    observation: HeldObservation,
    getEpoch: (holder: SeenHolder) => number,
  ): ObservedHold | undefined => {
    const text = this.#unread.get(observation.key);
    if (text === undefined) return undefined;
    this.#unread.delete(observation.key);
    return restoreHold(text, observation, getEpoch);
  };

  start(source: EvidenceSource): void {
    this.#source = source;
    // Another instance may have written evidence since this instance read the store.
    if (!source.isWriter()) this.#stored = undefined;
    this.#timer = setInterval(() => void this.#write(), this.times.writeEveryMs);
    this.#timer.unref();
  }

  recordReading(
    key: Key,
    before: ObservedHold | undefined,
    after: ObservedHold | undefined,
    observation: Observation,
  ): void {
    if (isCertainlyNotHeld(observation)) this.#unread.delete(key);
    if (after === undefined) this.#recordEnd(key);
    else if (before === undefined || hasNewEvidence(before, after)) this.#changed.add(key);
  }

  /**
   * Marks the stored evidence of an ended hold for removal. If no evidence is stored, removes the key from the pending
   * changes, because short holds would otherwise accumulate there while the home store is unreachable.
   */
  #recordEnd(key: Key): void {
    if (this.#stored?.has(key)) this.#changed.add(key);
    else this.#changed.delete(key);
  }

  /** Stops the timer and writes pending evidence. Waits at most one second for the write. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const written = this.#write().then(() => this.#write());
    await Promise.race([written, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    this.#source = undefined;
  }

  async #readStored(): Promise<void> {
    const texts = await this.store.readAll();
    this.#stored = this.#source?.isWriter() === false ? undefined : new Set(texts.keys());
    this.#unread = texts;
    // If the home store was unreachable at startup, locks were read before their evidence.
    for (const key of texts.keys()) if (this.#source?.findHold(key)) this.#source.restoreLate(key);
  }

  #markAllChanged(stored: Set<Key>): void {
    this.#stored = stored;
    this.#mayHaveEndedUnseen = true;
    for (const key of this.#source?.listKeys() ?? []) this.#changed.add(key);
  }

  #logFailure(error: unknown): void {
    this.log?.warn({ err: error }, "Could not read or store the evidence of holds");
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeChanged()
      .catch((error: unknown) => this.#logFailure(error))
      .finally(() => {
        this.#writing = undefined;
      });
    return this.#writing;
  }

  async #writeChanged(): Promise<void> {
    const source = this.#source;
    if (source === undefined || this.store.isDisconnected) return;
    if (!source.isWriter()) {
      // Another instance writes now, so this instance must read the store again before its next write.
      this.#stored = undefined;
      this.#changed.clear();
      if (source.isComplete()) this.#dropUnread(source);
      return;
    }
    const stored = this.#stored ?? new Set((await this.store.readAll()).keys());
    if (this.#stored === undefined) this.#markAllChanged(stored);
    if (source.isComplete()) this.#markEndedUnseen(source, stored);
    const keys = [...this.#changed];
    this.#changed.clear();
    let from = 0;
    try {
      for (; from < keys.length; from += BATCH_SIZE) {
        const { written, removed } = this.#collect(source, keys.slice(from, from + BATCH_SIZE), stored);
        await this.store.write(written, removed);
        for (const key of removed) stored.delete(key);
        for (const [key] of written) {
          stored.add(key);
          // If the hold ended during the write, its evidence must be removed.
          if (source.findHold(key) === undefined) this.#changed.add(key);
        }
      }
      await this.store.extendRetention();
    } catch (error) {
      for (const key of keys.slice(from)) this.#changed.add(key);
      throw error;
    }
  }

  /** Marks evidence for removal if its hold ended while no instance was watching. */
  #markEndedUnseen(source: EvidenceSource, stored: ReadonlySet<Key>): void {
    if (!this.#mayHaveEndedUnseen) return;
    this.#mayHaveEndedUnseen = false;
    this.#dropUnread(source);
    for (const key of stored) {
      if (source.findHold(key) !== undefined) continue;
      if (source.isStateUnknown(key)) this.#mayHaveEndedUnseen = true;
      else this.#changed.add(key);
    }
  }

  /** Removes the remaining evidence from before startup. Called when all locks have been read. */
  #dropUnread(source: EvidenceSource): void {
    for (const key of this.#unread.keys()) if (!source.isStateUnknown(key)) this.#unread.delete(key);
  }

  #collect(source: EvidenceSource, keys: readonly Key[], stored: ReadonlySet<Key>) {
    const written: [Key, string][] = [];
    const removed: Key[] = [];
    const heldBefore = source.now() - this.times.heldMsMin;
    let room = HOLDS_MAX - stored.size;
    for (const key of keys) {
      const hold = source.findHold(key);
      const isStored = stored.has(key);
      if (hold?.seen.state !== "held") {
        if (isStored && !this.#unread.has(key)) removed.push(key);
      } else if (getHeldSince(hold) > heldBefore) {
        this.#changed.add(key);
        if (isStored && !this.#unread.has(key)) removed.push(key);
      } else if (isStored || room > 0) {
        if (!isStored) room--;
        written.push([key, formatHoldEvidence(hold)]);
      }
    }
    return { written, removed };
  }
}

/** Whether the key is certainly not held. On a quorum, this requires that no owner has a vote. */
function isCertainlyNotHeld(observation: Observation): boolean {
  if (observation.state === "free")
    return observation.votes === undefined || observation.votes.owners.length === 0;
  return observation.state === "not_a_lock";
}

function hasNewEvidence(before: ObservedHold, after: ObservedHold): boolean {
  return (
    before.renewals !== after.renewals ||
    before.endsAtMs !== after.endsAtMs ||
    before.seen.state !== after.seen.state ||
    before.holders.length !== after.holders.length ||
    before.holders.some(({ epoch }, at) => epoch !== after.holders[at]?.epoch)
  );
}
