import { textOfKey } from "../../lib/contract/key.ts";
import type { LockSortField } from "../../lib/contract/list.ts";
import { heldSince, rankOf, rankTurnsAt, type UsualHeld } from "./abnormal.ts";
import type { Hold } from "./hold.ts";
import type { SortValue } from "./sorted-keys.ts";

/** What a hold is sorted by, at a moment of Redis's clock. */
export type SortValueOf = (hold: Hold, nowMs: number) => SortValue;

interface Values {
  readonly sortValueOf: SortValueOf;
  /** When time alone may change it; undefined: time never does. */
  readonly turnsAt: ((hold: Hold, nowMs: number) => number) | undefined;
}

export function sortValuesOf(field: LockSortField, usual: UsualHeld): Values {
  if (field !== "abnormality") return { sortValueOf: VALUE_OF[field], turnsAt: undefined };
  return {
    sortValueOf: (hold, nowMs) => rankOf(hold, nowMs, usual),
    turnsAt: (hold, nowMs) => rankTurnsAt(hold, nowMs, usual),
  };
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
