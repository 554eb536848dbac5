import type { Key } from "../../lib/contract/key.ts";

const FORCED_MAX = 1000;

/** The last holds of other libraries that were freed by force, so that one that is made again is known. */
export class Forced {
  readonly #freed = new Set<string>();

  add({ key, owner, fence }: { key: Key; owner: Key; fence: string | null }): void {
    if (fence !== null) return;
    const name = nameOf(key, owner);
    this.#freed.delete(name);
    this.#freed.add(name);
    const [oldest] = this.#freed;
    if (this.#freed.size > FORCED_MAX && oldest !== undefined) this.#freed.delete(oldest);
  }

  has(key: Key, owner: Key): boolean {
    return this.#freed.has(nameOf(key, owner));
  }
}

const nameOf = (key: Key, owner: Key) => `${key.length} ${key}${owner}`;
