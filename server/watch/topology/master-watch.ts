import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import { type KeyspaceListener, KeyspaceSubscriber } from "../connection/keyspace-subscriber.ts";
import { MasterConnection } from "../connection/master-connection.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import { KeyReader, type Reading } from "../scan/key-reader.ts";
import { KeyspaceScan } from "../scan/keyspace-scan.ts";
import { ReconciliationScheduler } from "../scan/reconciliation-scheduler.ts";

interface MasterWatchDeps {
  readonly db: number;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  readonly readOnly: boolean;
  readonly reconcileEveryMs: number;
  /** Known keys that this master has; those that were not looked at for so long. */
  listKnownKeys(unseenForMs?: number): Iterable<Key>;
  isKnown(key: Key): boolean;
  readKeys(keys: readonly Key[]): Promise<Observation[]>;
  computeRereadDelayMs(key: Key): number | undefined;
  /** What was looked at; the clock has heard of it. */
  onReadings(looks: readonly Reading[]): void;
  /** Nothing was heard of these for a while. */
  onBlindPeriod(keys: Iterable<Key>): void;
  onStateChange(): void;
  readonly listener: KeyspaceListener;
}

/** Where Redis does not tell of changes. */
const SCAN_ONLY_EVERY_MS = 1000;
/** A known key is not read by a pass which only looks for what was not told, if it was looked at since most of this. */
const FRESH_READ_SHARE = 5 / 6;

/** Watches one master: in touch, in sight, reading what may have changed, and walking its keyspace. */
export class MasterWatch {
  readonly clock = new RedisClock();
  readonly connection: MasterConnection;
  readonly reconciliation: ReconciliationScheduler;
  readonly keyspaceScan: KeyspaceScan;
  readonly #reader: KeyReader;

  constructor(
    readonly master: Master,
    private readonly deps: MasterWatchDeps,
  ) {
    const { db, watch, listener } = deps;
    this.#reader = new KeyReader(
      (keys) => deps.readKeys(keys),
      (looks) => this.#onReadings(looks),
      (key) => deps.computeRereadDelayMs(key),
      () => this.#onUp(true),
    );
    const messages = new KeyspaceSubscriber(master.subscriber, db, watch, listener);
    this.connection = new MasterConnection(master, messages, deps, {
      onUp: (isBlind) => this.#onUp(isBlind),
      onDown: () => this.#onDown(),
      onNotificationsChange: () => void this.#onNotificationsChange(),
    });
    this.keyspaceScan = new KeyspaceScan({
      redis: master.redis,
      patterns: watch,
      reader: this.#reader,
      listKnownKeys: (isPaced) =>
        deps.listKnownKeys(
          isPaced && this.connection.seesChanges ? FRESH_READ_SHARE * deps.reconcileEveryMs : undefined,
        ),
      isKnown: (key) => deps.isKnown(key),
    });
    this.reconciliation = new ReconciliationScheduler({
      scanKeyspace: (signal, pace) => this.keyspaceScan.run(signal, pace),
      isUp: () => this.connection.isUp,
      getIntervalMs: () => (this.connection.seesChanges ? deps.reconcileEveryMs : SCAN_ONLY_EVERY_MS),
      now: () => this.clock.now(),
      onCaughtUp: () => deps.onStateChange(),
    });
  }

  start(): void {
    this.connection.start();
  }

  /** @returns what should have been read and was not */
  stop(): Key[] {
    this.reconciliation.stop();
    this.connection.stop();
    return this.#reader.stop();
  }

  /** The key will be read soon. */
  enqueueRead(key: Key): void {
    this.#reader.enqueueRead(key);
  }

  waitUntilSettled(): Promise<void> {
    return this.#reader.waitUntilSettled();
  }

  /** Reads now, past the queue. */
  readNow(keys: readonly Key[]): Promise<Observation[]> {
    return this.#reader.readNow(keys);
  }

  #onReadings(looks: readonly Reading[]): void {
    for (const { observation, sentAt, receivedAt } of looks) {
      if (observation.state !== "unreadable") this.clock.update(observation.asOf, sentAt, receivedAt);
    }
    this.deps.onReadings(looks);
  }

  #onUp(isBlind: boolean): void {
    if (isBlind) this.deps.onBlindPeriod(this.deps.listKnownKeys());
    this.#onDown();
    void this.reconciliation.runNow();
  }

  #onDown(): void {
    this.reconciliation.invalidate();
    this.deps.onStateChange();
  }

  /** What was not heard until notifications came, or until we knew that they do not, is found by looking. */
  async #onNotificationsChange(): Promise<void> {
    this.deps.onStateChange();
    await this.reconciliation.runNow();
  }
}
