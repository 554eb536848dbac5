import { type FilterTerm, matchesGlob, parseFilter } from "../../lib/contract/filter.ts";
import { type Key, textOfKey } from "../../lib/contract/key.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { SeenHolder } from "../formats/observation.ts";
import { compared, isAbnormal, NOTHING_USUAL, turnOf, type UsualHeld } from "./abnormal.ts";
import type { Hold } from "./hold.ts";

/** Whether a hold is among those that a filter asks for, at a moment of Redis's clock. */
export type Matches = (hold: Hold, nowMs: number) => boolean;

/** A filter as it is asked of the picture. */
export interface Matching {
  readonly matches: Matches;
  /** When time alone may turn the answer for a hold, at the earliest; undefined: time never does. */
  readonly turnsAt: ((hold: Hold, nowMs: number) => number) | undefined;
}

/**
 * As `matchesFilter` of the contract, made for a hundred thousand holds in a row: nothing is put together for each of
 * them, and what has few values (format, kind, verdict) is compared once a value.
 */
export function matchingOf(filter: string, usual: UsualHeld = NOTHING_USUAL): Matching {
  const terms = parseFilter(filter);
  const turns = terms.flatMap((term) => turnOf(term, usual) ?? []);
  const turnsAt = (hold: Hold, nowMs: number) => Math.min(...turns.map((turn) => turn(hold, nowMs)));
  return {
    matches: all(terms.map((term) => termOf(term, usual))),
    turnsAt: turns.length > 0 ? turnsAt : undefined,
  };
}

function all(each: readonly Matches[]): Matches {
  const [first, second] = each;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (hold, nowMs) => each.every((matches) => matches(hold, nowMs));
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

function termOf(term: FilterTerm, usual: UsualHeld): Matches {
  if ("comparing" in term) return compared(term, usual);
  if ("state" in term) return (hold, nowMs) => isAbnormal(hold, nowMs, usual);
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
