import type { Redis } from "ioredis";
import type { PollingDelays } from "../../../lib/contract/polling.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation, ReadableObservation } from "../../formats/observation.ts";
import type { FingerprintReading } from "../../formats/registry/read-fingerprints.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import { KeyspaceSubscriber } from "../connection/keyspace-subscriber.ts";
import { MasterConnection } from "../connection/master-connection.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { CallSizes } from "../scan/call-sizes.ts";
import { HoldPoller, isSameDeadline } from "../scan/hold-poller.ts";
import { IndexConfirmation } from "../scan/index-confirmation.ts";
import { KeyReader, type Reading } from "../scan/key-reader.ts";
import { KeyspaceScan } from "../scan/keyspace-scan.ts";
import { NonLockKeys } from "../scan/non-lock-keys.ts";
import { OversizedKeys } from "../scan/oversized-keys.ts";
import { ReconciliationScheduler } from "../scan/reconciliation-scheduler.ts";
import { UnreadableKeyList } from "../scan/unreadable-key-list.ts";

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
  readKeys(keys: readonly Key[], at: MasterWatch, redis: Redis, rules: FormatRules): Promise<Observation[]>;
  readFingerprints(keys: readonly Key[], redis: Redis): Promise<FingerprintReading[]>;
  /** What the last reading of the key at this master showed. */
  findObservation(key: Key, at: MasterWatch): ReadableObservation | undefined;
  /** In how many ms after its last reading a key is to be read again there; undefined: not by itself. */
  computeRereadDelayMs(key: Key, at: MasterWatch): number | undefined;
  /** Nothing was heard of these keys for a while. */
  onBlindPeriod(keys: Iterable<Key>, at: MasterWatch): void;
}

/** What a master watch reports. */
export interface MasterListener {
  onKeyChange(key: Key, event: string, at: MasterWatch): void;
  onScriptEvent(event: ScriptEvent, at: MasterWatch): void;
  /** A message on the channel of the script events was ignored. */
  onInvalidScriptEvent(): void;
  /** The clock of the master has been updated by these readings. */
  onReadings(readings: readonly Reading[], at: MasterWatch): void;
  /** The master began or ceased to refuse all writes, or does so for another reason. */
  onWritesRefusedChange(at: MasterWatch): void;
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
  readonly holdPoller: HoldPoller;
  readonly unreadableKeys = new UnreadableKeyList();
  readonly oversizedKeys = new OversizedKeys();
  readonly #reader: KeyReader;
  readonly #callSizes = new CallSizes();
  readonly #nonLockKeys = new NonLockKeys(
    (keys) => this.#readFingerprints(keys),
    this.#callSizes.fingerprint,
  );
  readonly #confirmation: IndexConfirmation;

  constructor(
    readonly master: Master,
    private readonly settings: MasterWatchSettings,
    private readonly view: MasterView,
    private readonly listener: MasterListener,
  ) {
    const read = (keys: readonly Key[], redis: Redis) =>
      view.readKeys(keys, this, redis, settings.getFormatRules());
    this.#reader = new KeyReader({
      read: async (keys) => this.#dropMoved(keys, await read(keys, await master.reads.waitUntilReady())),
      readApart: async (key) =>
        this.#dropMoved([key], await master.reads.readApart((redis) => read([key], redis))),
      isResponding: () => master.redis.ping().then(Boolean, isReplyError),
      onReadings: (readings) => this.#onReadings(readings),
      computeRereadDelayMs: (key) => view.computeRereadDelayMs(key, this),
      onOverflow: () => this.#onUp(true),
      callSize: this.#callSizes.read,
    });
    this.connection = this.#createConnection();
    this.keyspaceScan = this.#createKeyspaceScan();
    this.holdPoller = this.#createHoldPoller();
    this.#confirmation = new IndexConfirmation({
      reader: this.#reader,
      getContinuityId: () => this.connection.continuityId,
      isComplete: () => this.connection.isUp && this.reconciliation.isCaughtUp,
    });
    this.reconciliation = new ReconciliationScheduler({
      scanKeyspace: (signal, budget) => this.keyspaceScan.run(signal, budget),
      isUp: () => this.connection.isUp,
      getIntervalMs: () => (this.connection.seesChanges ? settings.reconcileEveryMs : SCAN_ONLY_EVERY_MS),
      now: () => this.clock.now(),
      onCaughtUp: () => listener.onStateChange(),
    });
  }

  /** Until when (performance.now()) the index has every change of known keys; undefined: it was never complete. */
  get confirmedAt(): number | undefined {
    return this.#confirmation.at;
  }

  /** Whether it responds and does not report changes. */
  get isPolled(): boolean {
    return this.connection.isUp && !this.connection.seesChanges;
  }

  /** How late changes are noticed; undefined while Redis reports them, or does not respond. */
  get pollingDelays(): PollingDelays | undefined {
    if (!this.isPolled) return undefined;
    return {
      endsSeenWithinMs: this.holdPoller.measuredDelayMs ?? null,
      newLocksSeenWithinMs: this.keyspaceScan.coverage.gapMs ?? null,
    };
  }

  start(): void {
    this.connection.start();
    this.holdPoller.start();
  }

  /** @returns what should have been read and was not */
  stop(): Key[] {
    this.reconciliation.stop();
    this.holdPoller.stop();
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
  readNow(key: Key): Promise<Observation[]> {
    return this.#reader.readNow(key);
  }

  #createConnection(): MasterConnection {
    const { master, settings, listener } = this;
    const subscriber = new KeyspaceSubscriber(master.subscriber, settings.db, settings.watch, {
      onKeyChange: (key, event) => listener.onKeyChange(key, event, this),
      onScriptEvent: (event) => listener.onScriptEvent(event, this),
      onOversizedKey: (name) => this.oversizedKeys.record(name),
      onInvalidScriptEvent: () => listener.onInvalidScriptEvent(),
    });
    return new MasterConnection(master, subscriber, settings, {
      onUp: (isBlind) => this.#onUp(isBlind),
      onDown: () => this.#onDown(),
      onNotificationsChange: () => this.#onNotificationsChange(),
      onDelivered: (until) => void this.#confirmation.confirmWhenRead(until),
      onWritesRefusedChange: () => listener.onWritesRefusedChange(this),
    });
  }

  #createKeyspaceScan(): KeyspaceScan {
    const { master, settings, view } = this;
    const freshForMs = FRESH_READ_SHARE * settings.reconcileEveryMs;
    return new KeyspaceScan({
      redis: master.reads.shared,
      patterns: settings.watch,
      reader: this.#reader,
      listKnownKeys: (isPaced) => this.#listKnownKeys(isPaced ? freshForMs : 0),
      isKnown: (key) => view.isKnown(key, this),
      oversizedKeys: this.oversizedKeys,
      nonLockKeys: this.#nonLockKeys,
      sizes: this.#callSizes,
      isPolled: () => this.isPolled,
    });
  }

  #createHoldPoller(): HoldPoller {
    const { connection, view } = this;
    return new HoldPoller({
      readFingerprints: (keys) => this.#readFingerprints(keys),
      listKnownKeys: (unreadForMs) => view.listKnownKeys(this, unreadForMs),
      isAsRead: (key, deadlineMs) => this.#isAsRead(key, deadlineMs),
      reader: this.#reader,
      shouldPoll: () => this.isPolled,
      callSize: this.#callSizes.poll,
      getRoundTripMs: () => (connection.roundTripUs === null ? null : connection.roundTripUs / 1000),
      // A round without keys says nothing of Redis.
      onRoundEnd: (at) => this.#confirmation.confirm(Math.min(at, connection.answeredAt)),
    });
  }

  async #readFingerprints(keys: readonly Key[]): Promise<FingerprintReading[]> {
    return this.view.readFingerprints(keys, await this.master.reads.waitUntilReady());
  }

  /** A single holder with its own deadline: another hold would have another one. */
  #isAsRead(key: Key, deadlineMs: number | undefined): boolean {
    const seen = this.view.findObservation(key, this);
    if (deadlineMs === undefined || seen?.state !== "held" || seen.holders.length > 1) return false;
    return seen.remainingMs !== null && isSameDeadline(seen.asOf + seen.remainingMs, deadlineMs);
  }

  /**
   * Keys that a pass reads whatever the scan finds: those that cannot be read, because nothing may report that they are
   * gone, and known ones that were not read lately. While Redis does not report changes, these are polled instead.
   */
  *#listKnownKeys(freshForMs: number): Iterable<Key> {
    const isPolled = freshForMs > 0 && !this.connection.seesChanges;
    if (!isPolled) yield* this.view.listKnownKeys(this, freshForMs > 0 ? freshForMs : undefined);
    yield* this.unreadableKeys.keys;
  }

  /** Keys that are at another master by now are not this one's to report. */
  #dropMoved(keys: readonly Key[], observations: Observation[]): Observation[] {
    if (observations.length === keys.length) return observations;
    const here = new Set(observations.map(({ key }) => key));
    for (const key of keys) if (!here.has(key)) this.unreadableKeys.delete(key);
    return observations;
  }

  #onReadings(readings: readonly Reading[]): void {
    for (const { observation, sentAt, receivedAt } of readings) {
      this.unreadableKeys.record(observation);
      this.#nonLockKeys.record(observation.key, observation.state !== "not_a_lock");
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
  #onNotificationsChange(): void {
    this.listener.onStateChange();
    void this.reconciliation.runNow();
  }
}
