import type { Key } from "../../lib/contract/key.ts";
import type { Observation } from "../formats/observation.ts";
import type { Master } from "../redis/master.ts";
import { discover } from "./discovery.ts";
import { Link } from "./link.ts";
import { type Listener, Notifications } from "./notifications.ts";
import { Passes } from "./passes.ts";
import { type Look, Reader } from "./reader.ts";
import { RedisClock } from "./redis-clock.ts";

interface Surroundings {
  readonly db: number;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  readonly readOnly: boolean;
  /** Known keys that this master has. */
  known(): Iterable<Key>;
  read(keys: readonly Key[]): Promise<Observation[]>;
  dueMsOf(key: Key): number | undefined;
  /** What was looked at; the clock has heard of it. */
  took(looks: readonly Look[]): void;
  /** Nothing was heard of these for a while. */
  blind(keys: Iterable<Key>): void;
  changed(): void;
  readonly listener: Listener;
}

/** Watches one master: in touch, in sight, reading what may have changed, and walking its keyspace. */
export class MasterWatch {
  readonly clock = new RedisClock();
  readonly link: Link;
  readonly passes: Passes;
  readonly #reader: Reader;

  constructor(
    readonly master: Master,
    private readonly around: Surroundings,
  ) {
    const { db, watch, listener } = around;
    this.#reader = new Reader(
      (keys) => around.read(keys),
      (looks) => this.#take(looks),
      (key) => around.dueMsOf(key),
    );
    const messages = new Notifications(master.subscriber, db, watch, listener);
    this.link = new Link(master, messages, around, {
      up: (isBlind) => this.#onUp(isBlind),
      down: () => this.#onDown(),
      settled: () => void this.#onSettled(),
    });
    this.passes = new Passes({
      walk: (signal) => this.#walk(signal),
      isUp: () => this.link.isUp,
      seesChanges: () => this.link.seesChanges,
      now: () => this.clock.now(),
      caughtUp: () => around.changed(),
    });
  }

  start(): void {
    this.link.start();
  }

  /** @returns what should have been read and was not */
  stop(): Key[] {
    this.passes.stop();
    this.link.stop();
    return this.#reader.stop();
  }

  /** The key will be read soon. */
  mark(key: Key): void {
    this.#reader.mark(key);
  }

  settled(): Promise<void> {
    return this.#reader.settled();
  }

  /** Reads now, past the queue. */
  look(keys: readonly Key[]): Promise<Observation[]> {
    return this.#reader.look(keys);
  }

  #take(looks: readonly Look[]): void {
    for (const { observation, sentAt, receivedAt } of looks) {
      if (observation.state !== "unreadable") this.clock.heard(observation.asOf, sentAt, receivedAt);
    }
    this.around.took(looks);
  }

  #onUp(isBlind: boolean): void {
    if (isBlind) this.around.blind(this.around.known());
    this.#onDown();
    void this.passes.run();
  }

  #onDown(): void {
    this.passes.broken();
    this.around.changed();
  }

  /** What was not heard until notifications came, or until we knew that they do not, is found by looking. */
  async #onSettled(): Promise<void> {
    this.around.changed();
    await this.passes.run();
  }

  /** Reads what is known, then walks the keyspace for what is not. */
  async #walk(signal: AbortSignal): Promise<void> {
    const known = new Set(this.around.known());
    for (const key of known) this.#reader.mark(key);
    for await (const keys of discover(this.master.redis, this.around.watch, signal)) {
      for (const key of keys) if (!known.has(key)) this.#reader.mark(key);
      await this.#reader.settled();
    }
    await this.#reader.settled();
  }
}
