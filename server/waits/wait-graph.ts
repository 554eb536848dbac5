import type { Key } from "../../lib/keys/key.ts";
import type { SeenHolder } from "../formats/observation.ts";
import type { OnDeadlock } from "../formats/wait-declaration.ts";

/** A hold, as a node in the wait-for graph. */
export interface HoldNode {
  readonly key: Key;
  /** Identifies the holder. Created by `toGraphToken`. */
  readonly token: string;
}

/**
 * Returns a string that identifies a holder in the graph. The string contains the principal of the hold. A declaration
 * of the same hold by another principal results in a different string, and therefore has no effect.
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
  /** Identifies the wait among the waits for its lock. */
  readonly id: string;
  readonly key: Key;
  readonly owner: Key;
  readonly by: "lockkeeper" | "library";
  /** Start of the wait in Unix ms on the Redis clock; `null` if unknown. */
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  /** The holds that the client does not release before the wait ends. Holds that have ended have no effect. */
  readonly holding: readonly HoldNode[];
  readonly onDeadlock: OnDeadlock;
  /** Identifies the wait in a refusal. Set only if the client waits through Lockkeeper and sent a wait declaration. */
  readonly waitId?: string | undefined;
}

/**
 * How the holders of a lock block a waiter. `all`: every holder must release, as when a writer waits for readers.
 * `any`: one release can be sufficient, as for the permits of a semaphore.
 */
export type Blocking = "all" | "any";

/** The holders of a lock, and how they block its waiters. */
export interface HeldLock {
  readonly blocking: Blocking;
  /** The strings that identify the holders. Created by `toGraphToken`. */
  readonly tokens: readonly string[];
}

/** Returns the current holders of a lock; `undefined` if the lock is not held. */
export type FindHeldLock = (key: Key) => HeldLock | undefined;

/**
 * The wait-for graph: the waits for all locks, and the holds that each wait declares. The time of an update is
 * proportional to the number of waits for the updated lock.
 */
export class WaitGraph {
  readonly #waits = new Map<Key, readonly Wait[]>();
  /**
   * The waits that declare a hold, by the key and then by the token of the hold. Only these waits can be part of a
   * deadlock.
   */
  readonly #declaring = new Map<Key, Map<string, Set<Wait>>>();
  readonly #declaringWaits = new Set<Wait>();
  #waitCount = 0;

  /** Number of waits for all locks. */
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

  /** Returns the waits that declare the given hold, or `undefined` if there are no such waits. */
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
