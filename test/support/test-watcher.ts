import { Journal } from "../../server/history/journal.ts";
import type { Masters } from "../../server/redis/master.ts";
import { openMasters } from "../../server/redis/masters/open-masters.ts";
import { Watcher, type WatcherOptions } from "../../server/watch/watcher.ts";
import { waitUntil } from "./test-server.ts";

export interface TestWatcher {
  readonly watcher: Watcher;
  readonly masters: Masters;
  readonly journal: Journal;
  stop(): void;
}

/** Watches `lock:*`, unless other options are given; its first picture is whole. */
export async function startTestWatcher(
  where: Parameters<typeof openMasters>[0],
  more: Partial<WatcherOptions> = {},
): Promise<TestWatcher> {
  const masters = openMasters(where);
  const journal = new Journal();
  const options = { target: "test", watch: ["lock:*"], notifications: "off" as const, ...more };
  const watcher = new Watcher(options, masters, journal);
  const stop = () => {
    watcher.stop();
    masters.close();
  };
  watcher.start();
  await waitUntil(() => watcher.health().state === "live");
  return { watcher, masters, journal, stop };
}
