import type { Key } from "../../../lib/keys/key.ts";
import type { ComparingTerm, FilterTerm } from "../../../lib/query/filter.ts";
import type { HeldBy, Hold } from "./observed-hold.ts";

/** For how long nineteen of twenty locks of a key's pattern were held, in ms; undefined: too few have ended yet. */
export type UsualHeld = (key: Key) => number | undefined;

export const NOTHING_USUAL: UsualHeld = () => undefined;

/**
 * What is said of a hold at a moment of Redis's clock. `usualMs`: for how long locks of its pattern are usually held,
 * asked once and told to all who want to know; `NEVER`: nobody can tell.
 */
type At<Answer> = (hold: Hold, nowMs: number, usualMs: number) => Answer;

/** A moment that does not come. */
export const NEVER = Number.POSITIVE_INFINITY;

/** Held for so many times the usual, a lock wants a look: one in twenty goes past it once. */
const PAST_USUAL = 2;

/** Whether a lock wants a look: nobody renews it any more, it never ends, or it is held for far longer than usual. */
export function isAbnormal(hold: Hold, nowMs: number, usualMs: number): boolean {
  return hold.seen.state === "held" && (isGrave(hold) || nowMs > pastUsualAt(hold, usualMs));
}

function isGrave({ judgement: { state } }: Hold): boolean {
  return state === "late" || state === "no-expiry";
}

/** Since when it is held; of several holders, the first. */
export function heldSince({ holders }: Hold): number {
  const [first] = holders;
  if (holders.length === 1) return beginOf(first);
  return holders.reduce((since, holder) => Math.min(since, beginOf(holder)), NEVER);
}

function beginOf({ seen, firstSeenMs }: HeldBy): number {
  return seen.sinceMs ?? firstSeenMs;
}

function pastUsualAt(hold: Hold, usualMs: number, times = PAST_USUAL): number {
  return heldSince(hold) + times * usualMs;
}

/** A term of a filter whose answer time alone turns. */
export interface TimedTerm {
  readonly matches: At<boolean>;
  /** When time alone may turn the answer, at the earliest. */
  readonly turnsAt: At<number>;
  readonly isOfUsual: boolean;
}

/** @returns undefined: time does not matter to it */
export function timedTermOf(term: FilterTerm): TimedTerm | undefined {
  if ("state" in term) return { matches: isAbnormal, turnsAt: becomesAbnormalAt, isOfUsual: true };
  if (!("ms" in term)) return undefined;
  // The longer it is held the less is left to it.
  const isAfter = (term.field === "held") === (term.comparing === ">");
  return {
    matches: (hold, nowMs, usualMs) => {
      const bound = boundOf(term, hold, usualMs);
      return isAfter ? nowMs > bound : nowMs < bound;
    },
    turnsAt: (hold, nowMs, usualMs) => turnAt(boundOf(term, hold, usualMs), nowMs),
    isOfUsual: term.ms === "usual",
  };
}

/** When the answer to a comparison turns: it is `<` until then, and `>` after. */
function boundOf(term: Extract<ComparingTerm, { ms: unknown }>, hold: Hold, usualMs: number): number {
  if (term.field === "remaining") return hold.endsAtMs === null ? NEVER : hold.endsAtMs - term.ms;
  return term.ms === "usual" ? pastUsualAt(hold, usualMs, 1) : heldSince(hold) + term.ms;
}

function becomesAbnormalAt(hold: Hold, nowMs: number, usualMs: number): number {
  if (hold.seen.state !== "held" || isGrave(hold)) return NEVER;
  return turnAt(pastUsualAt(hold, usualMs), nowMs);
}

/** At the bound itself neither is true; the next millisecond decides. */
function turnAt(bound: number, nowMs: number): number {
  return nowMs < bound ? bound : nowMs === bound ? bound + 1 : NEVER;
}

/** Among what is abnormal and what is not, whatever is held longest comes first: ten digits of seconds are enough. */
const SECONDS = 1e10;
const DOUBLINGS_MAX = 20;

/**
 * The order that an operator wants to read in: what never ends or nobody renews, then what is past its usual, the more
 * often the sooner (by doublings), then the rest; and what is held longest first among its like.
 */
export function rankOf(hold: Hold, nowMs: number, usualMs: number): number {
  const age = SECONDS - Math.min(SECONDS - 1, Math.floor(heldSince(hold) / 1000));
  return gravityOf(hold, nowMs, usualMs) * SECONDS + age;
}

function gravityOf(hold: Hold, nowMs: number, usualMs: number): number {
  if (hold.seen.state !== "held") return 0;
  return isGrave(hold) ? DOUBLINGS_MAX + 2 : doublingsOf(hold, nowMs, usualMs);
}

/** 0: within the usual; 1: past it once; 2: held for twice as long or more; 3: for four times … */
function doublingsOf(hold: Hold, nowMs: number, usualMs: number): number {
  const times = (nowMs - heldSince(hold)) / Math.max(1, usualMs);
  return times <= 1 ? 0 : Math.min(DOUBLINGS_MAX, 1 + Math.floor(Math.log2(times)));
}

/** When time alone changes a hold's rank. */
export function rankTurnsAt(hold: Hold, nowMs: number, usualMs: number): number {
  if (hold.seen.state !== "held" || isGrave(hold)) return NEVER;
  const doublings = doublingsOf(hold, nowMs, usualMs);
  if (doublings === DOUBLINGS_MAX) return NEVER;
  return Math.max(nowMs + 1, heldSince(hold) + Math.max(1, usualMs) * 2 ** doublings);
}
