import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { FormatName } from "../../lib/contract/format.ts";
import type { Health } from "../../lib/contract/live.ts";
import type { Lock, Note } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import { type FormatRules, NO_RULES } from "../formats/format-rules.ts";
import { isAuxiliaryKey } from "../formats/keys.ts";
import type { HeldObservation, Observation, SeenWaiters } from "../formats/observation.ts";
import { readKeys } from "../formats/registry/read-keys.ts";
import type { Journal } from "../history/journal.ts";
import { Glob, type KeyPatternSet, matchesAny } from "../redis/glob.ts";
import type { Master, Masters } from "../redis/master.ts";
import type { Notes } from "./annotations/notes.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import type { RedisClock } from "./connection/redis-clock.ts";
import type { ScriptEvent } from "./connection/script-event.ts";
import { EventReporter } from "./events/event-reporter.ts";
import { MissedChangeTracker } from "./events/missed-change-tracker.ts";
import { type GetTypicalHeldMs, NO_TYPICAL_HELD } from "./holds/abnormal.ts";
import { createTransientHold } from "./holds/continuity.ts";
import { toFreeLock, toLock } from "./holds/lock-view.ts";
import type { ObservedHold } from "./holds/observed-hold.ts";
import { LockIndex } from "./index/lock-index.ts";
import type { Reading } from "./scan/key-reader.ts";
import { MasterWatch } from "./topology/master-watch.ts";
import { QuorumView } from "./topology/quorum-view.ts";
import { SingleMasterView } from "./topology/single-master-view.ts";
import type { AppliedReading, TopologyView } from "./topology/topology-view.ts";
import { buildHealth, isFullyWatched } from "./watch-health.ts";

export interface WatcherOptions {
  readonly target: string;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  /** Nothing is ever written: no canary, no setting. */
  readonly readOnly?: boolean;
  /** What shape alone does not tell. */
  readonly rules?: FormatRules;
  /** What to read about a lock. */
  readonly runbooks?: Runbooks;
  /** Locks beyond so many are not taken into the picture. */
  readonly locksMax?: number;
  /** How often all keys are gone through for what was not told. */
  readonly reconcileEveryMs?: number;
}

/** Told of each look at a key: what was in the picture before it and after it, and who waits for it while it is free. */
export type ReadingListener = (
  key: Key,
  before: ObservedHold | undefined,
  after: ObservedHold | undefined,
  waitersOfFree: number,
) => void;

const SETTLE_TIMEOUT_MS = 500;
const RECONCILE_EVERY_MS = 30_000;
/** How many keys with the same token a lock is shown with. */
const SHARED_WITH_MAX = 20;

/** Keeps the picture of one target right, whatever masters it has, and tells the journal what happened. */
export class Watcher {
  readonly index: LockIndex;
  /** Changes that nobody told us of. */
  readonly missedChanges: MissedChangeTracker;
  readonly #masterWatches = new Map<Master, MasterWatch>();
  readonly #eventReporter: EventReporter;
  readonly #view: TopologyView;
  readonly #changeListeners = new Set<() => void>();
  readonly #readingListeners = new Set<ReadingListener>();
  readonly #watchedPatterns: readonly Glob[];
  #notes: Notes | undefined;
  /** How long locks of a key's pattern are usually held; whoever counts it says so. */
  getTypicalHeldMs: GetTypicalHeldMs = NO_TYPICAL_HELD;
  /** How many wait for locks; whoever counts it says so. */
  countWaiters = (): number => 0;
  #formatRules: FormatRules;
  #unsubscribeFromMasters = () => undefined as unknown;
  #isRunning = false;

  constructor(
    readonly options: WatcherOptions,
    private readonly masters: Masters,
    journal: Journal,
    private readonly log?: Logger,
  ) {
    this.index = new LockIndex(options.locksMax, {
      now: () => this.clock.now(),
      getTypicalHeldMs: (key) => this.getTypicalHeldMs(key),
    });
    this.missedChanges = new MissedChangeTracker(
      () => this.#allWatches.map(({ connection }) => connection.continuityId).join(" "),
      (what) =>
        this.log?.warn({ target: options.target, what }, "a change was found that Redis never told of"),
    );
    this.#formatRules = options.rules ?? NO_RULES;
    this.#watchedPatterns = options.watch.map((pattern) => new Glob(pattern));
    this.#eventReporter = new EventReporter(options.target, journal, (key) => this.#requestReread(key));
    this.#view = masters.isQuorum
      ? new QuorumView(this.#masterWatches, this.index, (taken) => this.#applyReadings(taken))
      : new SingleMasterView(masters, this.#masterWatches, this.index);
    this.#syncMasters();
  }

  start(): void {
    this.#isRunning = true;
    this.#unsubscribeFromMasters = this.masters.onChange(() => this.#syncMasters());
    for (const watch of this.#masterWatches.values()) watch.start();
  }

  /** The masters stay open: whoever opened them closes them. */
  stop(): void {
    this.#isRunning = false;
    this.#unsubscribeFromMasters();
    for (const watch of this.#masterWatches.values()) watch.stop();
    this.#eventReporter.stop();
    this.missedChanges.stop();
  }

  /** Called after the picture or its health changed; cheap and often. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Called with each look, before the journal is told what it means. */
  onReading(listener: ReadingListener): () => void {
    this.#readingListeners.add(listener);
    return () => this.#readingListeners.delete(listener);
  }

  /** Whether the picture can be right at all: any of the masters answers. */
  get isUp(): boolean {
    return this.#view.isUp;
  }

  /** How often one of its masters went out of touch. */
  get breaks(): number {
    return this.#allWatches.reduce((sum, { connection }) => sum + connection.breaks, 0);
  }

  /** The clock that the target as a whole is told by: each master has its own. */
  get clock(): RedisClock {
    return this.#view.clock;
  }

  health(): Health {
    const { size: locks, leftOut } = this.index;
    const { majority } = this.#view;
    const abnormal = [...this.index.abnormalCounts.values()].reduce((sum, count) => sum + count, 0);
    const counts = { missed: this.missedChanges.counts, locks, waiting: this.countWaiters(), abnormal };
    return buildHealth(this.#allWatches, this.clock.now(), { ...counts, leftOut, majority });
  }

  /** Whether nothing escapes it: all masters are watched, or of a quorum as many as decide. */
  get isComplete(): boolean {
    const live = this.#allWatches.filter(isFullyWatched).length;
    return live > 0 && live >= (this.#view.majority ?? this.#allWatches.length);
  }

  /** Resolves when the picture has taken in what was heard so far, or Redis does not let it. */
  async waitUntilSettled(): Promise<void> {
    const round = () => Promise.all(this.#allWatches.map((watch) => watch.waitUntilSettled()));
    // What one master turned out to have no more is read at the next.
    const all = this.masters.routing === undefined ? round() : round().then(round);
    await Promise.race([all, sleep(SETTLE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  isWatched(key: Key): boolean {
    return matchesAny(this.#watchedPatterns, key) && !isAuxiliaryKey(key);
  }

  /** Looks at a key in Redis now. The picture takes it in when it is a watched one. */
  async readKey(key: Key): Promise<{ observation: Observation; hold: ObservedHold | undefined }> {
    if (this.isWatched(key)) {
      const observation = await this.#view.readAndApply(key);
      return { observation, hold: this.index.get(key) ?? createTransientHold(observation) };
    }
    const observation = await this.#view.readWithRules(key, this.#formatRules);
    return { observation, hold: createTransientHold(observation) };
  }

  /** What a key is when it is read as one format; the picture stays as it is. */
  async readKeyAs(key: Key, format: FormatName): Promise<Observation> {
    return await this.#view.readWithRules(key, { findFormat: () => format });
  }

  /** What a key is by other rules; the picture stays as it is. @throws when Redis is away */
  async readKeyWithRules(key: Key, rules: FormatRules): Promise<Observation> {
    return await this.#view.readWithRules(key, rules);
  }

  /** A hold of another library was freed by force: should it be there again, it was made again. */
  recordForceRelease({ key, format, holders }: HeldObservation, holder = holders[0]): void {
    if (holder.fence === null) this.#eventReporter.recordForceRelease(key, holder.owner, format);
  }

  /** Makes sure that nothing we should have heard of the key is still on its way. @throws when Redis is away */
  async confirmContinuity(key: Key): Promise<void> {
    await this.#view.confirmContinuity(key);
  }

  /** From now on keys are of the formats that these rules say. Everything is read again. */
  setFormatRules(rules: FormatRules): void {
    this.#formatRules = rules;
    // When a lock that is one by new rules alone was taken, nobody knows.
    for (const { reconciliation } of this.#allWatches) {
      reconciliation.invalidate();
      void reconciliation.runNow();
    }
  }

  /** Some of the other keys that hold the very token of this hold now; `within`: those that the caller may know of. */
  findKeysSharingToken(hold: ObservedHold, within?: KeyPatternSet): readonly Key[] {
    const keys = this.index.findKeysSharingToken(hold, SHARED_WITH_MAX);
    return within === undefined ? keys : keys.filter((key) => within.has(key));
  }

  toLock(hold: ObservedHold, sharedWith = this.findKeysSharingToken(hold)): Lock {
    const lock = toLock(this.options.target, hold, sharedWith);
    return withAnnotations(lock, this.findNote(hold.key, hold), this.options.runbooks?.findUrl(hold.key));
  }

  /** @param votes on it; as the picture has them by default */
  toFreeLock(key: Key, asOf: number, waiters?: SeenWaiters, votes = this.#view.findVotes(key)): Lock {
    const lock = toFreeLock(this.options.target, key, asOf, waiters, votes);
    return withAnnotations(lock, this.findNote(key, undefined), this.options.runbooks?.findUrl(key));
  }

  /** What was written about a lock. */
  findNote(key: Key, hold: ObservedHold | undefined): Note | undefined {
    return this.#notes?.find(key, hold);
  }

  attachNotes(notes: Notes): void {
    this.#notes = notes;
    notes.onChange(() => this.#emitChange());
  }

  get #allWatches(): MasterWatch[] {
    return [...this.#masterWatches.values()];
  }

  /** Masters come and go. */
  #syncMasters(): void {
    const { list } = this.masters;
    const left: Key[] = [];
    for (const [master, watch] of this.#masterWatches) {
      if (list.includes(master)) continue;
      this.#masterWatches.delete(master);
      for (const key of watch.stop()) left.push(key);
    }
    for (const master of list) {
      if (this.#masterWatches.has(master)) continue;
      const watch = this.#createMasterWatch(master);
      this.#masterWatches.set(master, watch);
      if (this.#isRunning) watch.start();
    }
    for (const key of left) this.#view.enqueueRead(key);
    this.#emitChange();
  }

  #createMasterWatch(master: Master): MasterWatch {
    const { watch, notifications, readOnly = false, reconcileEveryMs = RECONCILE_EVERY_MS } = this.options;
    const at = new MasterWatch(master, {
      ...{ db: this.masters.db, watch, notifications, readOnly, reconcileEveryMs },
      listKnownKeys: (unseenForMs) => this.#view.listKnownKeys(at, unseenForMs),
      isKnown: (key) => this.#view.isKnown(key, at),
      readKeys: (keys) => this.#readFromMaster(master, keys),
      computeRereadDelayMs: (key) => this.#view.computeRereadDelayMs(key, at),
      onReadings: (looks) => this.#onReadings(looks, at),
      onBlindPeriod: (keys) => this.#view.onBlindPeriod(keys, at),
      onStateChange: () => this.#onMasterStateChange(),
      listener: {
        onKeyChange: (key, event) => {
          this.#recordNotification(key);
          this.#view.onKeyChange(key, event, at);
        },
        onScriptEvent: (event) => this.#onScriptEvent(event, at),
      },
    });
    return at;
  }

  /** What turned out to be at another master by now is marked there, and left out. */
  async #readFromMaster(master: Master, keys: readonly Key[]): Promise<Observation[]> {
    const { routing } = this.masters;
    const seen = await readKeys(master.redis, keys, this.#formatRules, routing);
    if (routing === undefined) return seen;
    // What was read while its slot went away is as old as that, and may be overtaken by a look at its new master.
    const here = seen.filter(({ key }) => this.masters.findMaster(key) === master);
    const known = new Set(here.map(({ key }) => key));
    for (const key of keys) if (!known.has(key)) this.#view.enqueueRead(key);
    return here;
  }

  #requestReread(key: Key): boolean {
    const isWatched = this.isWatched(key);
    if (isWatched) this.#view.enqueueRead(key);
    return isWatched;
  }

  #onScriptEvent(said: ScriptEvent, at: MasterWatch): void {
    if (this.isWatched(said.key)) this.#recordNotification(said.key);
    const told = this.#view.onScriptEvent(said, at);
    if (told !== undefined) this.#eventReporter.reportScriptEvent(told.event, told.hint);
  }

  #onReadings(looks: readonly Reading[], at: MasterWatch): void {
    this.#applyReadings(looks.map((look) => () => this.#view.evaluateReading(look, at)));
  }

  #applyReadings(all: readonly (() => AppliedReading | undefined)[]): void {
    for (const each of all) {
      try {
        const taken = each();
        if (taken !== undefined) this.#applyReading(taken);
      } catch (error) {
        // One lock that cannot be told must not end the picture of the others.
        this.log?.error({ err: error }, "a look could not be taken in");
      }
    }
    this.#emitChange();
  }

  /** A master is in another state than before. */
  #onMasterStateChange(): void {
    this.#view.onMasterStateChange();
    this.#emitChange();
  }

  #applyReading({ observation, context, said, ...told }: AppliedReading): void {
    const { key } = observation;
    const { before, after } = this.index.applyObservation(observation, context);
    const kept = this.index.get(key);
    // A decision of several masters is taken from looks and words of each, and of which word it is cannot be told.
    if (!this.masters.isQuorum) {
      this.missedChanges.checkReading({ observation, before, after: kept, context: context, ...told });
    }
    this.#notes?.removeIfEnded(key, after);
    const waitersOfFree = this.index.findWaiters(key)?.count ?? 0;
    for (const listener of this.#readingListeners) listener(key, before, kept, waitersOfFree);
    if (said !== undefined) this.#eventReporter.reportScriptEvent(said);
    this.#eventReporter.reportReading({ key, hold: after, isIndexed: kept !== undefined, ...told });
  }

  #recordNotification(key: Key): void {
    if (!this.masters.isQuorum) this.missedChanges.recordNotification(key);
  }

  #emitChange(): void {
    for (const listener of this.#changeListeners) listener();
  }
}

/** What people wrote about a lock, here and elsewhere. */
function withAnnotations(lock: Lock, note: Note | undefined, runbook: string | undefined): Lock {
  if (note === undefined && runbook === undefined) return lock;
  return { ...lock, ...(note === undefined ? {} : { note }), ...(runbook === undefined ? {} : { runbook }) };
}
