import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import { type Listener, Notifications } from "../connection/keyspace-subscriber.ts";
import { Link } from "../connection/master-connection.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import { type Look, Reader } from "../scan/key-reader.ts";
import { Walks } from "../scan/keyspace-scan.ts";
import { Passes } from "../scan/reconciliation-scheduler.ts";

interface Surroundings {
  readonly db: number;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  readonly readOnly: boolean;
  readonly reconcileEveryMs: number;
  /** Known keys that this master has; those that were not looked at for so long. */
  known(unseenForMs?: number): Iterable<Key>;
  isKnown(key: Key): boolean;
  read(keys: readonly Key[]): Promise<Observation[]>;
  dueMsOf(key: Key): number | undefined;
  /** What was looked at; the clock has heard of it. */
  took(looks: readonly Look[]): void;
  /** Nothing was heard of these for a while. */
  blind(keys: Iterable<Key>): void;
  changed(): void;
  readonly listener: Listener;
}

/** Where Redis does not tell of changes. */
const SCAN_ONLY_EVERY_MS = 1000;
/** A known key is not read by a pass which only looks for what was not told, if it was looked at since most of this. */
const FRESH_SHARE = 5 / 6;

/** Watches one master: in touch, in sight, reading what may have changed, and walking its keyspace. */
export class MasterWatch {
  readonly clock = new RedisClock();
  readonly link: Link;
  readonly passes: Passes;
  readonly walks: Walks;
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
      () => this.#onUp(true),
    );
    const messages = new Notifications(master.subscriber, db, watch, listener);
    this.link = new Link(master, messages, around, {
      up: (isBlind) => this.#onUp(isBlind),
      down: () => this.#onDown(),
      settled: () => void this.#onSettled(),
    });
    this.walks = new Walks({
      redis: master.redis,
      patterns: watch,
      reader: this.#reader,
      known: (isPaced) =>
        around.known(isPaced && this.link.seesChanges ? FRESH_SHARE * around.reconcileEveryMs : undefined),
      isKnown: (key) => around.isKnown(key),
    });
    this.passes = new Passes({
      walk: (signal, pace) => this.walks.walk(signal, pace),
      isUp: () => this.link.isUp,
      everyMs: () => (this.link.seesChanges ? around.reconcileEveryMs : SCAN_ONLY_EVERY_MS),
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
}
