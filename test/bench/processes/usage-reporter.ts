/** Preloaded into a measured server (`node --expose-gc --import …`). Reports the server's resource usage. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Usage {
  /** User and system CPU time of all threads, in µs. */
  readonly cpuMicros: number;
  /**
   * Bytes in use on the heap, plus external memory of objects on the heap. If `memory` was requested, measured after
   * garbage collection.
   */
  readonly aliveBytes: number;
  readonly rssBytes: number;
}

process.on("message", async (words) => {
  if (words === "memory") await collect();
  if (words === "memory" || words === "usage") process.send?.(readUsage());
});
process.on("disconnect", () => process.exit(0));
process.channel?.unref();
process.send?.("loaded");

function readUsage(): Usage {
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { cpuMicros: user + system, aliveBytes: heapUsed + external, rssBytes: rss };
}

/**
 * Runs several garbage collections, because some objects become collectable only after others are collected. Ends with
 * a collection, so that objects that the server allocated during the pauses do not count.
 */
async function collect(): Promise<void> {
  for (let left = 4; left > 0; left--) {
    globalThis.gc?.();
    await sleep(25);
  }
  globalThis.gc?.();
}
