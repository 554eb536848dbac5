import type { Key } from "../../../lib/keys/key.ts";
import type { ComparisonTerm, FilterTerm } from "../../../lib/query/filter.ts";
import type { ObservedHold, ObservedHolder } from "./observed-hold.ts";

/** Returns the p95 hold time of a key's pattern in milliseconds, or `undefined` if too few holds have ended. */
export type GetTypicalHeldMs = (key: Key) => number | undefined;

export const NO_TYPICAL_HELD: GetTypicalHeldMs = () => undefined;

/**
 * Computes a property of a hold at a time on Redis's clock. `typicalMs` is the typical hold time of the key's pattern,
 * or `NEVER` if unknown.
 */
type AtTime<Answer> = (hold: ObservedHold, nowMs: number, typicalMs: number) => Answer;

/** Time of a change that never happens. */
export const NEVER = Number.POSITIVE_INFINITY;

/**
 * Multiple of the typical (p95) hold time after which a lock needs attention. The p95 itself is too low, because one
 * hold in twenty exceeds it.
 */
const TYPICAL_FACTOR_MAX = 2;

/**
 * Whether a lock is overdue, has no TTL, or has been held for more than twice its typical time. Always false for ended
 * holds, unlisted locks and latches.
 */
export function needsAttention(hold: ObservedHold, nowMs: number, typicalMs: number): boolean {
  return isAssessed(hold) && (isCritical(hold) || nowMs > computePastTypicalAt(hold, typicalMs));
}

/**
 * Whether a hold can need attention. Excludes ended holds, unlisted locks, which may be other data, and latches, which
 * never have a lease.
 */
function isAssessed({ seen, isListed }: ObservedHold): boolean {
  return seen.state === "held" && seen.kind !== "latch" && isListed;
}

function isCritical({ liveness: { state } }: ObservedHold): boolean {
  return state === "overdue" || state === "no_ttl";
}

/**
 * Returns the start of the hold in Unix ms, or the time of the first observation if the key does not store the start.
 * If there are several holders, returns the earliest time.
 */
export function getHeldSince({ holders }: ObservedHold): number {
  const [first] = holders;
  if (holders.length === 1) return getHolderStart(first);
  return holders.reduce((since, holder) => Math.min(since, getHolderStart(holder)), NEVER);
}

function getHolderStart({ seen, firstSeenMs }: ObservedHolder): number {
  return seen.sinceMs ?? firstSeenMs;
}

function computePastTypicalAt(hold: ObservedHold, typicalMs: number, times = TYPICAL_FACTOR_MAX): number {
  return getHeldSince(hold) + times * typicalMs;
}

/** A compiled filter term whose result depends on time. */
export interface TimeDependentTerm {
  readonly matches: AtTime<boolean>;
  /** Returns the earliest time at which the result can change without a change to the hold, or `NEVER`. */
  readonly computeChangeAt: AtTime<number>;
  readonly usesTypical: boolean;
}

/** Compiles a filter term whose result depends on time. @returns `undefined` if the result does not depend on time */
export function compileTimeDependentTerm(term: FilterTerm): TimeDependentTerm | undefined {
  if ("state" in term) {
    if (term.state !== "needs_attention") return undefined;
    return { matches: needsAttention, computeChangeAt: computeAttentionAt, usesTypical: true };
  }
  if (!("ms" in term)) return undefined;
  // `held` grows with time, and `remaining` shrinks.
  const isAfter = (term.field === "held") === (term.comparing === ">");
  return {
    matches: (hold, nowMs, typicalMs) => {
      const bound = computeBound(term, hold, typicalMs);
      return isAfter ? nowMs > bound : nowMs < bound;
    },
    computeChangeAt: (hold, nowMs, typicalMs) =>
      computeChangeAfter(computeBound(term, hold, typicalMs), nowMs),
    usesTypical: term.ms === "typical",
  };
}

/**
 * Returns the time at which the result of a comparison changes. For `held`, `<` is true before this time and `>` is
 * true after it. For `remaining`, the reverse is true.
 */
function computeBound(
  term: Extract<ComparisonTerm, { ms: unknown }>,
  hold: ObservedHold,
  typicalMs: number,
): number {
  if (term.field === "remaining") return hold.endsAtMs === null ? NEVER : hold.endsAtMs - term.ms;
  return term.ms === "typical" ? computePastTypicalAt(hold, typicalMs, 1) : getHeldSince(hold) + term.ms;
}

function computeAttentionAt(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  if (!isAssessed(hold) || isCritical(hold)) return NEVER;
  return computeChangeAfter(computePastTypicalAt(hold, typicalMs), nowMs);
}

/**
 * Returns the next time at which a comparison with the bound changes, or `NEVER` after the bound. At the bound itself,
 * neither `<` nor `>` is true.
 */
function computeChangeAfter(bound: number, nowMs: number): number {
  return nowMs < bound ? bound : nowMs === bound ? bound + 1 : NEVER;
}

/**
 * Factor of the severity in a rank. The lower ten digits of a rank order locks of equal severity by their start in
 * seconds.
 */
const SECONDS = 1e10;
const DOUBLINGS_MAX = 20;
/**
 * Severity of locks that are overdue or have no TTL but are not blocking. Lower severities represent doublings of the
 * typical hold time.
 */
const CRITICAL = DOUBLINGS_MAX + 2;
/** Lowest severity of blocking locks. Each doubling of the number of waiters adds 1. */
const BLOCKING = CRITICAL + 1;
const BLOCKING_CRITICAL = BLOCKING + DOUBLINGS_MAX + 1;
/** Minimum age, in ms, of a hold with waiters to count as blocking. Shorter holds are ordinary contention. */
const BLOCKING_MS_MIN = 10_000;

/**
 * Returns the rank of a lock for the `attention` sort. The most urgent locks have the largest rank. The order is:
 *
 * 1. blocking locks that are overdue or have no TTL
 * 2. other blocking locks
 * 3. other locks that are overdue or have no TTL
 * 4. other locks held longer than their typical time
 * 5. all other locks
 *
 * Within 1 and 2, locks with more waiters come first. Within 4, locks with a larger multiple of their typical time come
 * first. The numbers of waiters and the multiples are compared by their base-2 logarithms, rounded down. If the
 * logarithms are equal, the longest hold comes first. Within 3 and 5, the longest hold comes first.
 *
 * A lock is blocking if it has waiters and has been held for 10 s or longer.
 */
export function computeRank(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  const age = SECONDS - Math.min(SECONDS - 1, Math.floor(getHeldSince(hold) / 1000));
  return computeSeverity(hold, nowMs, typicalMs) * SECONDS + age;
}

function computeSeverity(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  if (!isAssessed(hold)) return 0;
  if (nowMs >= computeBlockingAt(hold)) {
    const base = isCritical(hold) ? BLOCKING_CRITICAL : BLOCKING;
    return base + Math.min(DOUBLINGS_MAX, Math.floor(Math.log2(countWaiters(hold))));
  }
  return isCritical(hold) ? CRITICAL : countDoublings(hold, nowMs, typicalMs);
}

/**
 * Returns the time from which the lock counts as blocking if its waiters keep waiting, or `NEVER` if the lock has no
 * known waiters.
 */
function computeBlockingAt(hold: ObservedHold): number {
  return countWaiters(hold) > 0 ? getHeldSince(hold) + BLOCKING_MS_MIN : NEVER;
}

function countWaiters({ seen }: ObservedHold): number {
  return seen.waiters?.count ?? 0;
}

/**
 * Returns how far a hold exceeds its typical time: 0 up to the typical time, 1 above the typical time, 2 from twice the
 * typical time, 3 from four times the typical time, and so on.
 */
function countDoublings(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  const times = (nowMs - getHeldSince(hold)) / Math.max(1, typicalMs);
  return times <= 1 ? 0 : Math.min(DOUBLINGS_MAX, 1 + Math.floor(Math.log2(times)));
}

/** Returns the next time at which the rank can change without a change to the hold, or `NEVER`. */
export function computeRankChangeAt(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  if (!isAssessed(hold)) return NEVER;
  const blockingAt = computeBlockingAt(hold);
  if (nowMs >= blockingAt) return NEVER;
  if (isCritical(hold)) return blockingAt;
  const doublings = countDoublings(hold, nowMs, typicalMs);
  if (doublings === DOUBLINGS_MAX) return blockingAt;
  const nextDoublingAt = getHeldSince(hold) + Math.max(1, typicalMs) * 2 ** doublings;
  return Math.min(blockingAt, Math.max(nowMs + 1, nextDoublingAt));
}
