import type { Fault } from "./fault.ts";

/** The parameters of a fault schedule. */
export interface ScheduleOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly faults: readonly Fault[];
  /** Number of possible targets of each type. */
  readonly targets: Readonly<Record<Fault["on"], number>>;
  /** The longest lease in milliseconds. Faults last from a third of this lease to three times as long. */
  readonly leaseMs: number;
}
