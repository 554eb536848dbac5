import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Waiters } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { SortedKeys, type SortPosition } from "./sorted-keys.ts";

const NO_POSITION: SortPosition = [0, ""];

/** A hold as counted in a group. `needsAttention` is stored separately because it also changes as time passes. */
export interface CountedHold {
  readonly hold: ObservedHold;
  readonly needsAttention: boolean;
}

/**
 * Membership of a lock in a group: the name of the group, and the earliest start among the lock's holders in the group,
 * in Unix ms. `isDeeper` is true if the group is a namespace and the key also belongs to a namespace below that one.
 */
export type GroupMembership = readonly [name: Key, since: number, isDeeper?: boolean];

/** A group of locks with the same owner, service, host or namespace, and the counts of these locks. */
export class HoldGroup {
  holds = 0;
  /** Number of keys that also belong to a namespace below this one. 0 unless the group is a namespace. */
  childCount = 0;
  needsAttention = 0;
  readonly liveness: Partial<Record<LivenessState, number>> = {};
  #waiting = 0;
  #estimated = 0;
  #unknown = 0;
  /** Start and key of the group's only lock. Most groups have one lock and need no sorted list. */
  #onlyHold: SortPosition | undefined;
  #byAge: SortedKeys | undefined;

  get isEmpty(): boolean {
    return this.holds === 0;
  }

  get waiters(): Waiters {
    const known = this.#unknown > 0 ? "unknown" : this.#estimated > 0 ? "estimated" : "exact";
    return { count: this.#waiting, known };
  }

  /** The start of the oldest hold, and the key of its lock. */
  get oldest(): SortPosition {
    return this.#byAge?.first ?? this.#onlyHold ?? NO_POSITION;
  }

  add({ hold, needsAttention }: CountedHold, [, since, isDeeper = false]: GroupMembership): void {
    if (isDeeper) this.childCount++;
    if (this.#byAge === undefined && this.#onlyHold !== undefined) {
      this.#byAge = new SortedKeys(1);
      this.#byAge.insert(...this.#onlyHold);
      this.#onlyHold = undefined;
    }
    if (this.#byAge === undefined) this.#onlyHold = [since, hold.key];
    else this.#byAge.insert(since, hold.key);
    this.#countHold(hold, needsAttention, 1);
  }

  delete({ hold, needsAttention }: CountedHold, [, since, isDeeper = false]: GroupMembership): void {
    if (isDeeper) this.childCount--;
    if (this.#byAge === undefined) this.#onlyHold = undefined;
    else this.#byAge.delete(since, hold.key);
    this.#countHold(hold, needsAttention, -1);
  }

  #countHold({ seen, liveness: { state } }: ObservedHold, needsAttention: boolean, by: 1 | -1): void {
    this.holds += by;
    if (needsAttention) this.needsAttention += by;
    this.liveness[state] = (this.liveness[state] ?? 0) + by;
    if (this.liveness[state] === 0) delete this.liveness[state];
    const { count, known } = seen.waiters ?? { count: null, known: "unknown" };
    this.#waiting += by * (count ?? 0);
    if (known === "unknown") this.#unknown += by;
    if (known === "estimated") this.#estimated += by;
  }
}
