import type { Fault } from "./fault.ts";

/** What a fault schedule is made from. */
export interface ScheduleOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly faults: readonly Fault[];
  /** How many there are of what a fault may befall. */
  readonly targets: Readonly<Record<Fault["on"], number>>;
  /** The longest lease: faults last from a third of it to three of it. */
  readonly leaseMs: number;
}
