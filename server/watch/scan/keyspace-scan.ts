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

/**
 * Number of queued keys at which a scan pauses, so that keys from notifications do not wait behind the keys of the
 * scan.
 */
const QUEUE_AHEAD_MAX = 500;
const TRIES = 5;
const RETRY_MS = 200;
/**
 * Number of scanned keys above which an interrupted scan is resumed. A shorter scan starts again from the beginning.
 */
const RESUMABLE_KEYS_MIN = 100_000;

export interface KeyspaceScanProgress {
  /** Number of keys scanned so far, estimated from COUNT. */
  readonly scanned: number;
  /** Total number of keys, or `null` if unknown. */
  readonly keys: number | null;
}

interface KeyspaceScanDeps {
  readonly redis: Redis;
  readonly patterns: readonly string[];
  readonly reader: Pick<
    KeyReader,
    "enqueueRead" | "queuedCount" | "waitUntilSettled" | "waitForQueueSpace" | "scanning"
  >;
  /** Lists the known keys. If `isPaced` is true, omits keys that were read recently. */
  listKnownKeys(isPaced: boolean): Iterable<Key>;
  isKnown(key: Key): boolean;
  readonly oversizedKeys: OversizedKeys;
  readonly nonLockKeys: NonLockKeys;
  readonly sizes: CallSizes;
  /** Whether notifications are off. Scans then run at shorter intervals. */
  isPolled(): boolean;
}

/** Scans the keyspace of a master: reads the known keys first, then the unknown keys that SCAN returns. */
export class KeyspaceScan {
  progress: KeyspaceScanProgress | undefined;
  /** Measures how long a new key can stay unnoticed. */
  readonly coverage = new PassCoverage();
  /** An interrupted scan, and the id of the server run in which its cursor is valid. */
  #unfinished: { readonly discovery: ScanCursor; readonly run: string } | undefined;

  constructor(private readonly deps: KeyspaceScanDeps) {}

  /**
   * Scans the keyspace once, within the budget. Without a budget, scans as fast as Redis permits.
   *
   * @throws if the signal aborts the scan or Redis does not respond; the next run resumes a long scan
   */
  async run(signal: AbortSignal, budget: TimeBudget | undefined): Promise<void> {
    const { redis, patterns, reader, listKnownKeys, oversizedKeys, nonLockKeys, isPolled, sizes } = this.deps;
    reader.scanning = budget === undefined ? "burst" : "paced";
    // Reads all keys again, because the format rules may have changed since the last scan.
    if (budget === undefined || !isPolled()) nonLockKeys.clear();
    try {
      // Iterates over a copy. A key that is removed and added again during the iteration would otherwise be visited
      // repeatedly.
      await this.#enqueueKeys([...listKnownKeys(budget !== undefined)], signal, budget);
      const run = await readRunId(redis);
      const keys = await redis.dbsize().catch(() => null);
      const unfinished = this.#unfinished;
      this.#unfinished = undefined;
      const rest = unfinished !== undefined && unfinished.run === run ? unfinished.discovery : undefined;
      // First completes the interrupted scan, whose remaining keys may include unknown locks. Then runs a complete
      // scan, because new locks may have been created among the keys already scanned.
      oversizedKeys.startScan();
      const fresh = new ScanCursor(redis, patterns, (name) => oversizedKeys.record(name), sizes);
      for (const cursor of [...(rest === undefined ? [] : [rest]), fresh]) {
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

  /** Yields the unknown keys of each page. If there is a budget, pauses in proportion to the cost of each page. */
  async *#readUnknownKeys(
    cursor: ScanCursor,
    signal: AbortSignal,
    budget: TimeBudget | undefined,
  ): AsyncGenerator<Key[]> {
    let spentUpTo = cursor.scanned;
    for await (const keys of cursor.readPages(signal)) {
      await budget?.spend(this.deps.sizes.scan.estimateCostMs(cursor.scanned - spentUpTo), signal);
      spentUpTo = cursor.scanned;
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
    let unspent = 0;
    for (const key of keys) {
      reader.enqueueRead(key);
      unspent++;
      if (reader.queuedCount < QUEUE_AHEAD_MAX) continue;
      await raceWithAbort(
        signal,
        budget === undefined ? reader.waitForQueueSpace(QUEUE_AHEAD_MAX) : reader.waitUntilSettled(),
      );
      await budget?.spend(sizes.read.estimateCostMs(unspent), signal);
      unspent = 0;
    }
    if (budget === undefined || unspent === 0) return;
    await raceWithAbort(signal, reader.waitUntilSettled());
    await budget.spend(sizes.read.estimateCostMs(unspent), signal);
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

/**
 * Returns the id of the server run, or `undefined` if Redis does not return it. A SCAN cursor is valid only within one
 * run.
 */
export async function readRunId(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return /^run_id:(\w+)/m.exec(info)?.[1];
}
