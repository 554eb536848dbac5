import type { Key } from "../../../lib/keys/key.ts";
import { type GetTypicalHeldMs, NEVER, type TimeDependentTerm } from "../holds/attention.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";
import { Deadlines } from "../scan/deadlines.ts";
import type { HoldPredicate } from "./filter-compiler.ts";
import type { SortValues } from "./sort-values.ts";
import type { SortValue } from "./sorted-keys.ts";

/** Time, in ms, within which every hold is reevaluated, because typical hold times change with each release. */
const TYPICAL_REFRESH_MS = 30_000;
/**
 * Maximum number of holds to reevaluate per step (about 1.5 µs each). If this limit is reached, reevaluating every hold
 * takes longer than `TYPICAL_REFRESH_MS`.
 */
const TYPICAL_REFRESH_MAX = 4000;
/** Time, in ms, after which an unused result is evaluated from scratch, because its typical hold times are outdated. */
const TYPICAL_STALE_MS = 60_000;
/**
 * Maximum time, in ms, by which the clock can go back before a result is evaluated from scratch. Small setbacks are
 * normal, because Redis's clock is estimated.
 */
const CLOCK_SETBACK_MS = 1000;

export interface TimeDependentQuery<Value extends SortValue = SortValue> {
  /** All filter terms that do not depend on time, combined. */
  readonly fits: HoldPredicate;
  readonly term: TimeDependentTerm | undefined;
  readonly order: SortValues<Value>;
}

/** A list in which the position of each key depends on its value. */
export interface SortedPlacement<Value extends SortValue> {
  insert(value: Value, key: Key): void;
  delete(value: Value, key: Key): void;
}

/**
 * A query result that is kept up to date as time passes. The index stores the sort value of each key, and the time at
 * which the key's result next changes without a write to Redis. Applying such a change costs the same as applying a
 * change to a hold. To limit the cost of a call to `advance`, each call reevaluates typical hold times for only a
 * share of the holds.
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
    // The only order that depends on time is `attention`, which uses typical hold times.
    this.#usesTypical = query.term?.usesTypical === true || query.order.computeChangeAt !== undefined;
    this.#refreshIterator = holds.values();
    this.#advancedTo = now;
  }

  get size(): number {
    return this.#changesAt.size;
  }

  /** Returns the keys whose holds match, unsorted. */
  keys(): Iterable<Key> {
    return this.#values.keys();
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  /**
   * Returns whether the clock went back by more than 1 s or typical hold times are outdated. In either case, the result
   * must be evaluated again.
   */
  isStale(now: number): boolean {
    const passedMs = now - this.#advancedTo;
    return passedMs < -CLOCK_SETBACK_MS || (this.#usesTypical && passedMs > TYPICAL_STALE_MS);
  }

  /**
   * Adds a hold while the sorted list is being built. Once the list is built, use `placeKey`.
   *
   * @returns the sort value of the hold, or `undefined` if the hold does not match
   */
  add(hold: ObservedHold, now: number): Value | undefined {
    const value = this.#evaluateHold(hold, now);
    if (value !== undefined) this.#values.set(hold.key, value);
    return value;
  }

  /** Moves a key to its current position in the list. Removes the key if `hold` is `undefined` or does not match. */
  placeKey(sorted: SortedPlacement<Value>, key: Key, hold: ObservedHold | undefined, now: number): void {
    const then = this.#values.get(key);
    const value = hold && this.#evaluateHold(hold, now);
    if (hold === undefined) this.#changesAt.delete(key);
    if (value === then) return;
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    moveKey(sorted, key, then, value);
  }

  /**
   * Updates the keys whose results have changed by `now`. If the query uses typical hold times, also reevaluates a
   * share of all holds.
   */
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

  /**
   * Returns the sort value of a hold, or `undefined` if the hold does not match. Schedules the next evaluation of the
   * hold for the time at which its result can change.
   */
  #evaluateHold(hold: ObservedHold, now: number): Value | undefined {
    const { fits, term, order } = this.query;
    if (!fits(hold)) {
      this.#changesAt.delete(hold.key);
      return undefined;
    }
    const typicalMs = (this.#usesTypical ? this.getTypicalHeldMs(hold.key) : undefined) ?? NEVER;
    const isMatching = term?.matches(hold, now, typicalMs) ?? true;
    const changeAt = term?.computeChangeAt(hold, now, typicalMs) ?? NEVER;
    // A hold that does not match has no position that could change.
    const movesAt = (isMatching ? order.computeChangeAt?.(hold, now, typicalMs) : undefined) ?? NEVER;
    this.#scheduleChange(hold.key, Math.min(changeAt, movesAt));
    return isMatching ? order.computeSortValue(hold, now, typicalMs) : undefined;
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
