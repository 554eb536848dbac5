import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { CallSizes } from "./call-sizes.ts";
import type { KeyReader } from "./key-reader.ts";
import type { NonLockKeys } from "./non-lock-keys.ts";
import type { OversizedKeys } from "./oversized-keys.ts";
import { PassCoverage } from "./pass-coverage.ts";
import { ScanCursor } from "./scan-cursor.ts";
import type { TimeBudget } from "./time-budget.ts";

/** So many marks may wait while a walk goes ahead: what is told of meanwhile waits behind them. */
const QUEUE_AHEAD_MAX = 500;
const TRIES = 5;
const RETRY_MS = 200;
/** A walk that was broken off earlier than this starts over. */
const RESUMABLE_KEYS_MIN = 100_000;

export interface KeyspaceScanProgress {
  /** Keys gone through so far, as near as SCAN tells. */
  readonly scanned: number;
  /** Keys there are; null: Redis does not say. */
  readonly keys: number | null;
}

interface KeyspaceScanDeps {
  readonly redis: Redis;
  readonly patterns: readonly string[];
  readonly reader: Pick<
    KeyReader,
    "enqueueRead" | "queuedCount" | "waitUntilSettled" | "waitForRoom" | "scanning"
  >;
  /** Known keys; with a pace those that were not looked at for a while. */
  listKnownKeys(isPaced: boolean): Iterable<Key>;
  isKnown(key: Key): boolean;
  readonly oversizedKeys: OversizedKeys;
  readonly nonLockKeys: NonLockKeys;
  readonly sizes: CallSizes;
  /** Whether Redis does not report changes, so that scans follow each other closely. */
  isPolled(): boolean;
}

/** Walks through all that a master has: reads what is known, then what is found beside it. */
export class KeyspaceScan {
  progress: KeyspaceScanProgress | undefined;
  /** How long a new key can go unseen by the scans. */
  readonly coverage = new PassCoverage();
  /** A walk that was broken off, and the run of the server whose cursor it has. */
  #unfinished: { readonly discovery: ScanCursor; readonly run: string } | undefined;

  constructor(private readonly deps: KeyspaceScanDeps) {}

  /** @throws when the signal ends it, or Redis does not answer; the next one goes on */
  async run(signal: AbortSignal, budget: TimeBudget | undefined): Promise<void> {
    const { redis, patterns, reader, listKnownKeys, oversizedKeys, nonLockKeys, isPolled, sizes } = this.deps;
    reader.scanning = budget === undefined ? "burst" : "paced";
    // What keys mean may have changed since.
    if (budget === undefined || !isPolled()) nonLockKeys.clear();
    try {
      // Not one by one: keys that go and come back meanwhile would be met again and again.
      await this.#enqueueKeys([...listKnownKeys(budget !== undefined)], signal, budget);
      const run = await readRunId(redis);
      const keys = await redis.dbsize().catch(() => null);
      const kept = this.#unfinished;
      this.#unfinished = undefined;
      const left = kept !== undefined && kept.run === run ? kept.discovery : undefined;
      // What is left over may hold locks that nobody has seen; what was gone through before may have new ones.
      oversizedKeys.startScan();
      const fresh = new ScanCursor(redis, patterns, (name) => oversizedKeys.record(name), sizes);
      for (const cursor of [...(left === undefined ? [] : [left]), fresh]) {
        this.coverage.startPass();
        await this.#runCursor(cursor, { keys, run }, signal, budget);
      }
      oversizedKeys.completeScan();
      await raceWithAbort(signal, reader.waitUntilSettled());
      this.coverage.completePass();
    } finally {
      this.progress = undefined;
      reader.scanning = "no";
    }
  }

  async #runCursor(
    cursor: ScanCursor,
    { keys, run }: { keys: number | null; run: string | undefined },
    signal: AbortSignal,
    budget: TimeBudget | undefined,
  ): Promise<void> {
    for (let tries = TRIES; ; tries--) {
      try {
        for await (const found of this.#readUnknownKeys(cursor, signal, budget)) {
          const scanned = Math.round(cursor.scanned / cursor.passCount);
          this.progress = { scanned: Math.min(scanned, keys ?? scanned), keys };
          await this.#enqueueKeys(await this.#selectUnread(found, signal, budget), signal, budget);
          if (keys !== null) this.coverage.recordProgress(scanned / keys);
        }
        return;
      } catch (error) {
        if (!signal.aborted && tries > 1) {
          await sleep(RETRY_MS, undefined, { signal });
          continue;
        }
        if (run !== undefined && cursor.scanned > RESUMABLE_KEYS_MIN)
          this.#unfinished = { discovery: cursor, run };
        throw error;
      }
    }
  }

  /** The keys of each page that are not known, and a rest for what it cost to find them. */
  async *#readUnknownKeys(
    cursor: ScanCursor,
    signal: AbortSignal,
    budget: TimeBudget | undefined,
  ): AsyncGenerator<Key[]> {
    let paid = cursor.scanned;
    for await (const keys of cursor.readPages(signal)) {
      await budget?.spend(this.deps.sizes.scan.estimateCostMs(cursor.scanned - paid), signal);
      paid = cursor.scanned;
      yield keys.filter((key) => !this.deps.isKnown(key));
    }
  }

  async #selectUnread(keys: Key[], signal: AbortSignal, budget: TimeBudget | undefined): Promise<Key[]> {
    if (!this.deps.isPolled()) return keys;
    const unread = await this.deps.nonLockKeys.selectUnread(keys).catch(() => keys);
    await budget?.spend(this.deps.sizes.fingerprint.estimateCostMs(keys.length), signal);
    return unread;
  }

  async #enqueueKeys(
    keys: Iterable<Key>,
    signal: AbortSignal,
    budget: TimeBudget | undefined,
  ): Promise<void> {
    const { reader, sizes } = this.deps;
    let unpaid = 0;
    for (const key of keys) {
      reader.enqueueRead(key);
      unpaid++;
      if (reader.queuedCount < QUEUE_AHEAD_MAX) continue;
      await raceWithAbort(
        signal,
        budget === undefined ? reader.waitForRoom(QUEUE_AHEAD_MAX) : reader.waitUntilSettled(),
      );
      await budget?.spend(sizes.read.estimateCostMs(unpaid), signal);
      unpaid = 0;
    }
    if (budget === undefined || unpaid === 0) return;
    await raceWithAbort(signal, reader.waitUntilSettled());
    await budget.spend(sizes.read.estimateCostMs(unpaid), signal);
  }
}

async function raceWithAbort(signal: AbortSignal, work: Promise<void>): Promise<void> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: stop.signal });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop.abort();
  }
}

/** Names one run of a server: cursors of another one say nothing. undefined: it does not tell this user. */
export async function readRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return /^run_id:(\w+)/m.exec(info)?.[1];
}
