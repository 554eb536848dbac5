import type { Key } from "../../../lib/keys/key.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import { NEVER } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { compileFilter } from "./filter-compiler.ts";
import type { LockIndexDeps, SortOrder } from "./query-context.ts";
import { getSortValues } from "./sort-values.ts";
import type { SortedKeys, SortValue } from "./sorted-keys.ts";
import { TimeDependentIndex, type TimeDependentQuery } from "./time-dependent-index.ts";

export interface QueryDefinition {
  readonly filter: string;
  readonly order: SortOrder;
  /** Limits the result to keys that match these patterns; all keys if `undefined`. */
  readonly allowedKeys: KeyPatternSet | undefined;
}

/** A query result that includes all recorded changes with sequence numbers less than `appliedUpTo`. */
export interface CachedQuery {
  /** Returns the sort value of a hold, or `undefined` if the hold does not match. */
  readonly computeSortValue: (hold: ObservedHold) => SortValue | undefined;
  readonly sorted: SortedKeys;
  /** Set if the result changes as time passes. */
  readonly timeIndex: TimeDependentIndex | undefined;
  /** Sequence number of the first change that the result does not include. */
  appliedUpTo: number;
}

/** Builds the result of a query, one hold at a time. */
export class QueryBuilder {
  readonly #query: TimeDependentQuery;
  #now = 0;
  #timeIndex: TimeDependentIndex | undefined;

  constructor(
    { filter, order: { field }, allowedKeys }: QueryDefinition,
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly deps: LockIndexDeps,
  ) {
    const { fits: matches, timeDependentTerm: term } = compileFilter(filter);
    const fits =
      allowedKeys === undefined
        ? matches
        : (hold: ObservedHold) => allowedKeys.has(hold.key) && matches(hold);
    this.#query = { fits, term, order: getSortValues(field) };
  }

  /** Starts the evaluation and records its time. Call before the first `computeValue`. */
  begin(): void {
    this.#now = this.deps.now();
    const { term, order } = this.#query;
    if (term === undefined && order.computeChangeAt === undefined) return;
    this.#timeIndex = new TimeDependentIndex(this.#query, this.holds, this.deps.getTypicalHeldMs, this.#now);
  }

  /** @returns the sort value of the hold, or `undefined` if the hold does not match */
  computeValue(hold: ObservedHold): SortValue | undefined {
    return this.#timeIndex === undefined
      ? this.#computeSortValue(hold)
      : this.#timeIndex.add(hold, this.#now);
  }

  build(sorted: SortedKeys, appliedUpTo: number): CachedQuery {
    return {
      computeSortValue: (hold) => this.#computeSortValue(hold),
      sorted,
      timeIndex: this.#timeIndex,
      appliedUpTo,
    };
  }

  #computeSortValue(hold: ObservedHold): SortValue | undefined {
    const { fits, order } = this.#query;
    return fits(hold) ? order.computeSortValue(hold, this.#now, NEVER) : undefined;
  }
}
