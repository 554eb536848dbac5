import type { Key } from "../../lib/keys/key.ts";
import type { SeenHolder } from "../formats/observation.ts";
import type { OnDeadlock } from "../formats/wait-declaration.ts";

/** A hold, as a node of the graph. */
export interface HoldNode {
  readonly key: Key;
  /** Identifies the holder, as `toGraphToken` returns it. */
  readonly token: string;
}

/**
 * Identifies a holder in the graph. A hold belongs to the principal that acquired it: for another principal that declares
 * the same hold, the result differs, so the declaration has no effect.
 *
 * @param holder `token` is the string in the lock that identifies the holder
 */
export function toGraphToken({
  token,
  principal = "",
}: Pick<SeenHolder, "token"> & { principal?: string | undefined }): string {
  return `${principal}\n${token}`;
}

/** One client that waits for one lock. */
export interface Wait {
  /** Identifies the wait among those of its lock. */
  readonly id: string;
  readonly key: Key;
  readonly owner: Key;
  readonly by: "lockkeeper" | "library";
  /** On the Redis clock; `null` if unknown. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  /** The holds that it does not release before the wait ends. Ended holds have no effect. */
  readonly holding: readonly HoldNode[];
  readonly onDeadlock: OnDeadlock;
  /** Identifies the wait in a refusal; only for a wait of Lockkeeper's verbs that declares something. */
  readonly waitId?: string | undefined;
}

/**
 * How the holders of a lock block a waiter. `all`: each of them must release, as the readers for a writer. `any`: one
 * release can suffice, as for the permits of a semaphore.
 */
export type Blocking = "all" | "any";

/** The holders of a lock, as the graph sees them. */
export interface HeldLock {
  readonly blocking: Blocking;
  /** As `toGraphToken` returns them. */
  readonly tokens: readonly string[];
}

/** Returns the current holders of a lock; `undefined` if it is free. */
export type FindHeldLock = (key: Key) => HeldLock | undefined;

/** The waits of all locks, and which of them declare which hold. An update takes time in proportion to the waits of its lock. */
export class WaitGraph {
  readonly #waits = new Map<Key, readonly Wait[]>();
  /** The waits that declare a hold: by the key of the hold, then by its token. Only these waits can be part of a deadlock. */
  readonly #declaring = new Map<Key, Map<string, Set<Wait>>>();
  readonly #declaringWaits = new Set<Wait>();
  #waitCount = 0;

  /** Number of waits. */
  get size(): number {
    return this.#waitCount;
  }

  get keys(): Iterable<Key> {
    return this.#waits.keys();
  }

  get keyCount(): number {
    return this.#waits.size;
  }

  /** The waits that declare at least one hold. */
  get declaringWaits(): ReadonlySet<Wait> {
    return this.#declaringWaits;
  }

  /** Returns the waits for a lock, in the order in which they were set. */
  getWaits(key: Key): readonly Wait[] {
    return this.#waits.get(key) ?? [];
  }

  /** Replaces the waits for a lock. */
  setWaits(key: Key, waits: readonly Wait[]): void {
    const before = this.getWaits(key);
    for (const wait of before) this.#removeEdges(wait);
    this.#waitCount += waits.length - before.length;
    if (waits.length === 0) this.#waits.delete(key);
    else this.#waits.set(key, waits);
    for (const wait of waits) this.#addEdges(wait);
  }

  /** Returns the waits of the client that has a hold. */
  findWaitsOfHold(key: Key, token: string): ReadonlySet<Wait> | undefined {
    return this.#declaring.get(key)?.get(token);
  }

  #addEdges(wait: Wait): void {
    for (const { key, token } of wait.holding) {
      const byToken = this.#declaring.get(key) ?? new Map<string, Set<Wait>>();
      const waits = byToken.get(token) ?? new Set();
      this.#declaring.set(key, byToken.set(token, waits.add(wait)));
    }
    if (wait.holding.length > 0) this.#declaringWaits.add(wait);
  }

  #removeEdges(wait: Wait): void {
    this.#declaringWaits.delete(wait);
    for (const { key, token } of wait.holding) {
      const byToken = this.#declaring.get(key);
      const waits = byToken?.get(token);
      waits?.delete(wait);
      if (waits?.size === 0) byToken?.delete(token);
      if (byToken?.size === 0) this.#declaring.delete(key);
    }
  }
}
