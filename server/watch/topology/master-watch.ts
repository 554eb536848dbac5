import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation } from "../../formats/observation.ts";
import type { Master } from "../../redis/master.ts";
import { KeyspaceSubscriber } from "../connection/keyspace-subscriber.ts";
import { MasterConnection } from "../connection/master-connection.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { KeyReader, type Reading } from "../scan/key-reader.ts";
import { KeyspaceScan } from "../scan/keyspace-scan.ts";
import { ReconciliationScheduler } from "../scan/reconciliation-scheduler.ts";

export interface MasterWatchSettings {
  readonly db: number;
  /** Patterns of the keys that are watched. */
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  readonly readOnly: boolean;
  readonly reconcileEveryMs: number;
  getFormatRules(): FormatRules;
}

/** What a master watch asks about the target as a whole. */
export interface MasterView {
  /** Keys that are known to be at this master; given a time, those that were not read there for so long. */
  listKnownKeys(at: MasterWatch, unseenForMs?: number): Iterable<Key>;
  isKnown(key: Key, at: MasterWatch): boolean;
  /** Reads keys at this master. Keys that are at another one by now are enqueued there and left out. */
  readKeys(keys: readonly Key[], at: MasterWatch, rules: FormatRules): Promise<Observation[]>;
  /** In how many ms after its last reading a key is to be read again there; undefined: not by itself. */
  computeRereadDelayMs(key: Key, at: MasterWatch): number | undefined;
  /** Nothing was heard of these keys for a while. */
  onBlindPeriod(keys: Iterable<Key>, at: MasterWatch): void;
}

/** What a master watch reports. */
export interface MasterListener {
  onKeyChange(key: Key, event: string, at: MasterWatch): void;
  onScriptEvent(event: ScriptEvent, at: MasterWatch): void;
  /** The clock of the master has been updated by these readings. */
  onReadings(readings: readonly Reading[], at: MasterWatch): void;
  /** The connection, the notifications or the reconciliation changed state. */
  onStateChange(): void;
}

/** How often a keyspace is scanned whose changes Redis does not report. */
const SCAN_ONLY_EVERY_MS = 1000;
/** A scan for missed changes leaves out known keys that were read within this share of its interval. */
const FRESH_READ_SHARE = 5 / 6;

/** Watches one master: its connection and notifications, reading what may have changed, and scanning its keyspace. */
export class MasterWatch {
  readonly clock = new RedisClock();
  readonly connection: MasterConnection;
  readonly reconciliation: ReconciliationScheduler;
  readonly keyspaceScan: KeyspaceScan;
  readonly #reader: KeyReader;

  constructor(
    readonly master: Master,
    private readonly settings: MasterWatchSettings,
    private readonly view: MasterView,
    private readonly listener: MasterListener,
  ) {
    this.#reader = new KeyReader(
      (keys) => view.readKeys(keys, this, settings.getFormatRules()),
      (readings) => this.#onReadings(readings),
      (key) => view.computeRereadDelayMs(key, this),
      () => this.#onUp(true),
    );
    this.connection = this.#createConnection();
    this.keyspaceScan = this.#createKeyspaceScan();
    this.reconciliation = new ReconciliationScheduler({
      scanKeyspace: (signal, budget) => this.keyspaceScan.run(signal, budget),
      isUp: () => this.connection.isUp,
      getIntervalMs: () => (this.connection.seesChanges ? settings.reconcileEveryMs : SCAN_ONLY_EVERY_MS),
      now: () => this.clock.now(),
      onCaughtUp: () => listener.onStateChange(),
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

  #createConnection(): MasterConnection {
    const { master, settings, listener } = this;
    const subscriber = new KeyspaceSubscriber(master.subscriber, settings.db, settings.watch, {
      onKeyChange: (key, event) => listener.onKeyChange(key, event, this),
      onScriptEvent: (event) => listener.onScriptEvent(event, this),
    });
    return new MasterConnection(master, subscriber, settings, {
      onUp: (isBlind) => this.#onUp(isBlind),
      onDown: () => this.#onDown(),
      onNotificationsChange: () => void this.#onNotificationsChange(),
    });
  }

  #createKeyspaceScan(): KeyspaceScan {
    const { master, settings, view } = this;
    const freshForMs = FRESH_READ_SHARE * settings.reconcileEveryMs;
    return new KeyspaceScan({
      redis: master.redis,
      patterns: settings.watch,
      reader: this.#reader,
      listKnownKeys: (isPaced) =>
        view.listKnownKeys(this, isPaced && this.connection.seesChanges ? freshForMs : undefined),
      isKnown: (key) => view.isKnown(key, this),
    });
  }

  #onReadings(readings: readonly Reading[]): void {
    for (const { observation, sentAt, receivedAt } of readings) {
      if (observation.state !== "unreadable") this.clock.update(observation.asOf, sentAt, receivedAt);
    }
    this.listener.onReadings(readings, this);
  }

  #onUp(isBlind: boolean): void {
    if (isBlind) this.view.onBlindPeriod(this.view.listKnownKeys(this), this);
    this.#onDown();
    void this.reconciliation.runNow();
  }

  #onDown(): void {
    this.reconciliation.invalidate();
    this.listener.onStateChange();
  }

  /** What was not heard until notifications came, or until we knew that they do not, is found by a scan. */
  async #onNotificationsChange(): Promise<void> {
    this.listener.onStateChange();
    await this.reconciliation.runNow();
  }
}
