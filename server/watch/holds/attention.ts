import type { Key } from "../../../lib/keys/key.ts";
import type { ComparisonTerm, FilterTerm } from "../../../lib/query/filter.ts";
import type { ObservedHold, ObservedHolder } from "./observed-hold.ts";

/** For how long nineteen of twenty locks of a key's pattern were held, in ms; undefined: too few have ended yet. */
export type GetTypicalHeldMs = (key: Key) => number | undefined;

export const NO_TYPICAL_HELD: GetTypicalHeldMs = () => undefined;

/**
 * What is said of a hold at a moment of Redis's clock. `typicalMs`: for how long locks of its pattern are typically held,
 * asked once and told to all who want to know; `NEVER`: nobody can tell.
 */
type AtTime<Answer> = (hold: ObservedHold, nowMs: number, typicalMs: number) => Answer;

/** A moment that does not come. */
export const NEVER = Number.POSITIVE_INFINITY;

/** Held for so many times the typical, a lock wants a look: one in twenty goes past it once. */
const TYPICAL_FACTOR_MAX = 2;

/** Whether a lock wants a look: nobody renews it any more, it never ends, or it is held for far longer than typical. */
export function needsAttention(hold: ObservedHold, nowMs: number, typicalMs: number): boolean {
  return isAssessed(hold) && (isCritical(hold) || nowMs > computePastTypicalAt(hold, typicalMs));
}

/** Data that only looks like a lock needs no attention: nothing waits for it, and it has no lease. */
function isAssessed({ seen, isListed }: ObservedHold): boolean {
  return seen.state === "held" && isListed;
}

function isCritical({ liveness: { state } }: ObservedHold): boolean {
  return state === "overdue" || state === "no_ttl";
}

/** Since when it is held; of several holders, the first. */
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

/** A term of a filter whose answer time alone turns. */
export interface TimeDependentTerm {
  readonly matches: AtTime<boolean>;
  /** When time alone may turn the answer, at the earliest. */
  readonly computeChangeAt: AtTime<number>;
  readonly usesTypical: boolean;
}

/** @returns undefined: time does not matter to it */
export function compileTimeDependentTerm(term: FilterTerm): TimeDependentTerm | undefined {
  if ("state" in term) {
    if (term.state !== "needs_attention") return undefined;
    return { matches: needsAttention, computeChangeAt: computeAttentionAt, usesTypical: true };
  }
  if (!("ms" in term)) return undefined;
  // The longer it is held the less is left to it.
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

/** When the answer to a comparison turns: it is `<` until then, and `>` after. */
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

/** At the bound itself neither is true; the next millisecond decides. */
function computeChangeAfter(bound: number, nowMs: number): number {
  return nowMs < bound ? bound : nowMs === bound ? bound + 1 : NEVER;
}

/** Of locks of one severity, whatever is held longest comes first: ten digits of seconds are enough. */
const SECONDS = 1e10;
const DOUBLINGS_MAX = 20;
/** Severities below this are doublings of the typical held time. */
const CRITICAL = DOUBLINGS_MAX + 2;
/** Each is followed by as many severities as there are doublings of waiters. */
const BLOCKING = CRITICAL + 1;
const BLOCKING_CRITICAL = BLOCKING + DOUBLINGS_MAX + 1;
/** A lock held for less is ordinary contention: its row does not jump to the top of the list. */
const BLOCKING_MS_MIN = 10_000;

/**
 * Ranks a lock for the sort `attention`: locks that block others and are overdue or without TTL, then other locks that
 * block others (the more waiters the sooner, by doublings), then locks that are overdue or without TTL, then locks held
 * past their typical time (by doublings), then the rest. Of locks of equal severity the longest held comes first.
 *
 * A lock blocks others if clients wait for it and it has been held for ten seconds or longer.
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

/** Since when it blocks others, or will if they go on waiting; NEVER: no client is known to wait. */
function computeBlockingAt(hold: ObservedHold): number {
  return countWaiters(hold) > 0 ? getHeldSince(hold) + BLOCKING_MS_MIN : NEVER;
}

function countWaiters({ seen }: ObservedHold): number {
  return seen.waiters?.count ?? 0;
}

/** 0: within the typical; 1: past it once; 2: held for twice as long or more; 3: for four times … */
function countDoublings(hold: ObservedHold, nowMs: number, typicalMs: number): number {
  const times = (nowMs - getHeldSince(hold)) / Math.max(1, typicalMs);
  return times <= 1 ? 0 : Math.min(DOUBLINGS_MAX, 1 + Math.floor(Math.log2(times)));
}

/** When time alone changes a hold's rank. */
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
