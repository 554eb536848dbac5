import type { Logger } from "pino";
import type { FormatName } from "../../lib/contract/format.ts";
import type { Health } from "../../lib/contract/live.ts";
import type { Key } from "../../lib/keys/key.ts";
import { type FormatRules, NO_RULES } from "../formats/format-rules.ts";
import { isAuxiliaryKey } from "../formats/keys.ts";
import type { HeldObservation, Observation } from "../formats/observation.ts";
import type { Journal } from "../history/journal.ts";
import { Glob, matchesAny } from "../redis/glob.ts";
import type { Master, Masters } from "../redis/master.ts";
import type { Notes } from "./annotations/notes.ts";
import { type OwnChange, OwnScriptEvents } from "./connection/own-script-events.ts";
import type { RedisClock } from "./connection/redis-clock.ts";
import { EventReporter } from "./events/event-reporter.ts";
import { MissedChangeTracker } from "./events/missed-change-tracker.ts";
import { RuleChange } from "./events/rule-change.ts";
import { UnseenHolds } from "./events/unseen-holds.ts";
import { type GetTypicalHeldMs, NO_TYPICAL_HELD } from "./holds/attention.ts";
import { createTransientHold } from "./holds/continuity.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import { LockIndex } from "./index/lock-index.ts";
import { LockPresenter } from "./lock-presenter.ts";
import { type ReadingListener, ReadingPipeline } from "./reading-pipeline.ts";
import { MasterSet } from "./topology/master-set.ts";
import { MasterWatch, type MasterWatchSettings } from "./topology/master-watch.ts";
import { QuorumView } from "./topology/quorum-view.ts";
import { SingleMasterView } from "./topology/single-master-view.ts";
import type { TopologyView } from "./topology/topology-view.ts";
import { buildHealth, findConfirmedAt, isFullyWatched } from "./watch-health.ts";
import type { WatcherOptions } from "./watcher-options.ts";

export type { WatcherOptions };

const RECONCILE_EVERY_MS = 30_000;

/**
 * Watches one target. Its index contains the state of the watched locks, and its journal receives an event for each
 * change.
 *
 * Creates the components and serves queries about the target. `MasterSet` has a `MasterWatch` for each master, and the
 * `TopologyView` decides which master determines the state of a key. The `ReadingPipeline` applies readings to the
 * `LockIndex` and reports events. The `LockPresenter` converts holds to API locks.
 */
export class Watcher {
  readonly index: LockIndex;
  readonly locks: LockPresenter;
  /** Counts changes that no notification reported. */
  readonly missedChanges: MissedChangeTracker;
  readonly #unseenHolds: UnseenHolds;
  readonly #longUnseenHoldListeners = new Set<(from: number) => void>();
  readonly #masterSet: MasterSet;
  readonly #view: TopologyView;
  readonly #eventReporter: EventReporter;
  readonly #ownScriptEvents = new OwnScriptEvents();
  readonly #pipeline: ReadingPipeline;
  readonly #changeListeners = new Set<() => void>();
  readonly #watchedPatterns: readonly Glob[];
  /**
   * Returns the typical (p95) hold time of a key's pattern in ms, or `undefined` if unknown. Set by the target's
   * statistics.
   */
  getTypicalHeldMs: GetTypicalHeldMs = NO_TYPICAL_HELD;
  /**
   * Returns the number of waiters for the target's locks. Returns 0 until the target's statistics replace this
   * function.
   */
  countWaiters = (): number => 0;
  /** Returns the number of deadlocks. Returns 0 until the target's wait monitor replaces this function. */
  countDeadlocks = (): number => 0;
  #formatRules: FormatRules;

  constructor(
    readonly options: WatcherOptions,
    private readonly masters: Masters,
    journal: Journal,
    private readonly log?: Logger,
  ) {
    this.#formatRules = options.rules ?? NO_RULES;
    this.#watchedPatterns = options.watch.map((pattern) => new Glob(pattern));
    this.index = new LockIndex(options.locksMax, {
      now: () => this.clock.now(),
      getTypicalHeldMs: (key) => this.getTypicalHeldMs(key),
      isAlwaysListed: (key) => this.isAlwaysListed(key),
      ...(options.restoreHold === undefined ? {} : { restoreHold: options.restoreHold }),
    });
    this.#masterSet = new MasterSet(masters, {
      createWatch: (master) => this.#createMasterWatch(master),
      enqueueRead: (key) => this.#view.enqueueRead(key),
      onStateChange: () => this.#emitChange(),
    });
    this.missedChanges = new MissedChangeTracker(
      () => this.#masterSet.continuityId,
      (what) => log?.warn({ target: options.target, what }, "Found a change without a notification"),
    );
    this.#unseenHolds = new UnseenHolds((from) => this.#emitLongUnseenHold(from));
    this.#eventReporter = new EventReporter(options.target, journal, (key) => this.#requestReread(key));
    this.#view = this.#createView();
    this.locks = new LockPresenter(
      options.target,
      this.index,
      (key) => this.#view.findVotes(key),
      (key) => this.#findUnreadable(key)?.reason,
      options.runbooks,
    );
    this.#pipeline = this.#createPipeline();
    this.#masterSet.sync();
  }

  start(): void {
    this.#masterSet.start();
  }

  /** Stops watching. Does not close the masters, because they belong to another component. */
  stop(): void {
    this.#masterSet.stop();
    this.#eventReporter.stop();
    this.missedChanges.stop();
    this.#unseenHolds.stop();
  }

  /**
   * Calls the listener after each change to the index or to the watcher's health. The listener must be cheap, because
   * calls are frequent. Returns a function that removes the listener.
   */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /**
   * Calls the listener when Lockkeeper has missed a foreign hold that may have lasted longer than 200 ms. `from` is the
   * earliest possible start of the hold, in Unix ms on the Redis clock. Returns a function that removes the listener.
   */
  onLongUnseenHold(listener: (from: number) => void): () => void {
    this.#longUnseenHoldListeners.add(listener);
    return () => this.#longUnseenHoldListeners.delete(listener);
  }

  /**
   * Calls the listener for each reading, before the events that result from the reading are published. Returns a
   * function that removes the listener.
   */
  onReading(listener: ReadingListener): () => void {
    return this.#pipeline.onReading(listener);
  }

  /**
   * Calls the listener when a Redisson client enters or leaves the queue of a fair lock. Returns a function that
   * removes the listener.
   */
  onQueueChange(listener: (key: Key) => void): () => void {
    return this.#pipeline.onQueue(listener);
  }

  /** Whether enough masters respond for the index to be current: at least one, or on a quorum, a majority. */
  get isUp(): boolean {
    return this.#view.isUp;
  }

  /** Total number of times that a connection to a current master was lost. */
  get interruptions(): number {
    return this.#masterSet.interruptions;
  }

  /** The clock of a responding master or, on a quorum, Lockkeeper's own clock. Each master also has its own clock. */
  get clock(): RedisClock {
    return this.#view.clock;
  }

  /**
   * Latest time, in Unix ms on the Redis clock, up to which the index contains every change to its locks. All
   * notifications sent before this time have arrived and their keys have been read, or each key has been polled.
   * Masters that do not respond are ignored, unless none responds. If there is no such time yet, this is the time of
   * the last clock update.
   */
  get asOf(): number {
    const confirmedAt = findConfirmedAt(this.#masterSet.list);
    return confirmedAt === undefined
      ? this.clock.lastUpdate
      : Math.round(this.clock.toRedisTime(confirmedAt));
  }

  health(): Health {
    const { listedCount: locks, leftOut } = this.index;
    const { majority } = this.#view;
    const needsAttention = [...this.index.attentionCounts.values()].reduce((sum, count) => sum + count, 0);
    const counts = {
      ...{ missed: this.missedChanges.counts, locks, needsAttention },
      ...{ waiting: this.countWaiters(), deadlocks: this.countDeadlocks() },
    };
    const { ignoredEvents } = this.#pipeline;
    return buildHealth(this.#masterSet.list, this.clock.now(), {
      ...{ ...counts, leftOut, majority, ignoredEvents, unseenHolds: this.#unseenHolds.count },
      unlisted: this.index.countUnlisted(),
    });
  }

  /** Watched keys that cannot be read, by master. */
  get unreadableKeys() {
    return this.#masterSet.list.map(({ master, unreadableKeys }) => ({
      master: master.name,
      keys: unreadableKeys.entries,
    }));
  }

  #findUnreadable(key: Key) {
    const watch = this.#masterSet.list.find(({ unreadableKeys }) => unreadableKeys.entries.has(key));
    return watch?.unreadableKeys.entries.get(key);
  }

  /** Whether the index is complete: all masters, or a majority of a quorum, respond and have been scanned. */
  get isComplete(): boolean {
    const watches = this.#masterSet.list;
    const watched = watches.filter(isFullyWatched).length;
    return watched > 0 && watched >= (this.#view.majority ?? watches.length);
  }

  /** Whether the key cannot be read, or the masters of a quorum have not decided its state yet. */
  isStateUnknown(key: Key): boolean {
    if (this.#masterSet.list.some((watch) => watch.isUnreadable(key))) return true;
    return this.#view.isUndecided?.(key) ?? false;
  }

  /** Resolves when the index contains everything that Redis has reported so far, or after 500 ms. */
  waitUntilSettled(): Promise<void> {
    return this.#masterSet.waitUntilSettled();
  }

  /**
   * Resolves when the index contains what Redis has reported so far, or after 500 ms. Unlike `waitUntilSettled`, this
   * method waits neither for batches to fill up nor for keys that change constantly.
   */
  readQueued(): Promise<void> {
    return this.#masterSet.readQueued();
  }

  isWatched(key: Key): boolean {
    return matchesAny(this.#watchedPatterns, key) && !isAuxiliaryKey(key);
  }

  /**
   * Whether a lock with this key is listed even if it is only a possible lock. True if the key is lockable or a rule
   * sets its format.
   */
  isAlwaysListed(key: Key): boolean {
    const rules = this.#formatRules;
    return rules.findReach(key) === "lockable" || rules.findFormat(key) !== undefined;
  }

  /** Reads a key in Redis immediately. Updates the index if the key is watched. @throws if Redis is unreachable */
  async readKey(key: Key): Promise<{ observation: Observation; hold: ObservedHold | undefined }> {
    if (this.isWatched(key)) {
      const observation = await this.#view.readAndApply(key);
      return { observation, hold: this.index.get(key) ?? this.#createTransientHold(observation) };
    }
    const observation = await this.#view.readWithRules(key, this.#formatRules);
    return { observation, hold: this.#createTransientHold(observation) };
  }

  /** Reads a key as a lock in the given format without changing the index. @throws if Redis is unreachable */
  readKeyAs(key: Key, format: FormatName): Promise<Observation> {
    return this.#view.readWithRules(key, { findFormat: () => format });
  }

  /** Reads a key with the given rules without changing the index. @throws if Redis is unreachable */
  readKeyWithRules(key: Key, rules: FormatRules): Promise<Observation> {
    return this.#view.readWithRules(key, rules);
  }

  /**
   * Records that an operator force-released a foreign hold, so that Lockkeeper can recognize the hold if its library
   * recreates it. Has no effect if the holder has a fencing token.
   */
  recordForceRelease(observation: HeldObservation, holder = observation.holders[0]): void {
    this.#pipeline.recordForceRelease(observation, holder);
  }

  /** Records the reply to a verb that this process ran. @param fence the fencing token of the hold */
  recordVerbReply(change: OwnChange, key: Key, fence: string): void {
    this.#ownScriptEvents.recordReply(change, key, fence);
  }

  /** Waits until all notifications that Redis has sent for the key have arrived. @throws if Redis is unreachable */
  confirmContinuity(key: Key): Promise<void> {
    return this.#view.confirmContinuity(key);
  }

  get formatRules(): FormatRules {
    return this.#formatRules;
  }

  /**
   * Applies new format rules and starts reading all keys again. Changes in Redis are still reported during these reads.
   */
  setFormatRules(rules: FormatRules): void {
    const change = new RuleChange(this.#formatRules, rules);
    this.#formatRules = rules;
    this.#pipeline.beginRuleChange(change);
    void this.#masterSet
      .rescan()
      .then(() => this.waitUntilSettled())
      .finally(() => this.#pipeline.endRuleChange(change));
  }

  attachNotes(notes: Notes): void {
    this.locks.attachNotes(notes);
    this.#pipeline.attachNotes(notes);
    notes.onChange(() => this.#emitChange());
  }

  #createTransientHold(observation: Observation): ObservedHold | undefined {
    return createTransientHold(observation, this.isAlwaysListed(observation.key));
  }

  #createView(): TopologyView {
    const { watches } = this.#masterSet;
    return this.masters.isQuorum
      ? new QuorumView(watches, this.index, (evaluations) => this.#pipeline.applyReadings(evaluations))
      : new SingleMasterView(this.masters, watches, this.index);
  }

  #createPipeline(): ReadingPipeline {
    return new ReadingPipeline({
      target: this.options.target,
      isQuorum: this.masters.isQuorum === true,
      view: this.#view,
      index: this.index,
      missedChanges: this.missedChanges,
      unseenHolds: this.#unseenHolds,
      eventReporter: this.#eventReporter,
      ownScriptEvents: this.#ownScriptEvents,
      log: this.log,
      isWatched: (key) => this.isWatched(key),
      onChange: () => this.#emitChange(),
    });
  }

  #createMasterWatch(master: Master): MasterWatch {
    const { watch, notifications, readOnly = false, reconcileEveryMs = RECONCILE_EVERY_MS } = this.options;
    const settings: MasterWatchSettings = {
      ...{ db: this.masters.db, watch, notifications, readOnly, reconcileEveryMs },
      getFormatRules: () => this.#formatRules,
    };
    return new MasterWatch(master, settings, this.#view, this.#pipeline);
  }

  #requestReread(key: Key): boolean {
    const isWatched = this.isWatched(key);
    if (isWatched) this.#view.enqueueRead(key);
    return isWatched;
  }

  #emitLongUnseenHold(from: number): void {
    const startedAt = Math.round(this.clock.toRedisTime(from));
    for (const listener of this.#longUnseenHoldListeners) listener(startedAt);
  }

  #emitChange(): void {
    for (const listener of this.#changeListeners) listener();
  }
}
