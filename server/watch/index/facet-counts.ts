import { FACET_FIELDS, FACET_VALUES_MAX, type FacetField } from "../../../lib/contract/facet.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { type FilterTerm, parseFilter } from "../../../lib/query/filter.ts";
import type { TaskOwner } from "../../concurrency/task-owner.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { NEVER } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import {
  combinePredicates,
  compileFilterTerms,
  compileScope,
  type HoldPredicate,
} from "./filter-compiler.ts";
import type { LockIndexDeps } from "./query-context.ts";

export interface FacetQuery {
  readonly filter: string;
  /** Limits the count to keys that match these patterns; all keys if `undefined`. */
  readonly allowedKeys?: KeyPatternSet | undefined;
  /** The caller that is charged for the CPU time of the count. */
  readonly owner?: TaskOwner | undefined;
}

export interface FacetValueCount {
  readonly value: Key;
  readonly locks: number;
}

/**
 * The number of locks per facet value. The counts for a facet ignore the filter terms on that facet, so alternatives to
 * a selected value stay visible.
 */
export class FacetCounts {
  /** Number of locks that match the whole filter. */
  total = 0;
  /** Start of the count, on the Redis clock. Time-dependent terms are evaluated as of this time. */
  readonly nowMs: number;
  /** Duration of the count in ms, including pauses for other work. */
  tookMs = 0;
  readonly #fieldPredicates: readonly (readonly [FacetField, HoldPredicate])[];
  readonly #otherPredicate: HoldPredicate;
  readonly #counts = new Map<FacetField, Map<Key, number>>(FACET_FIELDS.map((field) => [field, new Map()]));
  readonly #without = new Map<FacetField, number>();

  /** @param revision the revision of the index at the start of the count */
  constructor(
    { filter, allowedKeys }: FacetQuery,
    { now, getTypicalHeldMs }: LockIndexDeps,
    readonly revision: number,
  ) {
    const terms = parseFilter(filter);
    const nowMs = now();
    this.nowMs = nowMs;
    const matches = (these: readonly FilterTerm[]): HoldPredicate => {
      const { fits, timeDependentTerm } = compileFilterTerms(these);
      if (timeDependentTerm === undefined) return fits;
      const getTypicalMs = timeDependentTerm.usesTypical
        ? ({ key }: ObservedHold) => getTypicalHeldMs(key) ?? NEVER
        : () => NEVER;
      return (hold) => fits(hold) && timeDependentTerm.matches(hold, nowMs, getTypicalMs(hold));
    };
    const others = matches(terms.filter((term) => findFacetField(term) === undefined));
    const fits = combinePredicates([...compileScope(terms), others]);
    this.#otherPredicate =
      allowedKeys === undefined ? fits : (hold) => allowedKeys.has(hold.key) && fits(hold);
    this.#fieldPredicates = FACET_FIELDS.flatMap((field) => {
      const own = terms.filter((term) => findFacetField(term) === field);
      return own.length === 0 ? [] : [[field, matches(own)] as const];
    });
  }

  add(hold: ObservedHold): void {
    if (!this.#otherPredicate(hold)) return;
    let failing: FacetField | undefined;
    for (const [field, matches] of this.#fieldPredicates) {
      if (matches(hold)) continue;
      if (failing !== undefined) return;
      failing = field;
    }
    if (failing !== undefined) {
      this.#countHold(failing, hold);
      return;
    }
    this.total++;
    for (const field of FACET_FIELDS) this.#countHold(field, hold);
  }

  countWithout(field: FacetField): number {
    return this.#without.get(field) ?? 0;
  }

  /** Returns the number of distinct values of a field. */
  countValues(field: FacetField): number {
    return this.#counts.get(field)?.size ?? 0;
  }

  /**
   * Returns at most `FACET_VALUES_MAX` values of a field, sorted by descending number of locks and then by name. Avoids
   * a full sort, because a field can have very many values.
   */
  listTopValues(field: FacetField): FacetValueCount[] {
    const top: FacetValueCount[] = [];
    for (const [value, locks] of this.#counts.get(field) ?? []) {
      const one = { value, locks };
      const last = top[FACET_VALUES_MAX - 1];
      if (last !== undefined && !isBefore(one, last)) continue;
      const at = top.findIndex((other) => isBefore(one, other));
      top.splice(at < 0 ? top.length : at, 0, one);
      if (top.length > FACET_VALUES_MAX) top.pop();
    }
    return top;
  }

  #countHold(field: FacetField, hold: ObservedHold): void {
    const values = FACET_VALUES[field](hold);
    if (values.length === 0) this.#without.set(field, this.countWithout(field) + 1);
    const counts = this.#counts.get(field);
    for (const value of values) counts?.set(value, (counts.get(value) ?? 0) + 1);
  }
}

function isBefore(one: FacetValueCount, other: FacetValueCount): boolean {
  return one.locks === other.locks ? one.value < other.value : one.locks > other.locks;
}

/** Returns the facet that a filter term restricts, or `undefined` if the term is not on a facet. */
function findFacetField(term: FilterTerm): FacetField | undefined {
  return FACET_FIELDS.find((field) => field === term.field);
}

/** Functions that return the distinct values of a hold, by facet. Lists with one value are shared to save memory. */
const FACET_VALUES: Readonly<Record<FacetField, (hold: ObservedHold) => readonly Key[]>> = {
  format: ({ seen: { format, candidates } }) =>
    candidates.length === 0 ? toSingletonList(format) : [...new Set<Key>([format, ...candidates])],
  kind: ({ seen }) => toSingletonList(seen.kind),
  liveness: ({ liveness }) => toSingletonList(liveness.state),
  service: (hold) => listRecordValues(hold, "service"),
  host: (hold) => listRecordValues(hold, "host"),
  session: (hold) => listRecordValues(hold, "session"),
  waiters: ({ seen }) => (seen.waiters?.count ? WAITING : NONE),
};

const NONE: readonly never[] = [];
const WAITING = ["waiting"] as const;
const singletonLists = new Map<Key, readonly Key[]>();

/** Returns a cached list that contains only this value. Use only for fields with few distinct values. */
function toSingletonList(value: Key): readonly Key[] {
  const known = singletonLists.get(value);
  if (known !== undefined) return known;
  const created = [value];
  singletonLists.set(value, created);
  return created;
}

function listRecordValues(
  { seen: { holders } }: ObservedHold,
  field: "service" | "host" | "session",
): readonly Key[] {
  const [first, second] = holders;
  const only = first.record?.[field];
  if (second === undefined) return only === undefined ? NONE : [only];
  return [...new Set(holders.flatMap(({ record }) => record?.[field] ?? []))];
}
