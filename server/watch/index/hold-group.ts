import type { LivenessState } from "../../../lib/contract/liveness.ts";
import type { Waiters } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { SortedKeys, type SortPosition } from "./sorted-keys.ts";

const NO_POSITION: SortPosition = [0, ""];

/** A lock as it is counted: that it is abnormal, time may turn as well. */
export interface CountedHold {
  readonly hold: ObservedHold;
  readonly isAbnormal: boolean;
}

/** How a lock counts in a group: since when, and of a namespace whether the key has another one in it. */
export type GroupMembership = readonly [name: Key, since: number, isDeeper?: boolean];

/** The locks that one owner has, or one service, or one host: what is counted of them. */
export class HoldGroup {
  holds = 0;
  /** Of a namespace: how many of its keys have another one in it. */
  childCount = 0;
  abnormal = 0;
  readonly verdicts: Partial<Record<LivenessState, number>> = {};
  #waiting = 0;
  #estimated = 0;
  #unknowable = 0;
  /** Most have one lock, and a hundred thousand lists would take their room. */
  #onlyHold: SortPosition | undefined;
  #byAge: SortedKeys | undefined;

  get isEmpty(): boolean {
    return this.holds === 0;
  }

  get waiters(): Waiters {
    const known = this.#unknowable > 0 ? "unknowable" : this.#estimated > 0 ? "estimated" : "exact";
    return { count: this.#waiting, known };
  }

  /** The lock that it has had for longest, and since when. */
  get oldest(): SortPosition {
    return this.#byAge?.first ?? this.#onlyHold ?? NO_POSITION;
  }

  add({ hold, isAbnormal }: CountedHold, [, since, isDeeper = false]: GroupMembership): void {
    if (isDeeper) this.childCount++;
    if (this.#byAge === undefined && this.#onlyHold !== undefined) {
      this.#byAge = new SortedKeys(1);
      this.#byAge.insert(...this.#onlyHold);
      this.#onlyHold = undefined;
    }
    if (this.#byAge === undefined) this.#onlyHold = [since, hold.key];
    else this.#byAge.insert(since, hold.key);
    this.#countHold(hold, isAbnormal, 1);
  }

  delete({ hold, isAbnormal }: CountedHold, [, since, isDeeper = false]: GroupMembership): void {
    if (isDeeper) this.childCount--;
    if (this.#byAge === undefined) this.#onlyHold = undefined;
    else this.#byAge.delete(since, hold.key);
    this.#countHold(hold, isAbnormal, -1);
  }

  #countHold({ seen, liveness: { state } }: ObservedHold, isAbnormal: boolean, by: 1 | -1): void {
    this.holds += by;
    if (isAbnormal) this.abnormal += by;
    this.verdicts[state] = (this.verdicts[state] ?? 0) + by;
    if (this.verdicts[state] === 0) delete this.verdicts[state];
    const { count, known } = seen.waiters ?? { count: null, known: "unknowable" };
    this.#waiting += by * (count ?? 0);
    if (known === "unknowable") this.#unknowable += by;
    if (known === "estimated") this.#estimated += by;
  }
}
