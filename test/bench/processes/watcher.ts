/**
 * Runs a watcher, or for comparison a plain SCAN loop over the same keys.
 *
 * Usage: `node --expose-gc … watcher.ts REDIS_URL PATTERN`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_RETENTION, Journal } from "../../../server/history/journal.ts";
import { openMasters } from "../../../server/redis/masters/open-masters.ts";
import { Watcher } from "../../../server/watch/watcher.ts";
import { openPlainConnection } from "../plain-connection.ts";

export type WatcherRequest =
  | { readonly do: "scan"; readonly count: number }
  /** Reads a first snapshot and discards it. */
  | { readonly do: "snapshot" }
  /** Reads a first snapshot, keeps it and measures its memory. */
  | { readonly do: "keep" };

export interface WatcherResponse {
  readonly ms: number;
  /** Number of locks in the snapshot; for `scan`, the number of keys that match the pattern. */
  readonly locks: number;
  /** Increase of the memory in use, without events. Present only for `keep`. */
  readonly grewBytes?: number;
  /** Increase of the memory in use, with a journal of default size. Present only for `keep`. */
  readonly grewBytesWithEvents?: number;
}

const [redisUrl = "", pattern = ""] = process.argv.slice(2);
const plain = openPlainConnection(redisUrl);

async function measureScan(count: number): Promise<WatcherResponse> {
  const startedAt = performance.now();
  let cursor = "0";
  let locks = 0;
  do {
    const [next, keys] = await plain.scan(cursor, "MATCH", pattern, "COUNT", count);
    cursor = next;
    locks += keys.length;
  } while (cursor !== "0");
  return { ms: performance.now() - startedAt, locks };
}

async function measureFirstSnapshot(): Promise<WatcherResponse> {
  const { ms, watcher, masters } = await readFirstSnapshot();
  const locks = watcher.index.size;
  watcher.stop();
  masters.close();
  return { ms, locks };
}

/**
 * Measures the memory without events and with a journal of default size, whose number of events does not depend on the
 * number of locks.
 */
async function measureRetention(): Promise<WatcherResponse> {
  // A first watcher is discarded, because compiled code and caches grow only once.
  await measureFirstSnapshot();
  const bare = await measureKeptBytes(new Journal({ ...DEFAULT_RETENTION, most: 0 }));
  const { grewBytes: grewBytesWithEvents } = await measureKeptBytes(new Journal());
  return { ...bare, grewBytesWithEvents };
}

async function measureKeptBytes(journal: Journal) {
  const before = await measureAliveBytes();
  const { ms, watcher, masters } = await readFirstSnapshot(journal);
  const grewBytes = (await measureAliveBytes()) - before;
  const locks = watcher.index.size;
  watcher.stop();
  masters.close();
  return { ms, locks, grewBytes };
}

async function readFirstSnapshot(journal = new Journal()) {
  const masters = openMasters(redisUrl);
  while (
    masters.list.some(({ redis, subscriber }) => redis.status !== "ready" || subscriber.status !== "ready")
  ) {
    await sleep(1);
  }
  const watcher = new Watcher({ target: "bench", watch: [pattern], notifications: "off" }, masters, journal);
  const startedAt = performance.now();
  const isLive = new Promise<void>((resolve) => {
    const stop = watcher.onChange(() => {
      if (watcher.health().state !== "live") return;
      stop();
      resolve();
    });
  });
  watcher.start();
  await isLive;
  return { ms: performance.now() - startedAt, watcher, masters };
}

/**
 * Runs several garbage collections before it reads the memory in use, because some objects become collectable only
 * after others are collected.
 */
async function measureAliveBytes(): Promise<number> {
  for (let left = 4; left > 0; left--) {
    globalThis.gc?.();
    await sleep(25);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", async (words: WatcherRequest) => {
  process.send?.(
    await (words.do === "scan"
      ? measureScan(words.count)
      : words.do === "keep"
        ? measureRetention()
        : measureFirstSnapshot()),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
