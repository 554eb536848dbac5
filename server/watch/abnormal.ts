import type { ComparingTerm, FilterTerm } from "../../lib/contract/filter.ts";
import type { Key } from "../../lib/contract/key.ts";
import { type Hold, sinceOf } from "./hold.ts";
import type { Matches } from "./matching.ts";

/** For how long nineteen of twenty locks of a key's pattern were held, in ms; undefined: too few have ended yet. */
export type UsualHeld = (key: Key) => number | undefined;

export const NOTHING_USUAL: UsualHeld = () => undefined;

/** Held for so many times the usual, a lock wants a look: one in twenty goes past it once. */
const PAST_USUAL = 2;
/** What is usual changes as locks are released: how often it is asked again what it means for a hold. */
const USUAL_ANEW_MS = 30_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Whether a lock wants a look: nobody renews it any more, it never ends, or it is held for far longer than usual. */
export function isAbnormal(hold: Hold, nowMs: number, usual: UsualHeld): boolean {
  if (hold.seen.state !== "held") return false;
  const { state } = hold.judgement;
  return state === "late" || state === "no-expiry" || nowMs > pastUsualAt(hold, usual);
}

/** Since when it is held; of several holders, the first. */
export function heldSince({ holders }: Hold): number {
  return Math.min(...holders.map((holder) => sinceOf(holder).since));
}

function pastUsualAt(hold: Hold, usual: UsualHeld, times = PAST_USUAL): number {
  const usualMs = usual(hold.key);
  return usualMs === undefined ? NEVER : heldSince(hold) + times * usualMs;
}

/** When the answer to a comparison turns: it is `<` until then, and `>` after. */
function boundOf(term: Extract<ComparingTerm, { ms: unknown }>, hold: Hold, usual: UsualHeld): number {
  if (term.field === "remaining") return hold.endsAtMs === null ? NEVER : hold.endsAtMs - term.ms;
  return term.ms === "usual" ? pastUsualAt(hold, usual, 1) : heldSince(hold) + term.ms;
}

export function compared(term: ComparingTerm, usual: UsualHeld): Matches {
  const isMore = term.comparing === ">";
  if ("number" in term) return met(isMore, term.number, NUMBER_OF[term.field]);
  // The longer it is held the less is left to it.
  const isAfter = (term.field === "held") === isMore;
  return (hold, nowMs) => {
    const bound = boundOf(term, hold, usual);
    return isAfter ? nowMs > bound : nowMs < bound;
  };
}

function met(isMore: boolean, than: number, numberOf: (hold: Hold) => number): Matches {
  return isMore ? (hold) => numberOf(hold) > than : (hold) => numberOf(hold) < than;
}

const NUMBER_OF = {
  waiters: ({ seen }: Hold) => seen.waiters?.count ?? 0,
  count: ({ seen }: Hold) => seen.holders.reduce((sum, { count }) => sum + count, 0),
};

/** When time alone may turn what a term says of a hold; undefined: time does not matter to it. */
export function turnOf(
  term: FilterTerm,
  usual: UsualHeld,
): ((hold: Hold, nowMs: number) => number) | undefined {
  const isOfUsual = "state" in term || ("ms" in term && term.ms === "usual");
  if (!isOfUsual && !("ms" in term)) return undefined;
  return (hold, nowMs) => {
    const bound = "ms" in term ? boundOf(term, hold, usual) : pastUsualAt(hold, usual);
    // At the bound itself neither is true; the next millisecond decides.
    const turn = nowMs < bound ? bound : nowMs === bound ? bound + 1 : NEVER;
    return isOfUsual ? Math.min(turn, nowMs + USUAL_ANEW_MS) : turn;
  };
}

/** Among what is abnormal and what is not, whatever is held longest comes first: ten digits of seconds are enough. */
const SECONDS = 1e10;
const DOUBLINGS_MAX = 20;

/**
 * The order that an operator wants to read in: what never ends or nobody renews, then what is past its usual, the more
 * often the sooner (by doublings), then the rest; and what is held longest first among its like.
 */
export function rankOf(hold: Hold, nowMs: number, usual: UsualHeld): number {
  const age = SECONDS - Math.min(SECONDS - 1, Math.floor(heldSince(hold) / 1000));
  return gravityOf(hold, nowMs, usual) * SECONDS + age;
}

function gravityOf(hold: Hold, nowMs: number, usual: UsualHeld): number {
  if (hold.seen.state !== "held") return 0;
  const { state } = hold.judgement;
  if (state === "late" || state === "no-expiry") return DOUBLINGS_MAX + 2;
  return doublingsOf(hold, nowMs, usual);
}

/** 0: within the usual; 1: past it once; 2: held for twice as long or more; 3: for four times … */
function doublingsOf(hold: Hold, nowMs: number, usual: UsualHeld): number {
  const usualMs = usual(hold.key);
  if (usualMs === undefined) return 0;
  const times = (nowMs - heldSince(hold)) / Math.max(1, usualMs);
  return times <= 1 ? 0 : Math.min(DOUBLINGS_MAX, 1 + Math.floor(Math.log2(times)));
}

/** When a hold's rank changes by time alone, at the earliest. */
export function rankTurnsAt(hold: Hold, nowMs: number, usual: UsualHeld): number {
  const usualMs = usual(hold.key);
  if (hold.seen.state !== "held" || usualMs === undefined) return nowMs + USUAL_ANEW_MS;
  const doublings = doublingsOf(hold, nowMs, usual);
  const next = heldSince(hold) + Math.max(1, usualMs) * 2 ** doublings;
  return Math.min(nowMs + USUAL_ANEW_MS, Math.max(nowMs + 1, next));
}
