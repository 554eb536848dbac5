import type { Key } from "../../lib/contract/key.ts";
import { Deadlines } from "./deadlines.ts";
import type { Hold } from "./hold.ts";
import type { Matches } from "./matching.ts";
import type { SortValueOf } from "./sort-values.ts";
import type { SortedKeys, SortValue } from "./sorted-keys.ts";

/**
 * An answer that time changes: it knows where each key stands in the sorted list, and when what it says of a hold may
 * turn by itself. What turns costs as much as a change; what does not costs nothing.
 */
export class Timed {
  readonly #values = new Map<Key, SortValue>();
  readonly #turns = new Deadlines<Key>();

  constructor(
    private readonly matches: Matches,
    private readonly sortValueOf: SortValueOf,
    private readonly turnsAt: (hold: Hold, nowMs: number) => number,
  ) {}

  get size(): number {
    return this.#turns.size;
  }

  /** Notes a hold of which a list is about to be made. @returns whether it belongs there */
  add(hold: Hold, now: number): boolean {
    this.#watch(hold, now);
    const isIn = this.matches(hold, now);
    if (isIn) this.#values.set(hold.key, this.sortValueOf(hold, now));
    return isIn;
  }

  /** Puts a key where it belongs now. */
  place(sorted: SortedKeys, key: Key, hold: Hold | undefined, now: number): void {
    const then = this.#values.get(key);
    const value = hold !== undefined && this.matches(hold, now) ? this.sortValueOf(hold, now) : undefined;
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    if (hold === undefined) this.#turns.delete(key);
    else this.#watch(hold, now);
    move(sorted, key, then, value);
  }

  /** Takes in that time has passed. */
  pass(sorted: SortedKeys, holds: ReadonlyMap<Key, Hold>, now: number): void {
    for (const key of this.#turns.due(now)) this.place(sorted, key, holds.get(key), now);
  }

  #watch(hold: Hold, now: number): void {
    const at = this.turnsAt(hold, now);
    if (at === Number.POSITIVE_INFINITY) this.#turns.delete(hold.key);
    else this.#turns.set(hold.key, at);
  }
}

export function move(
  sorted: SortedKeys,
  key: Key,
  then: SortValue | undefined,
  value: SortValue | undefined,
): void {
  if (then === value) return;
  if (then !== undefined) sorted.delete(then, key);
  if (value !== undefined) sorted.insert(value, key);
}
