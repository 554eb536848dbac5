import { LEASE_MS_MAX, LEASE_MS_MIN } from "../../../../lib/contract/actions/verb.ts";
import { InvalidError } from "../../../errors/request-errors.ts";
import { StartupError } from "../../../errors/startup-error.ts";

/**
 * Minimum and maximum fair wait time that Lockkeeper accepts, in ms. Redisson accepts any number. A shorter time would
 * drop live waiters, and a longer time is likely a mistake.
 */
export const FAIR_WAIT_MS_RANGE = [1000, 3_600_000] as const;

/**
 * Checks a configured fair wait time.
 *
 * @throws StartupError unless the time is `undefined` or a whole number in `FAIR_WAIT_MS_RANGE`
 */
export function assertFairWait(fairWaitMs: number | undefined): void {
  const [least, most] = FAIR_WAIT_MS_RANGE;
  if (fairWaitMs === undefined || (Number.isInteger(fairWaitMs) && fairWaitMs >= least && fairWaitMs <= most))
    return;
  throw new StartupError(`fairWaitMs must be a whole number of milliseconds from ${least} to ${most}.`);
}

export interface Durations {
  readonly leaseMs?: number | undefined;
  readonly renewEveryMs?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly minHoldMs?: number | undefined;
  readonly reservedMs?: number | undefined;
  /** How long to wait, in ms; Infinity for no limit. */
  readonly waitMs?: number | undefined;
}

/**
 * Checks durations before they become script arguments. A NaN as a TTL would make a script fail between two writes.
 *
 * @throws InvalidError
 */
export function assertDurations(durations: Durations): void {
  const { leaseMs, renewEveryMs, graceMs, minHoldMs, reservedMs, waitMs = 0 } = durations;
  assertWhole("leaseMs", leaseMs, LEASE_MS_MIN);
  assertWhole("renewEveryMs", renewEveryMs, 1);
  if (renewEveryMs !== undefined && leaseMs !== undefined && renewEveryMs >= leaseMs) {
    throw new InvalidError("renewEveryMs must be less than leaseMs.", { field: "renewEveryMs" });
  }
  assertWhole("graceMs", graceMs, 0);
  assertWhole("minHoldMs", minHoldMs, 0);
  assertWhole("reservedMs", reservedMs, LEASE_MS_MIN);
  if ((leaseMs ?? 0) + (graceMs ?? 0) > LEASE_MS_MAX) {
    throw new InvalidError(`leaseMs and graceMs together must be at most ${LEASE_MS_MAX} (24 hours).`, {
      field: "graceMs",
    });
  }
  if (!(waitMs >= 0)) {
    throw new InvalidError("waitMs must be a number of milliseconds, 0 or more.", { field: "waitMs" });
  }
}

function assertWhole(field: string, value: number | undefined, leastMs: number): void {
  if (value === undefined) return;
  if (Number.isInteger(value) && value >= leastMs && value <= LEASE_MS_MAX) return;
  throw new InvalidError(
    `${field} must be a whole number of milliseconds from ${leastMs} to ${LEASE_MS_MAX} (24 hours).`,
    { field },
  );
}
