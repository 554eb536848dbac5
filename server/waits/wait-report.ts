import type { Holder } from "../../lib/contract/lock.ts";
import {
  type Deadlock as DeadlockJson,
  type DeadlockWait,
  ROOT_BLOCKERS_MAX,
  type RootBlocker,
  WAIT_ROWS_MAX,
  type WaitingClient,
  type Waits,
} from "../../lib/contract/waits/waits.ts";
import { formatKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { KnownDeadlock } from "./find-deadlocks.ts";
import { toGraphToken, type Wait, type WaitGraph } from "./wait-graph.ts";

const HOLDERS_MAX = 10;

/** What a report is computed from. */
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

type Behind = Pick<RootBlocker, "waiting" | "unnamed" | "waitedMs" | "rows" | "rowsLeftOut">;

/** A lock at the root of a tree, before its rows are listed. */
interface Root {
  readonly key: Key;
  readonly hold: ObservedHold;
  readonly isBehindUnreadable: boolean;
  readonly members: ReadonlySet<Key>;
  readonly behind: Behind;
}

/**
 * Builds the trees of waits from the graph, for one reader. Locks that the reader may not read are left out, with their
 * waits: neither their keys nor their owners appear anywhere.
 */
export class WaitReport {
  readonly #rowsLeft = { count: WAIT_ROWS_MAX };

  constructor(
    private readonly state: WaitState,
    private readonly canRead: (key: Key) => boolean,
  ) {}

  /** @param key restricts the report to the trees and deadlocks of one lock */
  build(target: string, key?: Key): Waits {
    const keys = this.state.listWaitedKeys().filter(this.canRead);
    const deadlocks = this.#buildDeadlocks(key);
    const roots = this.#findRoots(keys).filter(({ members }) => key === undefined || members.has(key));
    roots.sort(
      (one, other) =>
        other.behind.waitedMs - one.behind.waitedMs || other.behind.waiting - one.behind.waiting,
    );
    const listed = roots.slice(0, ROOT_BLOCKERS_MAX);
    const waiting = keys.reduce((sum, each) => sum + this.#countWaiting(each), 0);
    return {
      target,
      waiting,
      locks: keys.length,
      locksLeftOut: [...this.state.leftOutKeys].filter(this.canRead).length,
      deadlocks: deadlocks.map(({ json }) => json),
      roots: listed.map((root) => this.#toRootBlocker(root)),
      rootsLeftOut: roots.length - listed.length,
      ...(key === undefined || !this.canRead(key)
        ? {}
        : { position: this.#toPosition(key, roots[0], deadlocks[0]?.json.id) }),
      asOf: this.state.asOf === 0 ? Math.floor(this.state.now) : this.state.asOf,
    };
  }

  /** Lists the root blockers with the total time waited, without rows. */
  listRoots(): { readonly key: Key; readonly waiting: number; readonly waitedMs: number }[] {
    return this.#findRoots(this.state.listWaitedKeys()).map(({ key, behind: { waiting, waitedMs } }) => ({
      ...{ key, waiting, waitedMs },
    }));
  }

  #countWaiting(key: Key): number {
    return this.state.graph.getWaits(key).length + this.state.countUnnamed(key);
  }

  #findRoots(keys: readonly Key[]): Root[] {
    return keys.flatMap((key) => {
      const hold = this.state.findHold(key);
      if (hold === undefined || this.#countWaiting(key) === 0) return [];
      const upstream = hold.holders.map(({ seen }) => this.#listWaitsOf(key, toGraphToken(seen)));
      const isRoot = upstream.some((waits) => waits.length === 0);
      const isHidden = upstream.some((waits) => waits.some((wait) => !this.canRead(wait.key)));
      const isShown = isRoot || upstream.every((waits) => waits.every((wait) => !this.canRead(wait.key)));
      if (!isShown) return [];
      const members = new Set<Key>();
      return [
        { key, hold, isBehindUnreadable: isHidden, members, behind: this.#countBehind([key], members) },
      ];
    });
  }

  #listWaitsOf(key: Key, token: string): Wait[] {
    return [...(this.state.graph.findWaitsOfHold(key, token) ?? [])];
  }

  /** Counts all waiters behind the locks, and adds the locks of the tree to `members`. */
  #countBehind(keys: readonly Key[], members: Set<Key>, except: ReadonlySet<Wait> = new Set()): Behind {
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
        for (const hold of this.#listBlockedHolds(wait)) next.push(hold);
      }
    }
    return { ...total, waitedMs: Math.round(total.waitedMs), rows: [], rowsLeftOut: 0 };
  }

  #computeWaitedMs({ sinceMs }: Wait): number {
    return sinceMs === null ? 0 : Math.max(0, this.state.now - sinceMs);
  }

  /** Lists the locks with waiters that the client of a wait holds now, as far as the reader may read them. */
  #listBlockedHolds({ holding }: Wait): Key[] {
    return holding.flatMap(({ key, token }) => {
      const hold = this.state.findHold(key);
      const isHeld = hold?.holders.some(({ seen }) => toGraphToken(seen) === token) ?? false;
      return isHeld && this.canRead(key) && this.#countWaiting(key) > 0 ? [key] : [];
    });
  }

  #listRows(keys: readonly Key[], except: ReadonlySet<Wait> = new Set()): WaitingClient[] {
    const rows: WaitingClient[] = [];
    const seen = new Set<Key>();
    const stack = keys.map((key) => ({ key, depth: 1 })).reverse();
    const queue: { wait: Wait; depth: number }[] = [];
    const open = ({ key, depth }: { key: Key; depth: number }) => {
      if (seen.has(key)) return;
      seen.add(key);
      const waits = [...this.state.graph.getWaits(key)].filter((wait) => !except.has(wait));
      // Taken from the end, so the longest wait is last.
      waits.sort((one, other) => (other.sinceMs ?? 0) - (one.sinceMs ?? 0));
      for (const wait of waits) queue.push({ wait, depth });
    };
    for (let lock = stack.pop(); lock !== undefined; lock = stack.pop()) {
      open(lock);
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
        if (this.#rowsLeft.count === 0) return rows;
        this.#rowsLeft.count--;
        const { wait, depth } = item;
        const holds = this.#listBlockedHolds(wait);
        rows.push(this.#toRow(wait, depth, holds));
        for (const key of holds.reverse()) open({ key, depth: depth + 1 });
      }
    }
    return rows;
  }

  #toRow(wait: Wait, depth: number, holds: readonly Key[]): WaitingClient {
    return {
      depth,
      ...toOwnerFields(wait.owner),
      by: wait.by,
      ...toKeyFields(wait.key),
      since: Math.round(wait.sinceMs ?? this.state.now),
      sinceIs: wait.by === "library" ? "at_least" : "exact",
      until: wait.untilMs === null ? null : Math.round(wait.untilMs),
      holds: holds.map((key) => ({ ...toKeyFields(key), waiting: this.#countWaiting(key) })),
    };
  }

  #toRootBlocker({ key, hold, isBehindUnreadable, behind }: Root): RootBlocker {
    const rows = this.#listRows([key]);
    return {
      ...toKeyFields(key),
      holders: hold.holders.slice(0, HOLDERS_MAX).map(({ seen: { owner, record } }) => ({
        ...toOwnerFields(owner),
        ...(record === undefined ? {} : { record }),
      })),
      holdersLeftOut: Math.max(0, hold.holders.length - HOLDERS_MAX),
      liveness: hold.liveness.state,
      isBehindUnreadable,
      ...behind,
      rows,
      rowsLeftOut: behind.waiting - behind.unnamed - rows.length,
    };
  }

  #buildDeadlocks(
    key: Key | undefined,
  ): { readonly json: DeadlockJson; readonly members: ReadonlySet<Key> }[] {
    const found = this.state.deadlocks.flatMap((deadlock) => {
      const locks = [...new Set(deadlock.waits.map((wait) => wait.key))].filter(this.canRead);
      if (locks.length === 0) return [];
      const members = new Set<Key>();
      const inside = new Set(deadlock.waits);
      const behind = this.#countBehind(locks, members, inside);
      if (key !== undefined && !members.has(key)) return [];
      const rows = this.#listRows(locks, inside);
      const json = {
        ...this.#toDeadlock(deadlock),
        ...{ ...behind, rows, rowsLeftOut: behind.waiting - behind.unnamed - rows.length },
      };
      return [{ json, members }];
    });
    return found.sort((one, other) => other.json.since - one.json.since);
  }

  #toDeadlock({ id, cycle, waits }: KnownDeadlock) {
    const ends = cycle.flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
    return {
      id,
      since: Math.round(Math.max(...waits.map(({ sinceMs }) => sinceMs ?? 0))),
      until: ends.length === 0 ? null : Math.round(Math.min(...ends)),
      cycle: cycle.map((wait, at) => this.#toDeadlockWait(wait, cycle.at(at - 1))),
      others: waits.length - cycle.length,
    };
  }

  #toDeadlockWait(wait: Wait, before: Wait | undefined): DeadlockWait {
    const held = before?.key;
    const hold = held !== undefined && this.canRead(held) ? toKeyFields(held) : undefined;
    const isReadable = this.canRead(wait.key);
    return {
      ...(isReadable
        ? { ...toOwnerFields(wait.owner), ...toKeyFields(wait.key) }
        : { owner: null, key: null }),
      since: Math.round(wait.sinceMs ?? this.state.now),
      until: wait.untilMs === null ? null : Math.round(wait.untilMs),
      holdKey: hold?.key ?? null,
      ...(hold?.keyBase64 === undefined ? {} : { holdKeyBase64: hold.keyBase64 }),
    };
  }

  #toPosition(
    key: Key,
    root: Root | undefined,
    deadlockId: string | undefined,
  ): NonNullable<Waits["position"]> {
    const { waiting, waitedMs } = this.#countBehind([key], new Set());
    const above = root === undefined || root.key === key ? undefined : root;
    return {
      ...{ waiting, waitedMs },
      ...(above === undefined
        ? {}
        : { root: { ...toKeyFields(above.key), ...toOwnerFields(above.hold.holders[0].seen.owner) } }),
      deadlockId: deadlockId ?? null,
    };
  }
}

function toOwnerFields(owner: Key): Pick<Holder, "owner" | "ownerBase64"> {
  const { key, keyBase64 } = toKeyFields(owner);
  return keyBase64 === undefined ? { owner: formatKey(key) } : { owner: key, ownerBase64: keyBase64 };
}
