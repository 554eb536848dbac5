import type { LockSortField } from "../../../lib/contract/lock-sort.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import type { GetTypicalHeldMs } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import type { SortDirection } from "./sorted-keys.ts";

export interface SortOrder {
  readonly field: LockSortField;
  readonly direction: SortDirection;
}

export const BY_KEY: SortOrder = { field: "key", direction: 1 };

export function parseSortOrder(sort: string): SortOrder {
  const field = (sort.startsWith("-") ? sort.slice(1) : sort) as LockSortField;
  return { field, direction: sort.startsWith("-") ? -1 : 1 };
}

/** What the index gets from other modules: times, rules and stored holds. */
export interface LockIndexDeps {
  /** Returns the current time on the Redis clock. */
  now(): number;
  readonly getTypicalHeldMs: GetTypicalHeldMs;
  /** Whether a lock with this key is always listed, even if it is only a possible lock; true by default. */
  readonly isAlwaysListed?: (key: Key) => boolean;
  /** Returns the stored state of a hold from before this process started. */
  restoreHold?(
    observation: HeldObservation,
    getEpoch: (holder: SeenHolder) => number,
  ): ObservedHold | undefined;
}
