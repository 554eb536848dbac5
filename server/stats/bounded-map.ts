/** A map of limited size. Adding an entry to a full map removes the entry that was set least recently. */
export class BoundedMap<Value> {
  readonly #values = new Map<string, Value>();

  constructor(private readonly maxSize: number) {}

  get size(): number {
    return this.#values.size;
  }

  set(name: string, value: Value): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size <= this.maxSize) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }

  take(name: string): Value | undefined {
    const value = this.#values.get(name);
    if (value !== undefined) this.#values.delete(name);
    return value;
  }
}
