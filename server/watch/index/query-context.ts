import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import type { GetTypicalHeldMs } from "../holds/attention.ts";
import type { SortDirection } from "./sorted-keys.ts";

export interface SortOrder {
  readonly field: LockSortField;
  readonly direction: SortDirection;
}

export function parseSortOrder(sort: string): SortOrder {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

/** What the index does not know by itself. */
export interface LockIndexDeps {
  /** Redis's clock. */
  now(): number;
  readonly getTypicalHeldMs: GetTypicalHeldMs;
}
