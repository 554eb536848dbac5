import type { RootBlocker } from "../../lib/contract/waits/waits.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { KnownDeadlock } from "./find-deadlocks.ts";
import { toGraphToken, type Wait, type WaitGraph } from "./wait-graph.ts";

/** The state of all waits for the locks of a target. Reports are built from this state. */
export interface WaitState {
  readonly graph: WaitGraph;
  readonly deadlocks: readonly KnownDeadlock[];
  readonly now: number;
  readonly asOf: number;
  readonly leftOutKeys: ReadonlySet<Key>;
  listWaitedKeys(): Key[];
  countUnnamed(key: Key): number;
  findHold(key: Key): ObservedHold | undefined;
}

export type Behind = Pick<RootBlocker, "waiting" | "unnamed" | "waitedMs" | "rows" | "rowsLeftOut">;

/** Finds the clients that wait behind locks. Follows only locks that one reader is allowed to read. */
export class WaitersBehind {
  constructor(
    private readonly state: WaitState,
    private readonly canRead: (key: Key) => boolean,
  ) {}

  /** Returns the number of visible waiters of one lock. */
  countWaiting(key: Key): number {
    return this.state.graph.getWaits(key).length + this.state.countUnnamed(key);
  }

  /** Lists the waits of the client that has the given hold. */
  listWaitsOf(key: Key, token: string): Wait[] {
    return [...(this.state.graph.findWaitsOfHold(key, token) ?? [])];
  }

  /**
   * Counts all clients that wait behind the given locks, directly or indirectly. Adds the given locks and all locks
   * behind them to `members`.
   */
  countBehind(keys: readonly Key[], members: Set<Key>, except: ReadonlySet<Wait> = new Set()): Behind {
    const total = { waiting: 0, unnamed: 0, waitedMs: 0 };
    const next = [...keys];
    for (let key = next.pop(); key !== undefined; key = next.pop()) {
      if (members.has(key)) continue;
      members.add(key);
      const unnamed = this.state.countUnnamed(key);
      total.unnamed += unnamed;
      total.waiting += unnamed;
      for (const wait of this.state.graph.getWaits(key)) {
        if (except.has(wait)) continue;
        total.waiting++;
        total.waitedMs += this.#computeWaitedMs(wait);
        for (const hold of this.listBlockedHolds(wait)) next.push(hold);
      }
    }
    return { ...total, waitedMs: Math.round(total.waitedMs), rows: [], rowsLeftOut: 0 };
  }

  #computeWaitedMs({ sinceMs }: Wait): number {
    return sinceMs === null ? 0 : Math.max(0, this.state.now - sinceMs);
  }

  /**
   * Lists the locks that the client of a wait holds now, if they have waiters and the reader is allowed to read them.
   */
  listBlockedHolds({ holding }: Wait): Key[] {
    return holding.flatMap(({ key, token }) => {
      const hold = this.state.findHold(key);
      const isHeld = hold?.holders.some(({ seen }) => toGraphToken(seen) === token) ?? false;
      return isHeld && this.canRead(key) && this.countWaiting(key) > 0 ? [key] : [];
    });
  }
}
