import type { Key } from "../../lib/keys/key.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { LockIndex } from "../watch/index/lock-index.ts";
import { type HoldNode, toGraphToken } from "./wait-graph.ts";

const EMPTY: readonly Key[] = [];

/**
 * Indexes the holds of Redisson clients by owner string (`<uuid>:<thread>`), which is the same for every lock that a
 * thread holds. The index is built when the first Redisson client waits, so that targets without such clients use no
 * memory for it.
 */
export class LibraryHolds {
  #keys: Map<Key, Set<Key>> | undefined;

  constructor(private readonly index: LockIndex) {}

  update(key: Key, before: ObservedHold | undefined, after: ObservedHold | undefined): void {
    if (this.#keys === undefined || before === after) return;
    this.#remove(key, before);
    this.#add(key, after);
  }

  /** Lists the holds of a Redisson client. @param token the owner string of the client */
  list(token: Key): HoldNode[] {
    if (this.#keys === undefined) {
      this.#keys = new Map();
      for (const key of this.index.keys()) this.#add(key, this.index.get(key));
    }
    return [...(this.#keys.get(token) ?? EMPTY)].map((key) => ({ key, token: toGraphToken({ token }) }));
  }

  #add(key: Key, hold: ObservedHold | undefined): void {
    for (const token of listForeignTokens(hold)) {
      const keys = this.#keys?.get(token);
      if (keys === undefined) this.#keys?.set(token, new Set([key]));
      else keys.add(key);
    }
  }

  #remove(key: Key, hold: ObservedHold | undefined): void {
    for (const token of listForeignTokens(hold)) {
      const keys = this.#keys?.get(token);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys?.delete(token);
    }
  }
}

function listForeignTokens(hold: ObservedHold | undefined): readonly Key[] {
  if (hold?.seen.format !== "redisson") return EMPTY;
  return hold.seen.holders.flatMap(({ token, fence }) => (fence === null ? [token] : []));
}
