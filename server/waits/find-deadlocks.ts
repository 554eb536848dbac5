import type { Key } from "../../lib/keys/key.ts";
import type { FindHeldLock, Wait, WaitGraph } from "./wait-graph.ts";

/**
 * A set of waits that block each other. The clients can continue only if one of the waits ends without a grant, or if
 * one of the clients releases a lock while it waits.
 */
export interface Deadlock {
  /**
   * A shortest cycle that contains the youngest wait, beginning with that wait. Each wait is for a lock that the client
   * of the next wait holds. The last wait is for a lock that the client of the first wait holds.
   */
  readonly cycle: readonly Wait[];
  /** All waits that block each other. They form one cycle, or several cycles that share waits. */
  readonly waits: readonly Wait[];
}

/** A deadlock with its id. */
export interface KnownDeadlock extends Deadlock {
  /** Identifies the set of waits, with the same value on all instances. */
  readonly id: string;
}

/** The state of a lock during graph reduction: which of its holders cannot release. */
interface LockState {
  readonly waits: Wait[];
  /** Graph tokens of the holds whose client is stuck. */
  readonly stuck: Set<Key>;
  readonly blocking: "all" | "any";
  readonly holders: number;
}

/**
 * Finds the deadlocks by graph reduction. First assumes that every client that waits and holds a lock is stuck. Then
 * repeatedly removes clients that can continue, until no client can be removed. The strongly connected components of
 * the remaining waits are the deadlocks.
 *
 * The time depends only on the waits that declare a hold, and on the holders of the locks that these waits are for.
 * Other waits are never part of a cycle, so they are not processed.
 */
export function findDeadlocks(graph: WaitGraph, findHeldLock: FindHeldLock): Deadlock[] {
  if (graph.declaringWaits.size === 0) return [];
  const stuck = findStuckWaits(graph, findHeldLock);
  if (stuck.size === 0) return [];
  const next = (wait: Wait) => listBlockingWaits(wait, graph, findHeldLock, stuck);
  return findComponents(stuck, next).map((waits) => ({ waits, cycle: findShortestCycle(waits, next) }));
}

/** Returns the waits that cannot end with a grant, regardless of what clients outside these waits do. */
function findStuckWaits(graph: WaitGraph, findHeldLock: FindHeldLock): Set<Wait> {
  const stuck = new Set(graph.declaringWaits);
  const locks = new Map<Key, LockState>();
  for (const wait of stuck) {
    const known = locks.get(wait.key);
    if (known !== undefined) known.waits.push(wait);
    else locks.set(wait.key, createLockState(wait, graph, findHeldLock));
  }
  /** Number of waits that must still end before a client can release a hold, by hold. */
  const pending = new Map<string, number>();
  for (const wait of stuck)
    for (const { key, token } of wait.holding) {
      const name = `${key}\n${token}`;
      pending.set(name, (pending.get(name) ?? 0) + 1);
    }
  const passable = [...locks.values()].filter(isPassable);
  const passed = new Set(passable);
  for (let lock = passable.pop(); lock !== undefined; lock = passable.pop()) {
    for (const wait of lock.waits) {
      stuck.delete(wait);
      for (const { key, token } of wait.holding) {
        const name = `${key}\n${token}`;
        const left = (pending.get(name) ?? 0) - 1;
        pending.set(name, left);
        const held = left === 0 ? locks.get(key) : undefined;
        if (held === undefined || !held.stuck.delete(token) || passed.has(held) || !isPassable(held))
          continue;
        passed.add(held);
        passable.push(held);
      }
    }
  }
  return stuck;
}

function createLockState(wait: Wait, graph: WaitGraph, findHeldLock: FindHeldLock): LockState {
  const held = findHeldLock(wait.key);
  const tokens = held?.tokens ?? [];
  return {
    waits: [wait],
    stuck: new Set(tokens.filter((token) => graph.findWaitsOfHold(wait.key, token) !== undefined)),
    blocking: held?.blocking ?? "all",
    holders: new Set(tokens).size,
  };
}

/** Whether the waiters of a lock can acquire it once the holders that are not stuck have released it. */
function isPassable({ stuck, blocking, holders }: LockState): boolean {
  return blocking === "all" ? stuck.size === 0 : stuck.size < holders || holders === 0;
}

/** Returns the stuck waits of the clients that hold the lock of a wait. */
function listBlockingWaits(
  { key }: Wait,
  graph: WaitGraph,
  findHeldLock: FindHeldLock,
  stuck: ReadonlySet<Wait>,
): Wait[] {
  const blocking = new Set<Wait>();
  for (const token of findHeldLock(key)?.tokens ?? [])
    for (const wait of graph.findWaitsOfHold(key, token) ?? []) if (stuck.has(wait)) blocking.add(wait);
  return [...blocking];
}

interface Visit {
  readonly wait: Wait;
  readonly next: Wait[];
  readonly index: number;
  low: number;
  isOpen: boolean;
}

/** Finds the strongly connected components that contain a cycle (Tarjan, without recursion). */
function findComponents(waits: Iterable<Wait>, next: (wait: Wait) => Wait[]): Wait[][] {
  const visits = new Map<Wait, Visit>();
  const open: Visit[] = [];
  const components: Wait[][] = [];
  const begin = (wait: Wait): Visit => {
    const visit = { wait, next: next(wait), index: visits.size, low: visits.size, isOpen: true };
    visits.set(wait, visit);
    open.push(visit);
    return visit;
  };
  for (const start of waits) {
    const path = visits.has(start) ? [] : [begin(start)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const following = visit.next.pop();
      if (following !== undefined) {
        const seen = visits.get(following);
        if (seen === undefined) path.push(begin(following));
        else if (seen.isOpen) visit.low = Math.min(visit.low, seen.index);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) before.low = Math.min(before.low, visit.low);
      if (visit.low !== visit.index) continue;
      const component = open.splice(open.indexOf(visit));
      for (const member of component) member.isOpen = false;
      if (component.length > 1 || next(visit.wait).includes(visit.wait))
        components.push(component.map(({ wait }) => wait));
    }
  }
  return components;
}

/** Returns a shortest cycle through the youngest wait of a component, beginning with that wait. */
function findShortestCycle(component: readonly Wait[], next: (wait: Wait) => Wait[]): Wait[] {
  const members = new Set(component);
  const youngest = component.reduce((one, other) =>
    (other.sinceMs ?? 0) > (one.sinceMs ?? 0) ? other : one,
  );
  const before = new Map<Wait, Wait>();
  const queue = [youngest];
  for (const wait of queue) {
    for (const following of next(wait)) {
      if (following === youngest) return [...listPath(wait, before)].reverse();
      if (!members.has(following) || before.has(following)) continue;
      before.set(following, wait);
      queue.push(following);
    }
  }
  return [youngest];
}

function* listPath(last: Wait, before: ReadonlyMap<Wait, Wait>): Generator<Wait> {
  for (let wait: Wait | undefined = last; wait !== undefined; wait = before.get(wait)) yield wait;
}

/** Returns the youngest wait that can be refused, or `undefined` if no client in the deadlock chose `refuse`. */
export function chooseRefusedWait({ waits }: Deadlock): Wait | undefined {
  let youngest: Wait | undefined;
  for (const wait of waits) {
    if (wait.onDeadlock !== "refuse" || wait.waitId === undefined) continue;
    if (youngest === undefined || isYounger(wait, youngest)) youngest = wait;
  }
  return youngest;
}

/**
 * Whether the first wait began after the second. Ties are resolved by the id, so that all instances choose the same
 * wait.
 */
function isYounger(one: Wait, other: Wait): boolean {
  const [since, otherSince] = [one.sinceMs ?? 0, other.sinceMs ?? 0];
  return since === otherSince ? one.id > other.id : since > otherSince;
}
