import type { Fault } from "./fault.ts";
import type { ScheduleOptions } from "./schedule-options.ts";

/** What is planned for a fault on a server, before it is known by how much it steps. */
interface FaultTiming {
  readonly atMs: number;
  readonly lastsMs: number;
  readonly chance: number;
}

/** Faults begin and end a little later than planned. */
const SLACK_MS = 1000;
const STEP_MS_MIN = 5;
/** In sum less than half of the ten minutes for which a companion outlives its hold: none ends by a step. */
const FAR_MS = [30_000, 240_000] as const;
/** The last part of a run, in which data may be left alone. */
const LATE = 0.8;

/**
 * Keeps data losses and wrong clocks apart. A fence is above the last one that its server remembers, and above its
 * clock. What is lost while the clock is behind the highest fence, be it set back or back from being ahead, takes both:
 * only the fault that says so may do that.
 *
 * On a quorum every majority has to have one server with either. Those that are set back are a minority, so data may be
 * lost beside them; one that is ahead puts the highest fence ahead of the clocks of all others.
 */
export class Spacing {
  readonly #minority: number;
  readonly #forMs: number;
  readonly #mayLose: boolean;
  readonly #leaseMs: number;
  #lostUntilMs = Number.NEGATIVE_INFINITY;
  #fencesAheadUntilMs = Number.NEGATIVE_INFINITY;
  #setBackUntilMs: number[] = [];

  constructor({ targets, forMs, faults, leaseMs }: ScheduleOptions) {
    this.#minority = Math.floor((targets.server - 1) / 2);
    this.#forMs = forMs;
    this.#mayLose = faults.some(isDataLoss);
    this.#leaseMs = leaseMs;
  }

  /** @returns by how much the clock is to step, 0 for a fault that leaves it alone; undefined: it must not come now */
  admit(fault: Fault, when: FaultTiming): number | undefined {
    const stepMs = fault.steps === undefined ? 0 : this.#pickStepMs(fault, when);
    if (stepMs === undefined) return undefined;
    const { atMs, lastsMs } = when;
    const setBack = this.#setBackUntilMs.filter((untilMs) => untilMs > atMs);
    if (isDataLoss(fault)) {
      if (this.#fencesAheadUntilMs > atMs || (this.#minority === 0 && setBack.length > 0)) return undefined;
      this.#lostUntilMs = Math.max(this.#lostUntilMs, atMs + lastsMs + SLACK_MS);
    }
    const untilMs = atMs + lastsMs + SLACK_MS;
    if (stepMs > 0) this.#fencesAheadUntilMs = Math.max(this.#fencesAheadUntilMs, untilMs + stepMs);
    if (stepMs < 0) this.#setBackUntilMs = [...setBack, untilMs];
    return stepMs;
  }

  #pickStepMs(fault: Fault, { atMs, chance }: FaultTiming): number | undefined {
    // One draw has to do for direction and size.
    const isAhead = fault.steps === "either_way" && chance < 0.5;
    const size = fault.steps === "either_way" ? (2 * chance) % 1 : chance;
    if (isAhead) {
      const isFar = !this.#mayLose || atMs > LATE * this.#forMs;
      return this.#lostUntilMs > atMs ? undefined : this.#pickSizeMs(size, isFar);
    }
    if (isDataLoss(fault)) return this.#isOneTooMany(atMs) ? undefined : -this.#leaseMs - toFarMs(size);
    if (this.#minority > 0) return this.#isOneTooMany(atMs) ? undefined : -this.#pickSizeMs(size, true);
    // Who held a lock before the data was lost had a fence of that time; the clock must not go back behind it.
    const roomMs = Math.floor(atMs - this.#lostUntilMs);
    const stepMs = Math.min(this.#pickSizeMs(size, roomMs > FAR_MS[1]), roomMs);
    return stepMs < STEP_MS_MIN ? undefined : -stepMs;
  }

  /** A majority would be set back. */
  #isOneTooMany(atMs: number): boolean {
    return (
      this.#minority > 0 && this.#setBackUntilMs.filter((untilMs) => untilMs > atMs).length >= this.#minority
    );
  }

  /** A quarter of them is short, a quarter is of some leases, or of minutes where there is room. */
  #pickSizeMs(size: number, isFar: boolean): number {
    const within = (4 * size) % 1;
    if (size < 0.25) return Math.round(STEP_MS_MIN + within * 95);
    if (size < 0.5) return Math.round(100 + within * this.#leaseMs);
    if (size < 0.75 || !isFar) return Math.round((1 + 3 * within) * this.#leaseMs);
    return toFarMs(within);
  }
}

const toFarMs = (share: number) => Math.round(FAR_MS[0] + share * (FAR_MS[1] - FAR_MS[0]));

const isDataLoss = ({ loses }: Fault) => loses === "data" || loses === "fences";
