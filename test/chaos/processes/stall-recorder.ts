import { NS_PER_MS } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";

const CHECK_INTERVAL_MS = 20;
const STALL_MS_MIN = 60;

/** Records the periods in which this process did not run. The checks extend their time limits by these periods. */
export function recordStalls(journal: Journal): void {
  let seenAt = journal.now();
  setInterval(() => {
    const now = journal.now();
    const forMs = (now - seenAt) / NS_PER_MS;
    if (forMs > STALL_MS_MIN) journal.write({ op: "stall", type: "info", forMs }, seenAt);
    seenAt = now;
  }, CHECK_INTERVAL_MS).unref();
}
