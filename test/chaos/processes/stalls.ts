import { NS_PER_MS } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";

const LOOK_EVERY_MS = 20;
const STALL_MS_MIN = 60;

/** Writes down when this process did not run for a while: time limits grow by that. */
export function writeStalls(journal: Journal): void {
  let seenAt = journal.now();
  setInterval(() => {
    const now = journal.now();
    const forMs = (now - seenAt) / NS_PER_MS;
    if (forMs > STALL_MS_MIN) journal.write({ op: "stall", type: "info", forMs }, seenAt);
    seenAt = now;
  }, LOOK_EVERY_MS).unref();
}
