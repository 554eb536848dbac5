import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { KeyReader } from "./key-reader.ts";
import { ScanCursor } from "./scan-cursor.ts";
import type { TimeBudget } from "./time-budget.ts";

/** So many marks may wait while a walk goes ahead: what is told of meanwhile waits behind them. */
const QUEUE_AHEAD_MAX = 500;
const TRIES = 5;
const RETRY_MS = 200;
/** A walk that was broken off earlier than this begins anew. */
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
    "enqueueRead" | "queuedCount" | "waitUntilSettled" | "waitForRoom" | "isBurst"
  >;
  /** Known keys; with a pace those that were not looked at for a while. */
  listKnownKeys(isPaced: boolean): Iterable<Key>;
  isKnown(key: Key): boolean;
}

/** Walks through all that a master has: reads what is known, then what is found beside it. */
export class KeyspaceScan {
  progress: KeyspaceScanProgress | undefined;
  /** A walk that was broken off, and the run of the server whose cursor it has. */
  #unfinished: { readonly discovery: ScanCursor; readonly run: string } | undefined;

  constructor(private readonly deps: KeyspaceScanDeps) {}

  /** @throws when the signal ends it, or Redis does not answer; the next one goes on */
  async run(signal: AbortSignal, budget: TimeBudget | undefined): Promise<void> {
    const { redis, patterns, reader, listKnownKeys } = this.deps;
    reader.isBurst = budget === undefined;
    try {
      // Not one by one: keys that go and come back meanwhile would be met again and again.
      await this.#enqueueKeys([...listKnownKeys(budget !== undefined)], signal, budget);
      const run = await readRunId(redis);
      const keys = await redis.dbsize().catch(() => null);
      const kept = this.#unfinished;
      this.#unfinished = undefined;
      const left = kept !== undefined && kept.run === run ? kept.discovery : undefined;
      // What is left over may hold locks that nobody has seen; what was gone through before may have new ones.
      for (const cursor of [...(left === undefined ? [] : [left]), new ScanCursor(redis, patterns)]) {
        await this.#runCursor(cursor, { keys, run }, signal, budget);
      }
      await raceWithAbort(signal, reader.waitUntilSettled());
    } finally {
      this.progress = undefined;
      reader.isBurst = false;
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
          await this.#enqueueKeys(found, signal, budget);
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
    let startedAt = performance.now();
    for await (const keys of cursor.readPages(signal)) {
      await budget?.spend(performance.now() - startedAt, signal);
      yield keys.filter((key) => !this.deps.isKnown(key));
      startedAt = performance.now();
    }
  }

  async #enqueueKeys(
    keys: Iterable<Key>,
    signal: AbortSignal,
    budget: TimeBudget | undefined,
  ): Promise<void> {
    const { reader } = this.deps;
    let startedAt = performance.now();
    for (const key of keys) {
      reader.enqueueRead(key);
      if (reader.queuedCount < QUEUE_AHEAD_MAX) continue;
      await raceWithAbort(
        signal,
        budget === undefined ? reader.waitForRoom(QUEUE_AHEAD_MAX) : reader.waitUntilSettled(),
      );
      await budget?.spend(performance.now() - startedAt, signal);
      startedAt = performance.now();
    }
    if (budget === undefined || reader.queuedCount === 0) return;
    await raceWithAbort(signal, reader.waitUntilSettled());
    await budget.spend(performance.now() - startedAt, signal);
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
