/** Preloaded into a server that is measured (`node --expose-gc --import tell.ts …`): it tells what it uses. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Usage {
  /** User and system, of all threads. */
  readonly cpuMicros: number;
  /** What is alive on the heap and what its objects keep outside of it; after a collection when `memory` was asked. */
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

/** What one collection lets go of may be what kept something else. */
async function collect(): Promise<void> {
  for (let left = 4; left > 0; left--) {
    globalThis.gc?.();
    await sleep(25);
  }
}
