import { createSeededRandom } from "../../support/seeded-random.ts";
import type { PlannedFault } from "./fault.ts";
import type { ScheduleOptions } from "./schedule-options.ts";
import { Spacing } from "./spacing.ts";

const FIRST_MS = 500;
const GAP_MS = [600, 2200] as const;
/** Time in milliseconds for a process or server to recover before its next fault. */
const BREATH_MS = 300;
/** Additional time in milliseconds for a failover and for the old master to be in sync again. */
const GROUP_BREATH_MS = 6000;

/**
 * Creates a schedule of faults with times, durations and targets, all of which depend only on the options, including
 * the seed. No target has two faults at a time. Faults that would break the order of fences in combination do not
 * overlap.
 */
export function createSchedule(options: ScheduleOptions): PlannedFault[] {
  const { seed, forMs, targets, leaseMs } = options;
  const faults = options.faults.filter(({ on }) => targets[on] > 0);
  const random = createSeededRandom(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const planned: PlannedFault[] = [];
  const busyUntil = new Map<string, number>();
  const spacing = new Spacing(options);
  if (faults.length === 0) return planned;
  for (let atMs = FIRST_MS; ; atMs += between(...GAP_MS)) {
    const fault = faults[Math.floor(random() * faults.length)];
    const target = Math.floor(random() * (fault === undefined ? 0 : targets[fault.on]));
    const lastsMs = fault?.lasts === "at_once" ? 0 : between(leaseMs / 3, 3 * leaseMs);
    const chance = random();
    if (fault === undefined || atMs + lastsMs > forMs) return planned;
    const name = `${fault.on} ${target}`;
    if ((busyUntil.get(name) ?? 0) > atMs) continue;
    const stepMs = spacing.admit(fault, { atMs, lastsMs, chance });
    if (stepMs === undefined) continue;
    busyUntil.set(name, atMs + lastsMs + (fault.on === "group" ? GROUP_BREATH_MS : BREATH_MS));
    const times = { atMs: Math.round(atMs), forMs: Math.round(lastsMs) };
    planned.push({ fault: fault.name, ...times, target, chance, stepMs });
  }
}
