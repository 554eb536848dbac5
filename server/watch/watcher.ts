import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { FormatName } from "../../lib/contract/format.ts";
import { type Key, textOfKey } from "../../lib/contract/key.ts";
import type { Health } from "../../lib/contract/live.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { standsAside } from "../formats/keys.ts";
import type { HeldObservation, Observation, SeenWaiters } from "../formats/observation.ts";
import { read } from "../formats/read.ts";
import { type FormatRules, NO_RULES } from "../formats/rules.ts";
import type { Journal } from "../history/journal.ts";
import { Glob, matchesAny } from "../redis/glob.ts";
import { passingHoldOf } from "./continuity.ts";
import { discover } from "./discovery.ts";
import { dueMsOf } from "./due.ts";
import { Heard } from "./heard.ts";
import { freeLock, type Hold, lockOf } from "./hold.ts";
import { Link } from "./link.ts";
import { Mirror } from "./mirror.ts";
import { Notifications } from "./notifications.ts";
import type { OwnEvent } from "./own-event.ts";
import { Passes } from "./passes.ts";
import { type Look, Reader } from "./reader.ts";
import { RedisClock } from "./redis-clock.ts";
import { Reporter } from "./reporter.ts";

export interface WatcherOptions {
  readonly target: string;
  readonly db: number;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  /** What shape alone does not tell. */
  readonly rules?: FormatRules;
}

const SETTLE_MS = 500;
/** How many keys with the same token a lock is shown with. */
const SHARED_WITH_MAX = 20;

/** Keeps the picture of one target right, and tells the journal what happened. */
export class Watcher {
  readonly mirror = new Mirror();
  readonly clock = new RedisClock();
  readonly #link: Link;
  readonly #reader: Reader;
  readonly #reporter: Reporter;
  readonly #heard = new Heard();
  readonly #listeners = new Set<() => void>();
  readonly #passes: Passes;
  readonly #watched: readonly Glob[];
  #rules: FormatRules;

  constructor(
    readonly options: WatcherOptions,
    private readonly redis: Redis,
    subscriber: Redis,
    journal: Journal,
    private readonly log?: Logger,
  ) {
    this.#rules = options.rules ?? NO_RULES;
    this.#watched = options.watch.map((pattern) => new Glob(pattern));
    this.#reader = new Reader(
      (keys) => read(redis, keys, this.#rules),
      (looks) => this.#take(looks),
      (key) => dueMsOf(this.mirror.get(key)),
    );
    this.#reporter = new Reporter(options.target, journal, (key) => this.#lookAgain(key));
    const notifications = new Notifications(subscriber, options.db, options.watch, {
      onChange: (key, event) => this.#onChange(key, event),
      onOwnEvent: (event) => this.#onOwnEvent(event),
    });
    this.#link = new Link(redis, subscriber, notifications, options.notifications, {
      up: (isBlind) => this.#onUp(isBlind),
      down: () => this.#onDown(),
      settled: () => {
        this.#passes.schedule();
        this.#changed();
      },
    });
    this.#passes = new Passes({
      walk: (signal) => this.#walk(signal),
      isUp: () => this.#link.isUp,
      seesChanges: () => this.#link.seesChanges,
      now: () => this.clock.now(),
      caughtUp: () => this.#changed(),
    });
  }

  start(): void {
    this.#link.start();
  }

  stop(): void {
    this.#passes.stop();
    this.#link.stop();
    this.#reader.stop();
    this.#reporter.stop();
  }

  /** Called after the picture or its health changed; cheap and often. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isUp(): boolean {
    return this.#link.isUp;
  }

  health(): Health {
    const { isUp, setting, lagMs } = this.#link;
    const told = setting.state === "off" ? setting.detail : undefined;
    const detail = isUp ? told : "Redis does not answer; what is shown may be out of date.";
    return {
      now: this.clock.now(),
      state: !isUp ? "down" : this.#passes.isCaughtUp ? "live" : "catching_up",
      notifications: setting.state,
      lagMs,
      scannedAt: this.#passes.last?.at ?? null,
      scanMs: this.#passes.last?.tookMs ?? null,
      locks: this.mirror.size,
      ...(detail === undefined ? {} : { detail }),
    };
  }

  /** Resolves when the picture has taken in what was heard so far, or Redis does not let it. */
  async settled(): Promise<void> {
    await Promise.race([this.#reader.settled(), sleep(SETTLE_MS, undefined, { ref: false })]);
  }

  isWatched(key: Key): boolean {
    return matchesAny(this.#watched, textOfKey(key)) && !standsAside(key);
  }

  /** Looks at a key in Redis now. The picture takes it in when it is a watched one. */
  async look(key: Key): Promise<{ observation: Observation; hold: Hold | undefined }> {
    const isWatched = this.isWatched(key);
    const [observation] = isWatched
      ? await this.#reader.look([key])
      : await read(this.redis, [key], this.#rules);
    if (observation === undefined) throw new Error("read.lua gave no reply");
    return { observation, hold: isWatched ? this.mirror.get(key) : passingHoldOf(observation) };
  }

  /** What a key is when it is read as one format; the picture stays as it is. */
  async lookAs(key: Key, format: FormatName): Promise<Observation> {
    const [observation] = await read(this.redis, [key], { formatOf: () => format });
    if (observation === undefined) throw new Error("read.lua gave no reply");
    return observation;
  }

  /** A hold of another library was freed by force: should it be there again, it was made again. */
  freedAs({ key, format, holders }: HeldObservation, holder = holders[0]): void {
    if (holder.fence === null) this.#reporter.freedAs(key, holder.owner, format);
  }

  /** Makes sure that nothing we should have heard of is still on its way. @throws when Redis is away */
  async confirmSight(): Promise<void> {
    await this.#link.confirm();
  }

  /** From now on keys are of the formats that these rules say. Everything is read again. */
  useRules(rules: FormatRules): void {
    this.#rules = rules;
    void this.#passes.run();
  }

  lockOf(hold: Hold): Lock {
    return lockOf(this.options.target, hold, this.mirror.sharing(hold, SHARED_WITH_MAX));
  }

  freeLock(key: Key, asOf: number, waiters?: SeenWaiters): Lock {
    return freeLock(this.options.target, key, asOf, waiters);
  }

  #lookAgain(key: Key): boolean {
    const isWatched = this.isWatched(key);
    if (isWatched) this.#reader.mark(key);
    return isWatched;
  }

  #onChange(key: Key, event: string): void {
    this.#heard.change(key, event);
    this.#reader.mark(key);
  }

  #onOwnEvent(event: OwnEvent): void {
    this.#reporter.exact(event, this.#heard.hintOf(event.key));
    if (event.type === "acquired") this.#heard.begun(event.key);
  }

  #take(looks: readonly Look[]): void {
    for (const look of looks) {
      const { observation, sentAt, receivedAt } = look;
      if (observation.state !== "unreadable") this.clock.heard(observation.asOf, sentAt, receivedAt);
      try {
        this.#takeOne(observation, sentAt);
      } catch (error) {
        // One lock that cannot be told must not end the picture of the others.
        this.log?.error({ err: error }, "a look could not be taken in");
      }
    }
    this.#changed();
  }

  #takeOne(observation: Observation, sentAt: number): void {
    const { key } = observation;
    const { hint, ...heard } = this.#heard.takenBy(observation, this.mirror.get(key), sentAt);
    const { after } = this.mirror.observe(observation, {
      ...heard,
      since: this.#link.seesChanges && this.#passes.isCaughtUp ? "exact" : "at_least",
      sight: this.#link.sight,
    });
    this.#reporter.sighted({
      key,
      hold: after,
      asOf: observation.state === "unreadable" ? this.clock.now() : observation.asOf,
      sentAt,
      hint,
      isFirstLook: this.#passes.isFirst,
    });
  }

  #onUp(isBlind: boolean): void {
    if (isBlind) this.#heard.blind(this.mirror.keys());
    this.#onDown();
    void this.#passes.run();
  }

  #onDown(): void {
    this.#passes.broken();
    this.#changed();
  }

  /** Reads what is known, then walks the keyspace for what is not. */
  async #walk(signal: AbortSignal): Promise<void> {
    const known = new Set(this.mirror.keys());
    for (const key of known) this.#reader.mark(key);
    for await (const keys of discover(this.redis, this.options.watch, signal)) {
      for (const key of keys) if (!known.has(key)) this.#reader.mark(key);
      await this.#reader.settled();
    }
    await this.#reader.settled();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
