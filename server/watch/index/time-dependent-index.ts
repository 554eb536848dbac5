import type { Key } from "../../../lib/keys/key.ts";
import { NEVER, type TimedTerm, type UsualHeld } from "../holds/abnormal.ts";
import type { Hold } from "../holds/observed-hold.ts";
import { Deadlines } from "../scan/deadlines.ts";
import type { Matches } from "./filter-compiler.ts";
import type { SortValues } from "./sort-values.ts";
import type { SortValue } from "./sorted-keys.ts";

/** What is usual changes as locks are released: within this time each hold is asked anew what that means for it. */
const USUAL_ANEW_MS = 30_000;
/** So many of them in one step at most, some 1.5 µs each; of more locks each comes its turn later. */
const ANEW_MAX = 4000;
/** What was not asked for so long knows too little of what is usual now. */
const USUAL_STALE_MS = 60_000;
/** Redis's clock as we know it trembles; this is a step. */
const CLOCK_BACK_MS = 1000;

export interface Asking<Value extends SortValue = SortValue> {
  /** What time does not touch. */
  readonly fits: Matches;
  readonly term: TimedTerm | undefined;
  readonly order: SortValues<Value>;
}

/** Where keys are placed by their values. */
export interface Places<Value extends SortValue> {
  insert(value: Value, key: Key): void;
  delete(value: Value, key: Key): void;
}

/**
 * An answer that time changes: it knows where each key stands in the sorted list, and when what it says of a hold may
 * turn by itself. What turns costs as much as a change; what does not costs nothing. What is usual is asked for each
 * hold in turn, a share of them with each step, so that no step bears them all.
 */
export class Timed<Value extends SortValue = SortValue> {
  readonly #values = new Map<Key, Value>();
  readonly #turns = new Deadlines<Key>();
  readonly #isOfUsual: boolean;
  #round: Iterator<Hold>;
  #upTo: number;

  constructor(
    private readonly asking: Asking<Value>,
    private readonly holds: ReadonlyMap<Key, Hold>,
    private readonly usual: UsualHeld,
    now: number,
  ) {
    // Of the orders, time turns only that of abnormality.
    this.#isOfUsual = asking.term?.isOfUsual === true || asking.order.turnsAt !== undefined;
    this.#round = holds.values();
    this.#upTo = now;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Of the list. */
  keys(): Iterable<Key> {
    return this.#values.keys();
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  /** Whether to make it anew is right, or costs less than to bring it up to date. */
  isStale(now: number): boolean {
    const passedMs = now - this.#upTo;
    return passedMs < -CLOCK_BACK_MS || (this.#isOfUsual && passedMs > USUAL_STALE_MS);
  }

  /** Notes a hold of which a list is about to be made. @returns what it is sorted by; undefined: not in the list */
  add(hold: Hold, now: number): Value | undefined {
    const value = this.#read(hold, now);
    if (value !== undefined) this.#values.set(hold.key, value);
    return value;
  }

  /** Puts a key where it belongs now. */
  place(sorted: Places<Value>, key: Key, hold: Hold | undefined, now: number): void {
    const then = this.#values.get(key);
    const value = hold && this.#read(hold, now);
    if (hold === undefined) this.#turns.delete(key);
    if (value === then) return;
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    move(sorted, key, then, value);
  }

  /** Takes in that time has passed. */
  pass(sorted: Places<Value>, now: number): void {
    for (const key of this.#turns.due(now)) this.place(sorted, key, this.holds.get(key), now);
    if (this.#isOfUsual) this.#askAnew(sorted, now);
    this.#upTo = now;
  }

  #askAnew(sorted: Places<Value>, now: number): void {
    const share = Math.ceil((this.holds.size * (now - this.#upTo)) / USUAL_ANEW_MS);
    for (let left = Math.min(ANEW_MAX, share); left > 0; left--) {
      const { value: hold, done } = this.#round.next();
      if (done) {
        this.#round = this.holds.values();
        return;
      }
      this.place(sorted, hold.key, hold, now);
    }
  }

  /** Asks all there is to ask of a hold, once. */
  #read(hold: Hold, now: number): Value | undefined {
    const { fits, term, order } = this.asking;
    if (!fits(hold)) {
      this.#turns.delete(hold.key);
      return undefined;
    }
    const usualMs = (this.#isOfUsual ? this.usual(hold.key) : undefined) ?? NEVER;
    const isIn = term?.matches(hold, now, usualMs) ?? true;
    const turnsAt = term?.turnsAt(hold, now, usualMs) ?? NEVER;
    // Where what does not match would stand does not matter.
    const movesAt = (isIn ? order.turnsAt?.(hold, now, usualMs) : undefined) ?? NEVER;
    this.#watch(hold.key, Math.min(turnsAt, movesAt));
    return isIn ? order.sortValueOf(hold, now, usualMs) : undefined;
  }

  #watch(key: Key, at: number): void {
    if (at === NEVER) this.#turns.delete(key);
    else this.#turns.set(key, at);
  }
}

export function move<Value extends SortValue>(
  sorted: Places<Value>,
  key: Key,
  then: Value | undefined,
  value: Value | undefined,
): void {
  if (then === value) return;
  if (then !== undefined) sorted.delete(then, key);
  if (value !== undefined) sorted.insert(value, key);
}
