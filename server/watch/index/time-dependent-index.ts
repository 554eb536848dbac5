import type { Key } from "../../../lib/keys/key.ts";
import { type GetTypicalHeldMs, NEVER, type TimeDependentTerm } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { Deadlines } from "../scan/deadlines.ts";
import type { HoldPredicate } from "./filter-compiler.ts";
import type { SortValues } from "./sort-values.ts";
import type { SortValue } from "./sorted-keys.ts";

/** What is typical changes as locks are released: within this time each hold is asked anew what that means for it. */
const TYPICAL_REFRESH_MS = 30_000;
/** So many of them in one step at most, some 1.5 µs each; of more locks each comes its turn later. */
const TYPICAL_REFRESH_MAX = 4000;
/** What was not asked for so long knows too little of what is typical now. */
const TYPICAL_STALE_MS = 60_000;
/** Redis's clock as we know it trembles; this is a step. */
const CLOCK_SETBACK_MS = 1000;

export interface TimeDependentQuery<Value extends SortValue = SortValue> {
  /** What time does not touch. */
  readonly fits: HoldPredicate;
  readonly term: TimeDependentTerm | undefined;
  readonly order: SortValues<Value>;
}

/** Where keys are placed by their values. */
export interface SortedPlacement<Value extends SortValue> {
  insert(value: Value, key: Key): void;
  delete(value: Value, key: Key): void;
}

/**
 * An answer that time changes: it knows where each key stands in the sorted list, and when what it says of a hold may
 * turn by itself. What turns costs as much as a change; what does not costs nothing. What is typical is asked for each
 * hold in turn, a share of them with each step, so that no step bears them all.
 */
export class TimeDependentIndex<Value extends SortValue = SortValue> {
  readonly #values = new Map<Key, Value>();
  readonly #changesAt = new Deadlines<Key>();
  readonly #usesTypical: boolean;
  #refreshIterator: Iterator<ObservedHold>;
  #advancedTo: number;

  constructor(
    private readonly query: TimeDependentQuery<Value>,
    private readonly holds: ReadonlyMap<Key, ObservedHold>,
    private readonly getTypicalHeldMs: GetTypicalHeldMs,
    now: number,
  ) {
    // Of the orders, time turns only that of attention.
    this.#usesTypical = query.term?.usesTypical === true || query.order.computeChangeAt !== undefined;
    this.#refreshIterator = holds.values();
    this.#advancedTo = now;
  }

  get size(): number {
    return this.#changesAt.size;
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
    const passedMs = now - this.#advancedTo;
    return passedMs < -CLOCK_SETBACK_MS || (this.#usesTypical && passedMs > TYPICAL_STALE_MS);
  }

  /** Notes a hold of which a list is about to be made. @returns what it is sorted by; undefined: not in the list */
  add(hold: ObservedHold, now: number): Value | undefined {
    const value = this.#evaluateHold(hold, now);
    if (value !== undefined) this.#values.set(hold.key, value);
    return value;
  }

  /** Puts a key where it belongs now. */
  placeKey(sorted: SortedPlacement<Value>, key: Key, hold: ObservedHold | undefined, now: number): void {
    const then = this.#values.get(key);
    const value = hold && this.#evaluateHold(hold, now);
    if (hold === undefined) this.#changesAt.delete(key);
    if (value === then) return;
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    moveKey(sorted, key, then, value);
  }

  /** Takes in that time has passed. */
  advance(sorted: SortedPlacement<Value>, now: number): void {
    for (const key of this.#changesAt.takeDue(now)) this.placeKey(sorted, key, this.holds.get(key), now);
    if (this.#usesTypical) this.#refreshTypical(sorted, now);
    this.#advancedTo = now;
  }

  #refreshTypical(sorted: SortedPlacement<Value>, now: number): void {
    const share = Math.ceil((this.holds.size * (now - this.#advancedTo)) / TYPICAL_REFRESH_MS);
    for (let left = Math.min(TYPICAL_REFRESH_MAX, share); left > 0; left--) {
      const { value: hold, done } = this.#refreshIterator.next();
      if (done) {
        this.#refreshIterator = this.holds.values();
        return;
      }
      this.placeKey(sorted, hold.key, hold, now);
    }
  }

  /** Asks all there is to ask of a hold, once. */
  #evaluateHold(hold: ObservedHold, now: number): Value | undefined {
    const { fits, term, order } = this.query;
    if (!fits(hold)) {
      this.#changesAt.delete(hold.key);
      return undefined;
    }
    const typicalMs = (this.#usesTypical ? this.getTypicalHeldMs(hold.key) : undefined) ?? NEVER;
    const isIn = term?.matches(hold, now, typicalMs) ?? true;
    const changeAt = term?.computeChangeAt(hold, now, typicalMs) ?? NEVER;
    // Where what does not match would stand does not matter.
    const movesAt = (isIn ? order.computeChangeAt?.(hold, now, typicalMs) : undefined) ?? NEVER;
    this.#scheduleChange(hold.key, Math.min(changeAt, movesAt));
    return isIn ? order.computeSortValue(hold, now, typicalMs) : undefined;
  }

  #scheduleChange(key: Key, at: number): void {
    if (at === NEVER) this.#changesAt.delete(key);
    else this.#changesAt.set(key, at);
  }
}

export function moveKey<Value extends SortValue>(
  sorted: SortedPlacement<Value>,
  key: Key,
  then: Value | undefined,
  value: Value | undefined,
): void {
  if (then === value) return;
  if (then !== undefined) sorted.delete(then, key);
  if (value !== undefined) sorted.insert(value, key);
}
