import type { Fault } from "./fault.ts";

/** The parameters of a fault schedule. */
export interface ScheduleOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly faults: readonly Fault[];
  /** The number of possible targets of each kind. */
  readonly targets: Readonly<Record<Fault["on"], number>>;
  /** The longest lease. Faults last from a third of it to three times as long. */
  readonly leaseMs: number;
}
