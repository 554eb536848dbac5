import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import { type Key, textOfKey } from "../../../lib/keys/key.ts";
import { type ComparingTerm, type FilterTerm, parseFilter } from "../../../lib/query/filter.ts";
import { matchesGlob } from "../../../lib/query/glob.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import { type TimedTerm, timedTermOf } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";

/** Whether a hold is among those that a filter asks for. */
export type Matches = (hold: Hold) => boolean;

/** A filter as it is asked of the picture: both must match. */
export interface Matching {
  /** What time does not touch. */
  readonly fits: Matches;
  /** What it turns, all of it as one; undefined: nothing. */
  readonly timed: TimedTerm | undefined;
}

/**
 * As `matchesFilter` of the contract, made for a hundred thousand holds in a row: nothing is put together for each of
 * them, and what has few values (format, kind, verdict) is compared once a value.
 */
export function matchingOf(filter: string): Matching {
  return matchingOfTerms(parseFilter(filter));
}

export function matchingOfTerms(terms: readonly FilterTerm[]): Matching {
  const timed = terms.flatMap((term) => timedTermOf(term) ?? []);
  const fits = terms.filter((term) => timedTermOf(term) === undefined).map(termOf);
  return { fits: all(fits), timed: allTimed(timed) };
}

function all(each: readonly Matches[]): Matches {
  const [first, second] = each;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (hold) => each.every((matches) => matches(hold));
}

function allTimed(each: readonly TimedTerm[]): TimedTerm | undefined {
  const [first, second] = each;
  if (second === undefined) return first;
  return {
    matches: (hold, nowMs, usualMs) => each.every((term) => term.matches(hold, nowMs, usualMs)),
    turnsAt: (hold, nowMs, usualMs) => Math.min(...each.map((term) => term.turnsAt(hold, nowMs, usualMs))),
    isOfUsual: each.some(({ isOfUsual }) => isOfUsual),
  };
}

/** Whether a holder is one of those that a filter names. */
export type HolderMatches = (holder: SeenHolder) => boolean;

/** @param terms of owner, service and host; others say nothing of a holder */
export function holderMatchingOf(terms: readonly FilterTerm[]): HolderMatches {
  const each = terms.map(holderTermOf);
  return (holder) => each.every((matches) => matches(holder));
}

function holderTermOf(term: FilterTerm): HolderMatches {
  if ("comparing" in term || "state" in term) return () => true;
  const isMetBy = "exact" in term ? (text: Key) => text === term.exact : globOf(term);
  if (term.field === "owner") return ({ owner }) => isMetBy(owner);
  if (term.field !== "service" && term.field !== "host") return () => true;
  const { field } = term;
  return ({ record }) => isMet(record?.[field], isMetBy);
}

function globOf(term: Extract<FilterTerm, { glob: string } | { text: string }>): (text: Key) => boolean {
  return term.field === "any" ? () => true : (text) => matchesGlob(term.glob, lowered(text));
}

function termOf(term: FilterTerm): Matches {
  if ("number" in term) return compared(term);
  // What time turns is asked elsewhere.
  if ("ms" in term || "state" in term) return () => true;
  if (term.field === "owner" || term.field === "service" || term.field === "host") {
    const matches = holderTermOf(term);
    return ({ seen }) => seen.holders.some(matches);
  }
  if ("exact" in term) return exactly(term.field, term.exact);
  if (term.field === "any") return anywhere(term.text);
  const { field, glob } = term;
  if (field === "key") return ({ key }) => matchesGlob(glob, lowered(key));
  const known = new Map<string, boolean>();
  const matches = (value: string) => {
    const answer = known.get(value) ?? matchesGlob(glob, value.toLowerCase());
    known.set(value, answer);
    return answer;
  };
  if (field === "kind") return ({ seen }) => matches(seen.kind);
  if (field === "verdict") return ({ judgement }) => matches(judgement.state);
  return ({ seen }) => matches(seen.format) || seen.candidates.some(matches);
}

function compared({ field, comparing, number }: Extract<ComparingTerm, { number: number }>): Matches {
  const numberOf = NUMBER_OF[field];
  return comparing === ">" ? (hold) => numberOf(hold) > number : (hold) => numberOf(hold) < number;
}

const NUMBER_OF = {
  waiters: ({ seen }: Hold) => seen.waiters?.count ?? 0,
  count: ({ seen }: Hold) => seen.holders.reduce((sum, { count }) => sum + count, 0),
};

function isMet(text: string | undefined, matches: (text: string) => boolean): boolean {
  return text !== undefined && matches(text);
}

function exactly(field: "key" | "kind" | "verdict" | "format", text: string): Matches {
  if (field === "key") return ({ key }) => key === text;
  if (field === "kind") return ({ seen }) => seen.kind === text;
  if (field === "verdict") return ({ judgement }) => judgement.state === text;
  return ({ seen }) => seen.format === text || seen.candidates.some((each) => each === text);
}

function anywhere(text: string): Matches {
  return ({ key, seen }) =>
    lowered(key).includes(text) ||
    seen.holders.some(({ owner, record }) => lowered(owner).includes(text) || isIn(record, text));
}

function isIn(record: OwnerRecord | undefined, text: string): boolean {
  if (record === undefined) return false;
  return Object.values(record).some((each) => String(each).toLowerCase().includes(text));
}

function lowered(key: Key): string {
  return textOfKey(key).toLowerCase();
}
