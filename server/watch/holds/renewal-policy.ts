import { parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import { FORMAT_NAMES, type FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";

/** Renewal behavior of a library: which of its holders renew automatically, and after what share of the lease. */
export interface RenewalPolicy {
  readonly who: "all" | "some" | "none";
  readonly afterShare: number;
}

/** The renewal interval to expect before any renewal has been observed. */
export interface RenewalSchedule {
  readonly intervalMs: number;
  /**
   * `certain`: the holder stated the interval, or the library is known with certainty and all its holders renew, so a
   * missing renewal is overdue. `default`: the holder may renew at the default interval of its library. `none`: no
   * automatic renewal is known for such a hold.
   */
  readonly basis: "certain" | "default" | "none";
}

/** Assumed share of the lease after which a client renews a hold if the client's library has no watchdog. */
const MANUAL_RENEWAL_SHARE = 1 / 2;
/**
 * Minimum length, in ms, of the period after a release in which a library may recreate the lock. A library with a
 * renewal timer recreates the lock when the timer fires. For a library without a timer, only an immediate new hold is
 * attributed to the release.
 */
const REACQUIRE_MS_MIN = 1000;
const NO_RENEWAL: RenewalPolicy = { who: "none", afterShare: MANUAL_RENEWAL_SHARE };
/**
 * The policy for Lockkeeper clients that state no interval: older client libraries renew after a third of the lease.
 */
const WATCHDOG_RENEWAL: RenewalPolicy = { who: "some", afterShare: 1 / 3 };

const POLICY_BY_FORMAT = Object.fromEntries(
  FORMAT_NAMES.map((format) => {
    const { renews } = FORMAT_FACTS[format];
    return [format, renews.who === "none" ? NO_RENEWAL : renews];
  }),
) as Readonly<Record<FormatName, RenewalPolicy>>;

/**
 * Returns the renewal policy of a hold. If several formats are possible, combines their policies and uses the largest
 * share of the lease.
 */
export function getRenewalPolicy({ format, candidates, holders: [first] }: HeldObservation): RenewalPolicy {
  if (parseReservedOwner(first.token) !== undefined) return NO_RENEWAL;
  if (first.fence !== null) return WATCHDOG_RENEWAL;
  return candidates.length === 0 ? POLICY_BY_FORMAT[format] : choosePatientPolicy([format, ...candidates]);
}

/** Returns the renewal interval to expect before any renewal has been observed. */
export function getRenewalSchedule(seen: HeldObservation, leaseMs: number | null): RenewalSchedule {
  const [first] = seen.holders;
  const { who, afterShare } = getRenewalPolicy(seen);
  const statedMs = who === "none" ? undefined : computeStatedIntervalMs(first, leaseMs);
  if (statedMs !== undefined) return { intervalMs: statedMs, basis: "certain" };
  const intervalMs = Math.max(1, Math.round(afterShare * (leaseMs ?? 0)));
  if (who === "none") return { intervalMs, basis: "none" };
  const isKnown = seen.confidence === "certain" && seen.candidates.length === 0 && seen.isChosen !== true;
  const isCertain = who === "all" && isKnown;
  return { intervalMs, basis: isCertain ? "certain" : "default" };
}

/**
 * Returns the renewal interval, in ms, that the holder stated when it acquired the lock, or `undefined` if it stated
 * none. If the lease has become longer since, the interval grows in proportion, because a watchdog renews after a share
 * of the lease.
 */
function computeStatedIntervalMs({ statedRenewal }: SeenHolder, leaseMs: number | null): number | undefined {
  if (statedRenewal === undefined) return undefined;
  const { everyMs, ofLeaseMs } = statedRenewal;
  return Math.round(everyMs * Math.max(1, (leaseMs ?? ofLeaseMs) / ofLeaseMs));
}

/** Returns for how long after a release, in ms, the library may still recreate the lock. */
export function computeReacquireWindowMs(seen: HeldObservation, leaseMs: number | null): number {
  return Math.max(REACQUIRE_MS_MIN, Math.round((leaseMs ?? 0) * getRenewalPolicy(seen).afterShare));
}

function choosePatientPolicy(formats: readonly FormatName[]): RenewalPolicy {
  const each = formats.map((format) => POLICY_BY_FORMAT[format]);
  const shares = each.flatMap(({ who, afterShare }) => (who === "none" ? [] : [afterShare]));
  if (shares.length === 0) return NO_RENEWAL;
  const who = each.every((one) => one.who === "all") ? "all" : "some";
  return { who, afterShare: Math.max(...shares) };
}
