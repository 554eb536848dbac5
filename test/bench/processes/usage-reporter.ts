/** Preloaded into a measured server (`node --expose-gc --import …`). Reports its resource usage. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMicros: number;
  /** Bytes in use on the heap, and outside it by objects of the heap; after a collection if `memory` was requested. */
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

/** Collects repeatedly, because objects freed by one collection may have kept others alive. */
async function collect(): Promise<void> {
  for (let left = 4; left > 0; left--) {
    globalThis.gc?.();
    await sleep(25);
  }
}
