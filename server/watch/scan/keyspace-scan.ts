import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { Reader } from "./key-reader.ts";
import { Discovery } from "./scan-cursor.ts";
import type { Pace } from "./time-budget.ts";

/** So many marks may wait while a walk goes ahead: what is told of meanwhile waits behind them. */
const MARKS_AHEAD = 500;
const TRIES = 5;
const TRY_AGAIN_MS = 200;
/** A walk that was broken off earlier than this begins anew. */
const WORTH_KEEPING = 100_000;

export interface Progress {
  /** Keys gone through so far, as near as SCAN tells. */
  readonly scanned: number;
  /** Keys there are; null: Redis does not say. */
  readonly keys: number | null;
}

interface Surroundings {
  readonly redis: Redis;
  readonly patterns: readonly string[];
  readonly reader: Pick<Reader, "mark" | "marked" | "settled" | "room" | "isHurried">;
  /** Known keys; with a pace those that were not looked at for a while. */
  known(isPaced: boolean): Iterable<Key>;
  isKnown(key: Key): boolean;
}

/** Walks through all that a master has: reads what is known, then what is found beside it. */
export class Walks {
  progress: Progress | undefined;
  /** A walk that was broken off, and the run of the server whose cursor it has. */
  #unfinished: { readonly discovery: Discovery; readonly run: string } | undefined;

  constructor(private readonly around: Surroundings) {}

  /** @throws when the signal ends it, or Redis does not answer; the next one goes on */
  async walk(signal: AbortSignal, pace: Pace | undefined): Promise<void> {
    const { redis, patterns, reader, known } = this.around;
    reader.isHurried = pace === undefined;
    try {
      // Not one by one: keys that go and come back meanwhile would be met again and again.
      await this.#feed([...known(pace !== undefined)], signal, pace);
      const run = await runOf(redis);
      const keys = await redis.dbsize().catch(() => null);
      const kept = this.#unfinished;
      this.#unfinished = undefined;
      const left = kept !== undefined && kept.run === run ? kept.discovery : undefined;
      // What is left over may hold locks that nobody has seen; what was gone through before may have new ones.
      for (const discovery of [...(left === undefined ? [] : [left]), new Discovery(redis, patterns)]) {
        await this.#discover(discovery, { keys, run }, signal, pace);
      }
      await endedBy(signal, reader.settled());
    } finally {
      this.progress = undefined;
      reader.isHurried = false;
    }
  }

  async #discover(
    discovery: Discovery,
    { keys, run }: { keys: number | null; run: string | undefined },
    signal: AbortSignal,
    pace: Pace | undefined,
  ): Promise<void> {
    for (let tries = TRIES; ; tries--) {
      try {
        for await (const found of this.#pages(discovery, signal, pace)) {
          const scanned = Math.round(discovery.scanned / discovery.passes);
          this.progress = { scanned: Math.min(scanned, keys ?? scanned), keys };
          await this.#feed(found, signal, pace);
        }
        return;
      } catch (error) {
        if (!signal.aborted && tries > 1) {
          await sleep(TRY_AGAIN_MS, undefined, { signal });
          continue;
        }
        if (run !== undefined && discovery.scanned > WORTH_KEEPING) this.#unfinished = { discovery, run };
        throw error;
      }
    }
  }

  /** The keys of each page that are not known, and a rest for what it cost to find them. */
  async *#pages(discovery: Discovery, signal: AbortSignal, pace: Pace | undefined): AsyncGenerator<Key[]> {
    let startedAt = performance.now();
    for await (const keys of discovery.pages(signal)) {
      await pace?.rest(performance.now() - startedAt, signal);
      yield keys.filter((key) => !this.around.isKnown(key));
      startedAt = performance.now();
    }
  }

  async #feed(keys: Iterable<Key>, signal: AbortSignal, pace: Pace | undefined): Promise<void> {
    const { reader } = this.around;
    let startedAt = performance.now();
    for (const key of keys) {
      reader.mark(key);
      if (reader.marked < MARKS_AHEAD) continue;
      await endedBy(signal, pace === undefined ? reader.room(MARKS_AHEAD) : reader.settled());
      await pace?.rest(performance.now() - startedAt, signal);
      startedAt = performance.now();
    }
    if (pace === undefined || reader.marked === 0) return;
    await endedBy(signal, reader.settled());
    await pace.rest(performance.now() - startedAt, signal);
  }
}

async function endedBy(signal: AbortSignal, work: Promise<void>): Promise<void> {
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
export async function runOf(redis: Redis): Promise<string | undefined> {
  const info = await redis.info("server").catch(() => "");
  return /^run_id:(\w+)/m.exec(info)?.[1];
}
