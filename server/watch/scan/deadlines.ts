/**
 * A binary heap of deadlines by key. Two parallel arrays and an index by key take about 60 bytes per key, a third of
 * the memory of a heap of objects.
 */
export class Deadlines<Key> {
  readonly #moments: number[] = [];
  readonly #keys: Key[] = [];
  readonly #positions = new Map<Key, number>();

  /** Sets the deadline of a key, and replaces any previous deadline. */
  set(key: Key, at: number): void {
    const known = this.#positions.get(key);
    const place = known ?? this.#keys.length;
    if (known !== undefined && (this.#moments[place] ?? at) < at) this.#sink(place, key, at);
    else this.#rise(place, key, at);
  }

  delete(key: Key): void {
    const place = this.#positions.get(key);
    if (place === undefined) return;
    this.#positions.delete(key);
    const [last, at] = [this.#keys.pop(), this.#moments.pop()];
    if (last === undefined || at === undefined || place === this.#keys.length) return;
    const above = this.#moments[(place - 1) >> 1];
    if (place > 0 && above !== undefined && above > at) this.#rise(place, last, at);
    else this.#sink(place, last, at);
  }

  /** Returns the deadline of a key, or `undefined` if it has none. */
  find(key: Key): number | undefined {
    const place = this.#positions.get(key);
    return place === undefined ? undefined : this.#moments[place];
  }

  /** Returns the earliest deadline, or `undefined` if the heap is empty. */
  peekNext(): number | undefined {
    return this.#moments[0];
  }

  /** Removes and returns the keys whose deadlines are at or before `now`. */
  takeDue(now: number): Key[] {
    const keys: Key[] = [];
    for (;;) {
      const [at, key] = [this.#moments[0], this.#keys[0]];
      if (at === undefined || key === undefined || at > now) return keys;
      this.delete(key);
      keys.push(key);
    }
  }

  get size(): number {
    return this.#keys.length;
  }

  /**
   * Writes an entry at position `from` or at one of its ancestors. The previous entry at `from` must already have been
   * moved or removed.
   */
  #rise(from: number, key: Key, at: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const [above, aboveAt] = [this.#keys[parent], this.#moments[parent]];
      if (above === undefined || aboveAt === undefined || aboveAt <= at) break;
      this.#put(place, above, aboveAt);
      place = parent;
    }
    this.#put(place, key, at);
  }

  /**
   * Writes an entry at position `from` or at one of its descendants. The previous entry at `from` must already have
   * been moved or removed.
   */
  #sink(from: number, key: Key, at: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      const isRightSooner =
        (this.#moments[left + 1] ?? Number.POSITIVE_INFINITY) < (this.#moments[left] ?? 0);
      const child = isRightSooner ? left + 1 : left;
      const [below, belowAt] = [this.#keys[child], this.#moments[child]];
      if (below === undefined || belowAt === undefined || belowAt >= at) break;
      this.#put(place, below, belowAt);
      place = child;
    }
    this.#put(place, key, at);
  }

  #put(place: number, key: Key, at: number): void {
    this.#keys[place] = key;
    this.#moments[place] = at;
    this.#positions.set(key, place);
  }
}
