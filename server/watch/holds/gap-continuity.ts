import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";

/**
 * Share of the lease by which an unchanged deadline may appear to move, because the masters of a quorum receive a
 * renewal at different times. `smoothTimes` uses the same share for reads without a gap.
 */
const DEADLINE_SHARE = 0.05;
const DEADLINE_MS_MAX = 500;
/** Maximum clock difference between a master and the replica that was promoted, in ms. */
const CLOCK_DIFFERENCE_MS = 50;
/** Share of the renewal interval by which a renewal during a gap may deviate from the schedule. */
const BEAT_SHARE = 0.1;

/** The fields of an `ObservedHold` that `outlastsGap` compares. */
interface HoldBeforeGap {
  readonly seen: HeldObservation;
  readonly holders: readonly unknown[];
  readonly renewals: { readonly leaseMs: number | null; readonly steadyIntervalMs: number | undefined };
}

/**
 * Whether a reusable owner string identifies the same hold before and after a gap.
 *
 * Returns true if the deadline is unchanged, because a new hold would have a different deadline. For a single holder
 * with a steady renewal interval, also returns true if the deadline matches a renewal on schedule. With any other
 * deadline, the same owner may have a new hold. A hold without a TTL before and after the gap counts as the same hold,
 * because there is no deadline to compare.
 */
export function outlastsGap(
  before: HoldBeforeGap,
  was: SeenHolder,
  seen: HeldObservation,
  holder: SeenHolder,
): boolean {
  const then = computeDeadline(before.seen, was);
  const now = computeDeadline(seen, holder);
  if (then === null || now === null) return then === now;
  const { leaseMs, steadyIntervalMs } = before.renewals;
  if (Math.abs(now - then) <= computeGapToleranceMs(leaseMs)) return true;
  const isAlone = before.holders.length === 1 && seen.holders.length === 1;
  if (!isAlone || steadyIntervalMs === undefined) return false;
  const renewals = Math.round((now - then) / steadyIntervalMs);
  return renewals > 0 && Math.abs(now - then - renewals * steadyIntervalMs) <= BEAT_SHARE * steadyIntervalMs;
}

function computeDeadline({ asOf, remainingMs }: HeldObservation, { ownRemainingMs }: SeenHolder) {
  const leftMs = ownRemainingMs === undefined ? remainingMs : ownRemainingMs;
  return leftMs === null ? null : asOf + leftMs;
}

/** Returns the maximum amount, in ms, by which an unchanged deadline can appear to move across a gap. */
export function computeGapToleranceMs(leaseMs: number | null): number {
  return CLOCK_DIFFERENCE_MS + Math.min(DEADLINE_MS_MAX, DEADLINE_SHARE * (leaseMs ?? 0));
}
