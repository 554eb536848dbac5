import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import { textOfKey } from "../../../lib/keys/key.ts";
import { heldSince, rankOf, rankTurnsAt } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import type { SortValue } from "./sorted-keys.ts";

/** What a hold is sorted by, at a moment of Redis's clock and by what is usual for its pattern. */
export interface SortValues<Value extends SortValue = SortValue> {
  readonly sortValueOf: (hold: Hold, nowMs: number, usualMs: number) => Value;
  /** When time alone may change it; undefined: neither time nor what is usual matters to it. */
  readonly turnsAt: ((hold: Hold, nowMs: number, usualMs: number) => number) | undefined;
}

export function sortValuesOf(field: LockSortField): SortValues {
  if (field === "abnormality") return { sortValueOf: rankOf, turnsAt: rankTurnsAt };
  return { sortValueOf: VALUE_OF[field], turnsAt: undefined };
}

const VALUE_OF: Record<Exclude<LockSortField, "abnormality">, (hold: Hold) => SortValue> = {
  key: ({ key }) => key,
  owner: ({ seen }) => seen.holders[0].record?.service ?? textOfKey(seen.holders[0].owner),
  count: ({ seen }) => seen.holders.reduce((sum, { count }) => sum + count, 0),
  remaining: ({ endsAtMs }) => endsAtMs ?? Number.MAX_SAFE_INTEGER,
  waiters: ({ seen }) => seen.waiters?.count ?? -1,
  // The longer it is held, the earlier it began.
  held: (hold) => -heldSince(hold),
  fence: ({ seen }) => Number(seen.holders[0].fence ?? -1),
  format: ({ seen }) => seen.format,
};
