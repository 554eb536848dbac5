import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { FormatName } from "../../lib/contract/format.ts";
import type { Health } from "../../lib/contract/live.ts";
import type { Lock, Note } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import { type FormatRules, NO_RULES } from "../formats/format-rules.ts";
import { standsAside } from "../formats/keys.ts";
import type { HeldObservation, Observation, SeenWaiters } from "../formats/observation.ts";
import { read } from "../formats/registry/read-keys.ts";
import type { Journal } from "../history/journal.ts";
import { Glob, type KeyRange, matchesAny } from "../redis/glob.ts";
import type { Master, Masters } from "../redis/master.ts";
import type { Notes } from "./annotations/notes.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import type { RedisClock } from "./connection/redis-clock.ts";
import type { OwnEvent } from "./connection/script-event.ts";
import { Reporter } from "./events/event-reporter.ts";
import { Missed } from "./events/missed-change-tracker.ts";
import { NOTHING_USUAL, type UsualHeld } from "./holds/abnormal.ts";
import { passingHoldOf } from "./holds/continuity.ts";
import { freeLock, lockOf } from "./holds/lock-view.ts";
import type { Hold } from "./holds/observed-hold.ts";
import { Mirror } from "./index/lock-index.ts";
import type { Look } from "./scan/key-reader.ts";
import { MasterWatch } from "./topology/master-watch.ts";
import { Quorum } from "./topology/quorum-view.ts";
import { Homes } from "./topology/single-master-view.ts";
import type { Sources, Taken } from "./topology/topology-view.ts";
import { healthOf, isWatchedWell } from "./watch-health.ts";

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
export type SeenListener = (
  key: Key,
  before: Hold | undefined,
  after: Hold | undefined,
  waitersOfFree: number,
) => void;

const SETTLE_MS = 500;
const RECONCILE_EVERY_MS = 30_000;
/** How many keys with the same token a lock is shown with. */
const SHARED_WITH_MAX = 20;

/** Keeps the picture of one target right, whatever masters it has, and tells the journal what happened. */
export class Watcher {
  readonly mirror: Mirror;
  /** Changes that nobody told us of. */
  readonly missed: Missed;
  readonly #watches = new Map<Master, MasterWatch>();
  readonly #reporter: Reporter;
  readonly #sources: Sources;
  readonly #listeners = new Set<() => void>();
  readonly #seenListeners = new Set<SeenListener>();
  readonly #watched: readonly Glob[];
  #notes: Notes | undefined;
  /** How long locks of a key's pattern are usually held; whoever counts it says so. */
  usualHeld: UsualHeld = NOTHING_USUAL;
  /** How many wait for locks; whoever counts it says so. */
  waiting = (): number => 0;
  #rules: FormatRules;
  #forgetMasters = () => undefined as unknown;
  #isRunning = false;

  constructor(
    readonly options: WatcherOptions,
    private readonly masters: Masters,
    journal: Journal,
    private readonly log?: Logger,
  ) {
    this.mirror = new Mirror(options.locksMax, {
      now: () => this.clock.now(),
      usual: (key) => this.usualHeld(key),
    });
    this.missed = new Missed(
      () => this.#all.map(({ link }) => link.sight).join(" "),
      (what) =>
        this.log?.warn({ target: options.target, what }, "a change was found that Redis never told of"),
    );
    this.#rules = options.rules ?? NO_RULES;
    this.#watched = options.watch.map((pattern) => new Glob(pattern));
    this.#reporter = new Reporter(options.target, journal, (key) => this.#lookAgain(key));
    this.#sources = masters.areVoting
      ? new Quorum(this.#watches, this.mirror, (taken) => this.#takeInAll(taken))
      : new Homes(masters, this.#watches, this.mirror);
    this.#follow();
  }

  start(): void {
    this.#isRunning = true;
    this.#forgetMasters = this.masters.onChange(() => this.#follow());
    for (const watch of this.#watches.values()) watch.start();
  }

  /** The masters stay open: whoever opened them closes them. */
  stop(): void {
    this.#isRunning = false;
    this.#forgetMasters();
    for (const watch of this.#watches.values()) watch.stop();
    this.#reporter.stop();
    this.missed.stop();
  }

  /** Called after the picture or its health changed; cheap and often. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called with each look, before the journal is told what it means. */
  onSeen(listener: SeenListener): () => void {
    this.#seenListeners.add(listener);
    return () => this.#seenListeners.delete(listener);
  }

  /** Whether the picture can be right at all: any of the masters answers. */
  get isUp(): boolean {
    return this.#sources.isUp;
  }

  /** How often one of its masters went out of touch. */
  get breaks(): number {
    return this.#all.reduce((sum, { link }) => sum + link.breaks, 0);
  }

  /** The clock that the target as a whole is told by: each master has its own. */
  get clock(): RedisClock {
    return this.#sources.clock;
  }

  health(): Health {
    const { size: locks, leftOut } = this.mirror;
    const { majority } = this.#sources;
    const abnormal = [...this.mirror.abnormal.values()].reduce((sum, count) => sum + count, 0);
    const counts = { missed: this.missed.counts, locks, waiting: this.waiting(), abnormal };
    return healthOf(this.#all, this.clock.now(), { ...counts, leftOut, majority });
  }

  /** Whether nothing escapes it: all masters are watched, or of a quorum as many as decide. */
  get isWhole(): boolean {
    const live = this.#all.filter(isWatchedWell).length;
    return live > 0 && live >= (this.#sources.majority ?? this.#all.length);
  }

  /** Resolves when the picture has taken in what was heard so far, or Redis does not let it. */
  async settled(): Promise<void> {
    const round = () => Promise.all(this.#all.map((watch) => watch.settled()));
    // What one master turned out to have no more is read at the next.
    const all = this.masters.spread === undefined ? round() : round().then(round);
    await Promise.race([all, sleep(SETTLE_MS, undefined, { ref: false })]);
  }

  isWatched(key: Key): boolean {
    return matchesAny(this.#watched, key) && !standsAside(key);
  }

  /** Looks at a key in Redis now. The picture takes it in when it is a watched one. */
  async look(key: Key): Promise<{ observation: Observation; hold: Hold | undefined }> {
    if (this.isWatched(key)) {
      const observation = await this.#sources.look(key);
      return { observation, hold: this.mirror.get(key) ?? passingHoldOf(observation) };
    }
    const observation = await this.#sources.read(key, this.#rules);
    return { observation, hold: passingHoldOf(observation) };
  }

  /** What a key is when it is read as one format; the picture stays as it is. */
  async lookAs(key: Key, format: FormatName): Promise<Observation> {
    return await this.#sources.read(key, { formatOf: () => format });
  }

  /** What a key is by other rules; the picture stays as it is. @throws when Redis is away */
  async readBy(key: Key, rules: FormatRules): Promise<Observation> {
    return await this.#sources.read(key, rules);
  }

  /** A hold of another library was freed by force: should it be there again, it was made again. */
  freedAs({ key, format, holders }: HeldObservation, holder = holders[0]): void {
    if (holder.fence === null) this.#reporter.freedAs(key, holder.owner, format);
  }

  /** Makes sure that nothing we should have heard of the key is still on its way. @throws when Redis is away */
  async confirmSight(key: Key): Promise<void> {
    await this.#sources.confirm(key);
  }

  /** From now on keys are of the formats that these rules say. Everything is read again. */
  useRules(rules: FormatRules): void {
    this.#rules = rules;
    // When a lock that is one by new rules alone was taken, nobody knows.
    for (const { passes } of this.#all) {
      passes.broken();
      void passes.run();
    }
  }

  /** Some of the other keys that hold the very token of this hold now; `within`: those that the caller may know of. */
  sharedWith(hold: Hold, within?: KeyRange): readonly Key[] {
    const keys = this.mirror.sharing(hold, SHARED_WITH_MAX);
    return within === undefined ? keys : keys.filter((key) => within.has(key));
  }

  lockOf(hold: Hold, sharedWith = this.sharedWith(hold)): Lock {
    const lock = lockOf(this.options.target, hold, sharedWith);
    return withBeside(lock, this.noteOf(hold.key, hold), this.options.runbooks?.of(hold.key));
  }

  /** @param votes on it; as the picture has them by default */
  freeLock(key: Key, asOf: number, waiters?: SeenWaiters, votes = this.#sources.votesOf(key)): Lock {
    const lock = freeLock(this.options.target, key, asOf, waiters, votes);
    return withBeside(lock, this.noteOf(key, undefined), this.options.runbooks?.of(key));
  }

  /** What was written about a lock. */
  noteOf(key: Key, hold: Hold | undefined): Note | undefined {
    return this.#notes?.of(key, hold);
  }

  showNotes(notes: Notes): void {
    this.#notes = notes;
    notes.onChanged(() => this.#changed());
  }

  get #all(): MasterWatch[] {
    return [...this.#watches.values()];
  }

  /** Masters come and go. */
  #follow(): void {
    const { list } = this.masters;
    const left: Key[] = [];
    for (const [master, watch] of this.#watches) {
      if (list.includes(master)) continue;
      this.#watches.delete(master);
      for (const key of watch.stop()) left.push(key);
    }
    for (const master of list) {
      if (this.#watches.has(master)) continue;
      const watch = this.#watchAt(master);
      this.#watches.set(master, watch);
      if (this.#isRunning) watch.start();
    }
    for (const key of left) this.#sources.mark(key);
    this.#changed();
  }

  #watchAt(master: Master): MasterWatch {
    const { watch, notifications, readOnly = false, reconcileEveryMs = RECONCILE_EVERY_MS } = this.options;
    const at = new MasterWatch(master, {
      ...{ db: this.masters.db, watch, notifications, readOnly, reconcileEveryMs },
      known: (unseenForMs) => this.#sources.known(at, unseenForMs),
      isKnown: (key) => this.#sources.isKnown(key, at),
      read: (keys) => this.#readAt(master, keys),
      dueMsOf: (key) => this.#sources.dueMsOf(key, at),
      took: (looks) => this.#take(looks, at),
      blind: (keys) => this.#sources.blind(keys, at),
      changed: () => this.#stirred(),
      listener: {
        onChange: (key, event) => {
          this.#word(key);
          this.#sources.changed(key, event, at);
        },
        onOwnEvent: (event) => this.#onOwnEvent(event, at),
      },
    });
    return at;
  }

  /** What turned out to be at another master by now is marked there, and left out. */
  async #readAt(master: Master, keys: readonly Key[]): Promise<Observation[]> {
    const { spread } = this.masters;
    const seen = await read(master.redis, keys, this.#rules, spread);
    if (spread === undefined) return seen;
    // What was read while its slot went away is as old as that, and may be overtaken by a look at its new master.
    const here = seen.filter(({ key }) => this.masters.of(key) === master);
    const known = new Set(here.map(({ key }) => key));
    for (const key of keys) if (!known.has(key)) this.#sources.mark(key);
    return here;
  }

  #lookAgain(key: Key): boolean {
    const isWatched = this.isWatched(key);
    if (isWatched) this.#sources.mark(key);
    return isWatched;
  }

  #onOwnEvent(said: OwnEvent, at: MasterWatch): void {
    if (this.isWatched(said.key)) this.#word(said.key);
    const told = this.#sources.said(said, at);
    if (told !== undefined) this.#reporter.exact(told.event, told.hint);
  }

  #take(looks: readonly Look[], at: MasterWatch): void {
    this.#takeInAll(looks.map((look) => () => this.#sources.take(look, at)));
  }

  #takeInAll(all: readonly (() => Taken | undefined)[]): void {
    for (const each of all) {
      try {
        const taken = each();
        if (taken !== undefined) this.#takeIn(taken);
      } catch (error) {
        // One lock that cannot be told must not end the picture of the others.
        this.log?.error({ err: error }, "a look could not be taken in");
      }
    }
    this.#changed();
  }

  /** A master is in another state than before. */
  #stirred(): void {
    this.#sources.stirred();
    this.#changed();
  }

  #takeIn({ observation, circumstances, said, ...told }: Taken): void {
    const { key } = observation;
    const { before, after } = this.mirror.observe(observation, circumstances);
    const kept = this.mirror.get(key);
    // A decision of several masters is taken from looks and words of each, and of which word it is cannot be told.
    if (!this.masters.areVoting) {
      this.missed.seen({ observation, before, after: kept, circumstances, ...told });
    }
    this.#notes?.seen(key, after);
    const waitersOfFree = this.mirror.waitersOf(key)?.count ?? 0;
    for (const listener of this.#seenListeners) listener(key, before, kept, waitersOfFree);
    if (said !== undefined) this.#reporter.exact(said);
    this.#reporter.sighted({ key, hold: after, isKept: kept !== undefined, ...told });
  }

  #word(key: Key): void {
    if (!this.masters.areVoting) this.missed.word(key);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What people wrote about a lock, here and elsewhere. */
function withBeside(lock: Lock, note: Note | undefined, runbook: string | undefined): Lock {
  if (note === undefined && runbook === undefined) return lock;
  return { ...lock, ...(note === undefined ? {} : { note }), ...(runbook === undefined ? {} : { runbook }) };
}
