import { parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import { FORMAT_NAMES, type FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";

/** Who prolongs a lease by itself, and after which share of it. */
export interface RenewalPolicy {
  readonly who: "all" | "some" | "none";
  readonly afterShare: number;
}

/** When a hold is expected to renew, before any renewal was observed. */
export interface RenewalSchedule {
  readonly intervalMs: number;
  /**
   * `certain`: the holder stated it, or every holder of its library renews and the library is certain. A renewal that
   * does not come is then overdue. `default`: some holders of the library renew so. `none`: no timer is known.
   */
  readonly basis: "certain" | "default" | "none";
}

/** A hold that is seen to be prolonged although its library never does so by itself is judged by this. */
const MANUAL_RENEWAL_SHARE = 1 / 2;
/** A library that makes its lock again does so by its timer; one without a timer does so at once or by chance. */
const REACQUIRE_MS_MIN = 1000;
const NO_RENEWAL: RenewalPolicy = { who: "none", afterShare: MANUAL_RENEWAL_SHARE };
/** What clients of ours do that state no interval: older versions of the library renew at this share. */
const WATCHDOG_RENEWAL: RenewalPolicy = { who: "some", afterShare: 1 / 3 };

const POLICY_BY_FORMAT = Object.fromEntries(
  FORMAT_NAMES.map((format) => {
    const { renews } = FORMAT_FACTS[format];
    return [format, renews.who === "none" ? NO_RENEWAL : renews];
  }),
) as Readonly<Record<FormatName, RenewalPolicy>>;

/** What is expected of a hold, as far as its formats allow: where several are possible, the most patient. */
export function getRenewalPolicy({ format, candidates, holders: [first] }: HeldObservation): RenewalPolicy {
  if (parseReservedOwner(first.token) !== undefined) return NO_RENEWAL;
  if (first.fence !== null) return WATCHDOG_RENEWAL;
  return candidates.length === 0 ? POLICY_BY_FORMAT[format] : choosePatientPolicy([format, ...candidates]);
}

/** When the holder is expected to renew, as far as is known without watching it. */
export function getRenewalSchedule(seen: HeldObservation, leaseMs: number | null): RenewalSchedule {
  const [first] = seen.holders;
  const { who, afterShare } = getRenewalPolicy(seen);
  const statedMs = who === "none" ? undefined : computeStatedIntervalMs(first, leaseMs);
  if (statedMs !== undefined) return { intervalMs: statedMs, basis: "certain" };
  const intervalMs = Math.max(1, Math.round(afterShare * (leaseMs ?? 0)));
  if (who === "none") return { intervalMs, basis: "none" };
  const isCertain = who === "all" && seen.confidence === "certain" && seen.candidates.length === 0;
  return { intervalMs, basis: isCertain ? "certain" : "default" };
}

/**
 * The interval that the holder stated when it acquired the lock. A watchdog renews at a share of the lease, so the
 * interval grows with a lease that was lengthened since.
 */
function computeStatedIntervalMs({ statedRenewal }: SeenHolder, leaseMs: number | null): number | undefined {
  if (statedRenewal === undefined) return undefined;
  const { everyMs, ofLeaseMs } = statedRenewal;
  return Math.round(everyMs * Math.max(1, (leaseMs ?? ofLeaseMs) / ofLeaseMs));
}

/** For how long after a lock was freed its library may make it again. */
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
