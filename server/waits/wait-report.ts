import {
  type Deadlock as DeadlockJson,
  type DeadlockWait,
  ROOT_BLOCKERS_MAX,
  type RootBlocker,
  type Waits,
} from "../../lib/contract/waits/waits.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { KnownDeadlock } from "./find-deadlocks.ts";
import { toGraphToken, type Wait } from "./wait-graph.ts";
import { toOwnerFields, WaitRows } from "./wait-rows.ts";
import { type Behind, WaitersBehind, type WaitState } from "./waiters-behind.ts";

const HOLDERS_MAX = 10;

/** A lock at the root of a tree, before its rows are listed. */
interface Root {
  readonly key: Key;
  readonly hold: ObservedHold;
  readonly isBehindUnreadable: boolean;
  readonly members: ReadonlySet<Key>;
  readonly behind: Behind;
}

/**
 * Builds the trees of waits from the graph, for one reader. The report does not contain the keys and owners of locks
 * that the reader is not allowed to read.
 */
export class WaitReport {
  readonly #behind: WaitersBehind;
  readonly #rows: WaitRows;

  constructor(
    private readonly state: WaitState,
    private readonly canRead: (key: Key) => boolean,
  ) {
    this.#behind = new WaitersBehind(state, canRead);
    this.#rows = new WaitRows(state, this.#behind);
  }

  /** Builds the report. @param key restricts the report to the trees and deadlocks that contain this lock */
  build(target: string, key?: Key): Waits {
    const keys = this.state.listWaitedKeys().filter(this.canRead);
    const deadlocks = this.#buildDeadlocks(key);
    const roots = this.#findRoots(keys).filter(({ members }) => key === undefined || members.has(key));
    roots.sort(
      (one, other) =>
        other.behind.waitedMs - one.behind.waitedMs || other.behind.waiting - one.behind.waiting,
    );
    const listed = roots.slice(0, ROOT_BLOCKERS_MAX);
    const waiting = keys.reduce((sum, each) => sum + this.#behind.countWaiting(each), 0);
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

  /** Lists the root blockers with the total time that clients have waited behind each root blocker, in ms. */
  listRoots(): { readonly key: Key; readonly waiting: number; readonly waitedMs: number }[] {
    return this.#findRoots(this.state.listWaitedKeys()).map(({ key, behind: { waiting, waitedMs } }) => ({
      ...{ key, waiting, waitedMs },
    }));
  }

  #findRoots(keys: readonly Key[]): Root[] {
    return keys.flatMap((key) => {
      const hold = this.state.findHold(key);
      if (hold === undefined || this.#behind.countWaiting(key) === 0) return [];
      const upstream = hold.holders.map(({ seen }) => this.#behind.listWaitsOf(key, toGraphToken(seen)));
      const isRoot = upstream.some((waits) => waits.length === 0);
      const isHidden = upstream.some((waits) => waits.some((wait) => !this.canRead(wait.key)));
      const isShown = isRoot || upstream.every((waits) => waits.every((wait) => !this.canRead(wait.key)));
      if (!isShown) return [];
      const members = new Set<Key>();
      return [
        {
          key,
          hold,
          isBehindUnreadable: isHidden,
          members,
          behind: this.#behind.countBehind([key], members),
        },
      ];
    });
  }

  #toRootBlocker({ key, hold, isBehindUnreadable, behind }: Root): RootBlocker {
    const rows = this.#rows.list([key]);
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
      const behind = this.#behind.countBehind(locks, members, inside);
      if (key !== undefined && !members.has(key)) return [];
      const rows = this.#rows.list(locks, inside);
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
    const { waiting, waitedMs } = this.#behind.countBehind([key], new Set());
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
