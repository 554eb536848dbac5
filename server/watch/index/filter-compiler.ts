import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import { formatKey, type Key } from "../../../lib/keys/key.ts";
import {
  type ComparisonTerm,
  type FilterTerm,
  parseFilter,
  selectsUnlisted,
} from "../../../lib/query/filter.ts";
import { matchesGlob } from "../../../lib/query/glob.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import { compileTimeDependentTerm, type TimeDependentTerm } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/** A predicate that returns whether a hold matches a filter or a filter term. */
export type HoldPredicate = (hold: ObservedHold) => boolean;

/** A compiled filter. A hold matches the filter if it matches `fits` and, if present, `timeDependentTerm`. */
export interface CompiledFilter {
  /** Matches holds that match every term that does not depend on time. */
  readonly fits: HoldPredicate;
  /** All time-dependent terms combined, or `undefined` if there are none. */
  readonly timeDependentTerm: TimeDependentTerm | undefined;
}

/**
 * Compiles a filter to predicates with the semantics of `matchesFilter`. The predicates are fast enough for 100,000
 * holds: they cache the comparison results for fields with few distinct values (format, kind, confidence, liveness).
 */
export function compileFilter(filter: string): CompiledFilter {
  const terms = parseFilter(filter);
  const { fits, timeDependentTerm } = compileFilterTerms(terms);
  return { fits: combinePredicates([...compileScope(terms), fits]), timeDependentTerm };
}

/**
 * Returns the predicates that apply to every filter: the predicate that excludes unlisted locks, unless the terms
 * select unlisted locks (see `selectsUnlisted`).
 */
export function compileScope(terms: readonly FilterTerm[]): readonly HoldPredicate[] {
  return selectsUnlisted(terms) ? [] : [isListedHold];
}

const isListedHold: HoldPredicate = ({ isListed }) => isListed;

export function compileFilterTerms(terms: readonly FilterTerm[]): CompiledFilter {
  const timed = terms.flatMap((term) => compileTimeDependentTerm(term) ?? []);
  const fits = terms.filter((term) => compileTimeDependentTerm(term) === undefined).map(compileTerm);
  return { fits: combinePredicates(fits), timeDependentTerm: combineTimeDependentTerms(timed) };
}

export function combinePredicates(each: readonly HoldPredicate[]): HoldPredicate {
  const [first, second] = each;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (hold) => each.every((matches) => matches(hold));
}

function combineTimeDependentTerms(each: readonly TimeDependentTerm[]): TimeDependentTerm | undefined {
  const [first, second] = each;
  if (second === undefined) return first;
  return {
    matches: (hold, nowMs, typicalMs) => each.every((term) => term.matches(hold, nowMs, typicalMs)),
    computeChangeAt: (hold, nowMs, typicalMs) =>
      Math.min(...each.map((term) => term.computeChangeAt(hold, nowMs, typicalMs))),
    usesTypical: each.some(({ usesTypical }) => usesTypical),
  };
}

/** A predicate that returns whether a holder matches a filter or a filter term. */
export type HolderPredicate = (holder: SeenHolder) => boolean;

/** Compiles the filter terms on owner, service, host and session to a predicate on holders. Ignores all other terms. */
export function compileHolderFilter(terms: readonly FilterTerm[]): HolderPredicate {
  const each = terms.map(compileHolderTerm);
  return (holder) => each.every((matches) => matches(holder));
}

function compileHolderTerm(term: FilterTerm): HolderPredicate {
  if ("comparing" in term || "state" in term) return () => true;
  const matches = "exact" in term ? (text: Key) => text === term.exact : compileGlob(term);
  if (term.field === "owner")
    return ({ owner, ownersPerMaster = [] }) => matches(owner) || ownersPerMaster.some(matches);
  if (term.field !== "service" && term.field !== "host" && term.field !== "session") return () => true;
  const { field } = term;
  return ({ record }) => isMatch(record?.[field], matches);
}

function compileGlob(term: Extract<FilterTerm, { glob: string } | { text: string }>): (text: Key) => boolean {
  return term.field === "any" ? () => true : (text) => matchesGlob(term.glob, toLowerText(text));
}

function compileTerm(term: FilterTerm): HoldPredicate {
  if ("number" in term) return compileComparison(term);
  if ("state" in term && term.state !== "needs_attention") {
    const isWanted = term.state === "listed";
    return ({ isListed }) => isListed === isWanted;
  }
  // `compileTimeDependentTerm` compiles the time-dependent terms.
  if ("ms" in term || "state" in term) return () => true;
  if (
    term.field === "owner" ||
    term.field === "service" ||
    term.field === "host" ||
    term.field === "session"
  ) {
    const matches = compileHolderTerm(term);
    return ({ seen }) => seen.holders.some(matches);
  }
  if ("exact" in term) return compileExactTerm(term.field, term.exact);
  if (term.field === "any") return compileTextSearch(term.text);
  const { field, glob } = term;
  if (field === "key") return ({ key }) => matchesGlob(glob, toLowerText(key));
  const known = new Map<string, boolean>();
  const matches = (value: string) => {
    const answer = known.get(value) ?? matchesGlob(glob, value.toLowerCase());
    known.set(value, answer);
    return answer;
  };
  if (field === "kind") return ({ seen }) => matches(seen.kind);
  if (field === "confidence") return ({ seen }) => matches(seen.confidence);
  if (field === "liveness") return ({ liveness }) => matches(liveness.state);
  return ({ seen }) => matches(seen.format) || seen.candidates.some(matches);
}

function compileComparison({
  field,
  comparing,
  number,
}: Extract<ComparisonTerm, { number: number }>): HoldPredicate {
  const getNumber = NUMBER_FIELDS[field];
  return comparing === ">" ? (hold) => getNumber(hold) > number : (hold) => getNumber(hold) < number;
}

const NUMBER_FIELDS = {
  waiters: ({ seen }: ObservedHold) => seen.waiters?.count ?? 0,
  count: ({ seen }: ObservedHold) => seen.holders.reduce((sum, { count }) => sum + count, 0),
};

function isMatch(text: string | undefined, matches: (text: string) => boolean): boolean {
  return text !== undefined && matches(text);
}

function compileExactTerm(
  field: "key" | "kind" | "confidence" | "liveness" | "format",
  text: string,
): HoldPredicate {
  if (field === "key") return ({ key }) => key === text;
  if (field === "kind") return ({ seen }) => seen.kind === text;
  if (field === "confidence") return ({ seen }) => seen.confidence === text;
  if (field === "liveness") return ({ liveness }) => liveness.state === text;
  return ({ seen }) => seen.format === text || seen.candidates.some((each) => each === text);
}

function compileTextSearch(text: string): HoldPredicate {
  return ({ key, seen }) =>
    toLowerText(key).includes(text) ||
    seen.holders.some(
      ({ owner, ownersPerMaster = [], record }) =>
        [owner, ...ownersPerMaster].some((each) => toLowerText(each).includes(text)) || hasText(record, text),
    );
}

function hasText(record: OwnerRecord | undefined, text: string): boolean {
  if (record === undefined) return false;
  return Object.values(record).some((each) => String(each).toLowerCase().includes(text));
}

function toLowerText(key: Key): string {
  return formatKey(key).toLowerCase();
}
