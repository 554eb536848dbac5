import type { Logger } from "pino";
import type { Key } from "../../lib/keys/key.ts";
import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import type { WaitDeclaration } from "../formats/wait-declaration.ts";
import type { Masters } from "../redis/master.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import type { Watcher } from "../watch/watcher.ts";
import { DeadlockDetector } from "./deadlock-detector.ts";
import type { KnownDeadlock } from "./find-deadlocks.ts";
import { LibraryHolds } from "./library-holds.ts";
import { readWaits, type StoredWaiter, scanWaitedKeys } from "./read-waits.ts";
import { type HoldNode, toGraphToken, type Wait, WaitGraph } from "./wait-graph.ts";
import { WaitReport } from "./wait-report.ts";
import { WaitSchedule } from "./wait-schedule.ts";

/**
 * Minimum delay in ms between a change of a lock's waiters and their read. Short waits therefore cost one read per
 * interval.
 */
const READ_AFTER_MS = 300;
/** Maximum delay in ms. The delay increases by 1 ms per waiter, so that long lists are read less often. */
const READ_AFTER_MS_MAX = 1000;
/** Interval in ms at which a persisting deadlock is checked again and its refusal repeated. */
const DEADLOCK_CHECK_MS = 500;
const KEYS_PER_READ_MAX = 200;
/** Pause in ms between two reads if more locks are due than one read can contain. */
const BACKLOG_PAUSE_MS = 20;

export interface WaitMonitorDeps {
  readonly watcher: Watcher;
  readonly masters: Masters;
  /** Whether this instance is allowed to publish refusals. */
  readonly canWrite: boolean;
  readonly log: Logger;
}

/**
 * Keeps the wait-for graph of one target up to date, and finds deadlocks.
 *
 * An event or a read of a lock only marks the lock. The waiters of marked locks are then read from Redis, so every
 * instance has the same graph.
 */
export class WaitMonitor {
  readonly graph = new WaitGraph();
  readonly #detector: DeadlockDetector;
  /** Time of the last read of waiters, in Unix ms on the Redis clock; 0 before the first read. */
  asOf = 0;
  readonly #schedule = new WaitSchedule();
  readonly #libraryHolds: LibraryHolds;
  /**
   * Time at which each waiter was first read, by lock and id. Used for waiters whose start time Redis does not store.
   */
  readonly #firstSeen = new Map<Key, Map<string, number>>();
  /** Number of visible waiters, with or without a known owner, by lock, as of the last read of the lock. */
  readonly #listening = new Map<Key, number>();
  #timer: NodeJS.Timeout | undefined;
  #isChanged = false;
  #isRunning = false;
  #isStopped = false;
  #hasBacklog = false;
  #interruptions = -1;

  constructor(private readonly deps: WaitMonitorDeps) {
    const { watcher } = deps;
    this.#libraryHolds = new LibraryHolds(watcher.index);
    this.#detector = new DeadlockDetector({
      ...{ ...deps, graph: this.graph, target: watcher.options.target },
      findHold: (key) => this.findHold(key),
      readAgain: (keys) => this.#readAgain(keys),
    });
    watcher.onReading((key, before, after, waitersOfFree) =>
      this.#onReading(key, before, after, waitersOfFree),
    );
    watcher.onQueueChange((key) => this.markKey(key));
    watcher.onChange(() => this.#scanAfterBreak());
  }

  get deadlocks(): readonly KnownDeadlock[] {
    return this.#detector.deadlocks;
  }

  /** Number of deadlocks found since the process started. */
  get deadlockCount(): number {
    return this.#detector.count;
  }

  /**
   * Returns the number of a lock's visible waiters with an unknown owner. These waiters are visible only as
   * subscribers.
   */
  countUnnamed(key: Key): number {
    return Math.max(0, (this.#listening.get(key) ?? 0) - this.graph.getWaits(key).length);
  }

  /** Sums the time that clients have waited behind root blockers, by key pattern. The longest time comes first. */
  sumWaitedMsByPattern(): { pattern: string; waitedMs: number }[] {
    const sums = new Map<string, number>();
    for (const { key, waitedMs } of new WaitReport(this, () => true).listRoots()) {
      const pattern = toKeyPattern(key);
      sums.set(pattern, (sums.get(pattern) ?? 0) + waitedMs);
    }
    return [...sums]
      .map(([pattern, waitedMs]) => ({ pattern, waitedMs }))
      .sort((one, other) => other.waitedMs - one.waitedMs);
  }

  /** Lists the locks with visible waiters. */
  listWaitedKeys(): Key[] {
    return [...new Set([...this.graph.keys, ...this.#listening.keys()])];
  }

  /** The locks whose waiters are not read, because too many locks have waiters. */
  get leftOutKeys(): ReadonlySet<Key> {
    return this.#schedule.leftOut;
  }

  findHold(key: Key): ObservedHold | undefined {
    return this.deps.watcher.index.get(key);
  }

  get now(): number {
    return this.deps.watcher.clock.now();
  }

  /** Schedules a read of a lock's waiters in 300 to 1000 ms. Call this method for each event about a waiter. */
  markKey(key: Key): void {
    const delayMs = Math.min(READ_AFTER_MS_MAX, READ_AFTER_MS + this.graph.getWaits(key).length);
    this.#schedule.mark(key, performance.now() + delayMs);
    this.#arm();
  }

  /**
   * Schedules a read of a lock's waiters if the lock is known to have waiters. Call this method after a change to the
   * lock, because a waiter may have acquired the lock.
   */
  markKnownKey(key: Key): void {
    if (this.#schedule.has(key)) this.markKey(key);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #onReading(
    key: Key,
    before: ObservedHold | undefined,
    after: ObservedHold | undefined,
    waitersOfFree: number,
  ): void {
    this.#libraryHolds.update(key, before, after);
    const listening = after?.seen.waiters?.count ?? waitersOfFree;
    if (listening > 0) {
      this.#listening.set(key, listening);
      this.markKey(key);
    } else this.#listening.delete(key);
    if (this.graph.declaringWaits.size === 0) return;
    this.#isChanged = true;
    this.#arm();
  }

  /** Scans for waiters, because events were missed before the process started or while a connection was broken. */
  #scanAfterBreak(): void {
    const { watcher, masters } = this.deps;
    if (watcher.interruptions === this.#interruptions || !watcher.isUp) return;
    this.#interruptions = watcher.interruptions;
    void scanWaitedKeys(masters, (key) => this.markKey(key));
  }

  #arm(afterMs = READ_AFTER_MS): void {
    if (this.#timer !== undefined || this.#isStopped || this.#isRunning) return;
    this.#timer = setTimeout(() => void this.#run(), afterMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isRunning = true;
    try {
      await this.#readDueKeys();
      if (this.#isChanged || this.deadlocks.length > 0) {
        this.#isChanged = false;
        await this.#detector.update();
      }
    } catch (error) {
      this.deps.log.warn({ err: error }, "Could not read the waiters of locks");
    } finally {
      this.#isRunning = false;
    }
    if (this.#hasBacklog) this.#arm(BACKLOG_PAUSE_MS);
    else if (this.#isChanged) this.#arm();
    else if (this.deadlocks.length > 0) this.#arm(DEADLOCK_CHECK_MS);
    else if (this.#schedule.size > 0) this.#arm();
  }

  async #readDueKeys(): Promise<void> {
    const due = this.#schedule.takeDue(performance.now(), KEYS_PER_READ_MAX);
    this.#hasBacklog = due.length === KEYS_PER_READ_MAX;
    await this.#readKeys(due);
  }

  async #readKeys(keys: readonly Key[]): Promise<void> {
    if (keys.length === 0) return;
    const asOf = Math.floor(this.now);
    const seen = keys.map((key) => {
      const hold = this.findHold(key);
      return hold === undefined ? { state: "free" as const, key, asOf } : { ...hold.seen, asOf };
    });
    const read = await readWaits(this.deps.masters, seen);
    for (const [key, waiters] of read) this.#applyWaiters(key, waiters);
    this.asOf = asOf;
  }

  async #readAgain(keys: readonly Key[]): Promise<void> {
    await Promise.all(keys.map((key) => this.deps.watcher.readKey(key)));
    this.#schedule.setRead(keys, performance.now());
    await this.#readKeys(keys);
  }

  #applyWaiters(key: Key, waiters: readonly StoredWaiter[]): void {
    if (waiters.length === 0) {
      this.#firstSeen.delete(key);
      this.#schedule.remove(key, performance.now());
    }
    const hadWaits = this.graph.getWaits(key).length > 0;
    if (waiters.length === 0 && !hadWaits) return;
    const before = this.#firstSeen.get(key);
    const firstSeen = new Map<string, number>();
    const toSince = ({ id, sinceMs }: StoredWaiter) => {
      if (sinceMs !== null) return sinceMs;
      const since = before?.get(id) ?? Math.floor(this.now);
      firstSeen.set(id, since);
      return since;
    };
    this.graph.setWaits(
      key,
      waiters.map((waiter) => this.#toWait(key, waiter, toSince(waiter))),
    );
    if (firstSeen.size > 0) this.#firstSeen.set(key, firstSeen);
    this.#isChanged = true;
  }

  #toWait(key: Key, { id, by, owner, untilMs, declaration }: StoredWaiter, sinceMs: number): Wait {
    const holding =
      by === "library"
        ? this.#libraryHolds.list(owner).filter((hold) => hold.key !== key)
        : toHoldNodes(declaration);
    const { onDeadlock = "report", waitId } = declaration ?? {};
    return { id, key, owner, by, sinceMs, untilMs, holding, onDeadlock, waitId };
  }
}

function toHoldNodes(declaration: WaitDeclaration | undefined): HoldNode[] {
  if (declaration === undefined) return [];
  const { holding, principal } = declaration;
  return holding.map(({ key, token }) => ({ key, token: toGraphToken({ token, principal }) }));
}
