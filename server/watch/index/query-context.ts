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

/** The dependencies of the index: the Redis clock, typical hold times, listing rules and stored holds. */
export interface LockIndexDeps {
  /** Returns the current time on the Redis clock. */
  now(): number;
  readonly getTypicalHeldMs: GetTypicalHeldMs;
  /**
   * Returns whether a lock with this key is listed even if it is only a possible lock. If omitted, all locks are
   * listed.
   */
  readonly isAlwaysListed?: (key: Key) => boolean;
  /** Returns a hold's state as stored before this process started, or `undefined` if no state was stored. */
  restoreHold?(
    observation: HeldObservation,
    getEpoch: (holder: SeenHolder) => number,
  ): ObservedHold | undefined;
}
