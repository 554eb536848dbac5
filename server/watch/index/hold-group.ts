import type { VerdictState } from "../../../lib/contract/liveness.ts";
import type { Waiters } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { type Place, SortedKeys } from "./sorted-keys.ts";

const NOTHING: Place = [0, ""];

/** A lock as it is counted: that it is abnormal, time may turn as well. */
export interface Counted {
  readonly hold: Hold;
  readonly isAbnormal: boolean;
}

/** How a lock counts in a group: since when, and of a namespace whether the key has another one in it. */
export type Part = readonly [name: Key, since: number, isDeeper?: boolean];

/** The locks that one owner has, or one service, or one host: what is counted of them. */
export class Group {
  holds = 0;
  /** Of a namespace: how many of its keys have another one in it. */
  deeper = 0;
  abnormal = 0;
  readonly verdicts: Partial<Record<VerdictState, number>> = {};
  #waiting = 0;
  #estimated = 0;
  #unknowable = 0;
  /** Most have one lock, and a hundred thousand lists would take their room. */
  #only: Place | undefined;
  #byAge: SortedKeys | undefined;

  get isEmpty(): boolean {
    return this.holds === 0;
  }

  get waiters(): Waiters {
    const known = this.#unknowable > 0 ? "unknowable" : this.#estimated > 0 ? "estimated" : "exact";
    return { count: this.#waiting, known };
  }

  /** The lock that it has had for longest, and since when. */
  get oldest(): Place {
    return this.#byAge?.first ?? this.#only ?? NOTHING;
  }

  add({ hold, isAbnormal }: Counted, [, since, isDeeper = false]: Part): void {
    if (isDeeper) this.deeper++;
    if (this.#byAge === undefined && this.#only !== undefined) {
      this.#byAge = new SortedKeys(1);
      this.#byAge.insert(...this.#only);
      this.#only = undefined;
    }
    if (this.#byAge === undefined) this.#only = [since, hold.key];
    else this.#byAge.insert(since, hold.key);
    this.#count(hold, isAbnormal, 1);
  }

  delete({ hold, isAbnormal }: Counted, [, since, isDeeper = false]: Part): void {
    if (isDeeper) this.deeper--;
    if (this.#byAge === undefined) this.#only = undefined;
    else this.#byAge.delete(since, hold.key);
    this.#count(hold, isAbnormal, -1);
  }

  #count({ seen, judgement: { state } }: Hold, isAbnormal: boolean, by: 1 | -1): void {
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
