import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import { formatKey } from "../../../lib/keys/key.ts";
import { computeRank, computeRankChangeAt, getHeldSince } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import type { SortValue } from "./sorted-keys.ts";

/**
 * Functions that compute the sort value of a hold. `nowMs` is a time on the Redis clock, and `typicalMs` is the typical
 * hold time of the key's pattern, or `NEVER` if unknown.
 */
export interface SortValues<Value extends SortValue = SortValue> {
  readonly computeSortValue: (hold: ObservedHold, nowMs: number, typicalMs: number) => Value;
  /**
   * Returns the next time at which the sort value can change without a change to the hold, or `NEVER`. The function is
   * `undefined` if the sort value depends neither on time nor on typical hold times.
   */
  readonly computeChangeAt: ((hold: ObservedHold, nowMs: number, typicalMs: number) => number) | undefined;
}

export function getSortValues(field: LockSortField): SortValues {
  if (field === "attention") return { computeSortValue: computeRank, computeChangeAt: computeRankChangeAt };
  return { computeSortValue: SORT_VALUES[field], computeChangeAt: undefined };
}

const SORT_VALUES: Record<Exclude<LockSortField, "attention">, (hold: ObservedHold) => SortValue> = {
  key: ({ key }) => key,
  owner: ({ seen }) => seen.holders[0].record?.service ?? formatKey(seen.holders[0].owner),
  count: ({ seen }) => seen.holders.reduce((sum, { count }) => sum + count, 0),
  remaining: ({ endsAtMs }) => endsAtMs ?? Number.MAX_SAFE_INTEGER,
  waiters: ({ seen }) => seen.waiters?.count ?? -1,
  // Negated, because an earlier start means a longer hold time.
  held: (hold) => -getHeldSince(hold),
  fence: ({ seen }) => Number(seen.holders[0].fence ?? -1),
  format: ({ seen }) => seen.format,
};
