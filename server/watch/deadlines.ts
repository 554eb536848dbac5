/** A heap of the moments at which leases end, so that each can be looked at on time. */
export class Deadlines<Key> {
  readonly #heap: { at: number; key: Key }[] = [];
  readonly #current = new Map<Key, number>();

  /** The key's deadline from now on; an earlier one of the same key counts no more. */
  set(key: Key, at: number): void {
    if (this.#current.get(key) === at) return;
    this.#current.set(key, at);
    this.#push({ at, key });
    if (this.#heap.length > 2 * this.#current.size + 64) this.#rebuild();
  }

  delete(key: Key): void {
    this.#current.delete(key);
  }

  /** The next moment, or undefined when there is none. */
  next(): number | undefined {
    this.#dropStale();
    return this.#heap[0]?.at;
  }

  /** Takes out the keys whose moment has come. */
  due(now: number): Key[] {
    const keys: Key[] = [];
    for (;;) {
      this.#dropStale();
      const first = this.#heap[0];
      if (first === undefined || first.at > now) return keys;
      this.#pop();
      this.#current.delete(first.key);
      keys.push(first.key);
    }
  }

  get size(): number {
    return this.#current.size;
  }

  // A lease that is renewed often leaves an entry behind each time; most of them are dropped together.
  #rebuild(): void {
    this.#heap.length = 0;
    for (const [key, at] of this.#current) this.#push({ at, key });
  }

  // Moved and deleted deadlines stay in the heap until they surface: cheaper than finding them.
  #dropStale(): void {
    for (
      let first = this.#heap[0];
      first !== undefined && this.#current.get(first.key) !== first.at;
      first = this.#heap[0]
    ) {
      this.#pop();
    }
  }

  #push(entry: { at: number; key: Key }): void {
    const heap = this.#heap;
    let child = heap.push(entry) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.at <= entry.at) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const [one, two] = [heap[left], heap[left + 1]];
      const child = two !== undefined && one !== undefined && two.at < one.at ? left + 1 : left;
      const below = heap[child];
      if (below === undefined || below.at >= last.at) break;
      heap[parent] = below;
      parent = child;
    }
    heap[parent] = last;
  }
}
