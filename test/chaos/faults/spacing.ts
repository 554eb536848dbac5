import type { Fault } from "./fault.ts";
import type { ScheduleOptions } from "./schedule-options.ts";

/** The plan of a fault on a server, before its clock step is chosen. */
interface FaultTiming {
  readonly atMs: number;
  readonly lastsMs: number;
  readonly chance: number;
}

/** Maximum delay of the end of a fault in milliseconds. Faults begin and end slightly later than planned. */
const SLACK_MS = 1000;
const STEP_MS_MIN = 5;
/**
 * Range of long clock steps in milliseconds. The sum of both limits is less than half of the ten minutes for which a
 * companion outlives its hold, so that no companion expires because of a step.
 */
const FAR_MS = [30_000, 240_000] as const;
/**
 * Fraction of a run after which long steps ahead are allowed. Such a step excludes data losses for the remaining time.
 */
const LATE = 0.8;

/**
 * Prevents data losses and wrong clocks from breaking the order of fences in combination. A new fence is larger than
 * the last fence that the server remembers and than its clock. A data loss while the clock is behind the highest fence
 * removes both lower bounds. The clock is behind if it was set back, or if it was ahead before. Only faults that lose
 * `fences` may do this.
 *
 * On a quorum, every majority must include a server that keeps one of the lower bounds. Servers whose clocks are set
 * back are a minority, so other servers may lose data at the same time. A server whose clock is ahead can issue a fence
 * that is ahead of all other clocks.
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

  /**
   * Decides whether a fault may happen. @returns the clock step in ms, which is 0 for a fault that does not set the
   * clock; `undefined` if the fault must not happen now
   */
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
    // The same random number determines the direction and the size.
    const isAhead = fault.steps === "either_way" && chance < 0.5;
    const size = fault.steps === "either_way" ? (2 * chance) % 1 : chance;
    if (isAhead) {
      const isFar = !this.#mayLose || atMs > LATE * this.#forMs;
      return this.#lostUntilMs > atMs ? undefined : this.#pickSizeMs(size, isFar);
    }
    if (isDataLoss(fault)) return this.#isOneTooMany(atMs) ? undefined : -this.#leaseMs - toFarMs(size);
    if (this.#minority > 0) return this.#isOneTooMany(atMs) ? undefined : -this.#pickSizeMs(size, true);
    // Fences from before a data loss contain the time of that period, so the clock must not be set back to before the
    // data loss.
    const roomMs = Math.floor(atMs - this.#lostUntilMs);
    const stepMs = Math.min(this.#pickSizeMs(size, roomMs > FAR_MS[1]), roomMs);
    return stepMs < STEP_MS_MIN ? undefined : -stepMs;
  }

  /** Returns whether another clock that is set back would exceed a minority. */
  #isOneTooMany(atMs: number): boolean {
    return (
      this.#minority > 0 && this.#setBackUntilMs.filter((untilMs) => untilMs > atMs).length >= this.#minority
    );
  }

  /**
   * Chooses the size of a clock step in milliseconds. A quarter of the steps are short, and a quarter are up to a
   * lease. The others are one to four leases, or half of them minutes if `isFar`.
   */
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
