/**
 * Runs a reduced instance that only watches a target and records its events. The test kills, stops and resumes this
 * process.
 */

import { Journal } from "../../../server/history/journal.ts";
import { Recording } from "../../../server/history/recording.ts";
import { openHomeStore } from "../../../server/home/open-home-store.ts";
import { openMasters } from "../../../server/redis/masters/open-masters.ts";
import { Watcher } from "../../../server/watch/watcher.ts";

const [url = "", home = ""] = process.argv.slice(2);
const target = "main";
const times = { pollMs: 50, leaseMs: 600, giveWayMs: 200, lagMs: 200 };
const journal = new Journal();
const options = { target, watch: ["lock:*"], notifications: "off" as const };
const watcher = new Watcher(options, openMasters(url), journal);
const sight = {
  isWhole: () => watcher.health().state === "live",
  now: () => watcher.clock.now(),
  onChange: (listener: () => void) => watcher.onChange(listener),
  onMiss: (listener: (from: number) => void) => watcher.onLongUnseenHold(listener),
};
const openStore = (name: string, more = {}) => openHomeStore(home, name, more);
const recording = new Recording({ openStore, target, journal, session: sight, times });
watcher.start();
recording.start();

// Number of times that events may have been missed, because the watcher lost its connection or the machine was too
// busy.
let breakCount = 0;
let wasLive = false;
watcher.onChange(() => {
  const isLive = sight.isWhole();
  if (wasLive && !isLive) breakCount++;
  wasLive = isLive;
});
watcher.onLongUnseenHold(() => breakCount++);
let beatAt = performance.now();
setInterval(() => {
  if (performance.now() - beatAt > 1000) breakCount++;
  beatAt = performance.now();
}, 100);

process.on("message", (ask) => {
  if (ask !== "tell") return;
  const { isLeading, seesAll } = recording.recorder;
  process.send?.({ entries: journal.listRecent(100_000), isLeading, seesAll, breaks: breakCount });
});
process.on("disconnect", () => process.exit(0));
