import { createSeededRandom } from "../../support/seeded-random.ts";
import type { PlannedFault } from "./fault.ts";
import type { ScheduleOptions } from "./schedule-options.ts";
import { Spacing } from "./spacing.ts";

const FIRST_MS = 500;
const GAP_MS = [600, 2200] as const;
/** A process or a server gets its breath back before the next fault. */
const BREATH_MS = 300;
/** A failover, and the way of the old master back into step, come on top of what the schedule knows. */
const GROUP_BREATH_MS = 6000;

/**
 * Which fault comes when, for how long and to whom: of the seed alone. No target has two at once, and what together
 * would break the order of fences is kept apart.
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
