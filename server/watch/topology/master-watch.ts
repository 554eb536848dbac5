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
import { waitUntilMessagesAreParsed } from "../connection/subscriber-stream.ts";
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
  /** Patterns of the watched keys. */
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  readonly readOnly: boolean;
  readonly reconcileEveryMs: number;
  getFormatRules(): FormatRules;
}

/** Access to the state of the whole target, as required by a master watch. */
export interface MasterView {
  /**
   * Lists the known keys of this master, or only those that have not been read on this master for at least
   * `unseenForMs`.
   */
  listKnownKeys(at: MasterWatch, unseenForMs?: number): Iterable<Key>;
  isKnown(key: Key, at: MasterWatch): boolean;
  /** Reads keys on this master. Omits keys that have moved, and enqueues them on their new master. */
  readKeys(keys: readonly Key[], at: MasterWatch, redis: Redis, rules: FormatRules): Promise<Observation[]>;
  readFingerprints(keys: readonly Key[], redis: Redis): Promise<FingerprintReading[]>;
  /** Returns the last observation of the key on this master, or `undefined` if there is none. */
  findObservation(key: Key, at: MasterWatch): ReadableObservation | undefined;
  /**
   * Returns the time, in ms, after which the key must be read again, counted from its last read on this master. Returns
   * `undefined` if no further read is scheduled.
   */
  computeRereadDelayMs(key: Key, at: MasterWatch): number | undefined;
  /** Called when notifications for these keys may have been lost. */
  onBlindPeriod(keys: Iterable<Key>, at: MasterWatch): void;
}

/** Receives the observations from a master watch. */
export interface MasterListener {
  onKeyChange(key: Key, event: string, at: MasterWatch): void;
  onScriptEvent(event: ScriptEvent, at: MasterWatch): void;
  /**
   * Called for a script event that directly follows all notifications of its verb. Returns true if the event explains
   * the notifications, so that neither the event nor the notifications need further handling.
   */
  onVerbEvent(event: ScriptEvent, at: MasterWatch): boolean;
  /** Called for a malformed message on the script event channel. */
  onInvalidScriptEvent(): void;
  /** Called when a Redisson client enters or leaves the queue of a fair lock. */
  onQueueChange?(key: Key, at: MasterWatch): void;
  /** Called with new readings, after they have updated the clock of the master. */
  onReadings(readings: readonly Reading[], at: MasterWatch): void;
  /** Called when the master starts or stops refusing all writes, or the reason changes. */
  onWritesRefusedChange(at: MasterWatch): void;
  /** Called when the state of the connection, notifications or reconciliation changes. */
  onStateChange(): void;
}

/** Scan interval, in ms, while the master sends no notifications. */
const SCAN_ONLY_EVERY_MS = 1000;
/**
 * Share of the scan interval for which a read counts as recent. A reconciliation scan skips known keys with a recent
 * read.
 */
const FRESH_READ_SHARE = 5 / 6;

/** Watches one master. Maintains the connection and the notifications, reads changed keys, and scans the keyspace. */
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
      readSeparately: async (key) =>
        this.#dropMoved([key], await master.reads.readSeparately((redis) => read([key], redis))),
      waitForMessages: waitUntilMessagesAreParsed,
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

  /**
   * Time (`performance.now()`) up to which the index contains every change to known keys. `undefined` if the index has
   * never been complete.
   */
  get confirmedAt(): number | undefined {
    return this.#confirmation.at;
  }

  /** Whether the master responds but sends no notifications. */
  get isPolled(): boolean {
    return this.connection.isUp && !this.connection.seesChanges;
  }

  /**
   * Measured delays, in ms, until changes are noticed. A delay is `null` before its first measurement. The whole value
   * is `undefined` if notifications arrive or the master does not respond.
   */
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

  /** Stops watching. @returns the keys that were enqueued but not read, and the slow keys */
  stop(): Key[] {
    this.reconciliation.stop();
    this.holdPoller.stop();
    this.connection.stop();
    return this.#reader.stop();
  }

  enqueueRead(key: Key): void {
    this.#reader.enqueueRead(key);
  }

  /**
   * Enqueues a delayed read that `cancelRead` can cancel. If the key is slow, queued or being read, enqueues a regular
   * read instead.
   */
  enqueueCancellableRead(key: Key): void {
    this.#reader.enqueueCancellableRead(key);
  }

  /** Cancels the read that `enqueueCancellableRead` enqueued. Returns false if no such read is pending. */
  cancelRead(key: Key): boolean {
    return this.#reader.cancelRead(key);
  }

  /**
   * Starts the next batch without a pause, and resolves when the queued keys have been read. Does not wait for keys
   * that change constantly.
   */
  readQueued(): Promise<void> {
    return this.#reader.readQueued();
  }

  waitUntilSettled(): Promise<void> {
    return this.#reader.waitUntilSettled();
  }

  /**
   * Reads a key immediately, bypassing the queue. For a slow key (see `SlowKeys`), returns an unreadable observation
   * without reading the key.
   *
   * @throws the error from the read; a key whose read timed out becomes a slow key
   */
  readNow(key: Key): Promise<Observation[]> {
    return this.#reader.readNow(key);
  }

  #createConnection(): MasterConnection {
    const { master, settings, listener } = this;
    const subscriber = new KeyspaceSubscriber(master.subscriber, settings.db, settings.watch, {
      onKeyChange: (key, event) => listener.onKeyChange(key, event, this),
      onScriptEvent: (event) => listener.onScriptEvent(event, this),
      onVerbEvent: (event) => listener.onVerbEvent(event, this),
      onOversizedKey: (name) => this.oversizedKeys.record(name),
      onInvalidScriptEvent: () => listener.onInvalidScriptEvent(),
      onQueueChange: (key) => listener.onQueueChange?.(key, this),
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
      isUnchangedSinceRead: (key, deadlineMs) => this.#isUnchangedSinceRead(key, deadlineMs),
      reader: this.#reader,
      shouldPoll: () => this.isPolled,
      callSize: this.#callSizes.poll,
      getRoundTripMs: () => (connection.roundTripUs === null ? null : connection.roundTripUs / 1000),
      // A round without keys does not prove that Redis responds. The confirmed time is therefore not later than the
      // last reply to a probe.
      onRoundEnd: (at) => this.#confirmation.confirm(Math.min(at, connection.repliedAt)),
    });
  }

  async #readFingerprints(keys: readonly Key[]): Promise<FingerprintReading[]> {
    return this.view.readFingerprints(keys, await this.master.reads.waitUntilReady());
  }

  /**
   * Returns whether the hold is unchanged since the key was last read. Returns true only for a single holder with the
   * same deadline, because a new hold would have a different deadline.
   */
  #isUnchangedSinceRead(key: Key, deadlineMs: number | undefined): boolean {
    const seen = this.view.findObservation(key, this);
    if (deadlineMs === undefined || seen?.state !== "held" || seen.holders.length > 1) return false;
    return seen.remainingMs !== null && isSameDeadline(seen.asOf + seen.remainingMs, deadlineMs);
  }

  /**
   * Lists the keys that a reconciliation scan reads in addition to the keys that SCAN returns. Includes unreadable
   * keys, because Redis may send no notification when they are deleted. If `freshForMs` is 0, includes all known keys.
   * Otherwise, includes only the known keys that have not been read for `freshForMs`, or none of them if the holds are
   * polled.
   */
  *#listKnownKeys(freshForMs: number): Iterable<Key> {
    const isPolled = freshForMs > 0 && !this.connection.seesChanges;
    if (!isPolled) yield* this.view.listKnownKeys(this, freshForMs > 0 ? freshForMs : undefined);
    yield* this.unreadableKeys.keys;
  }

  /** Removes from `unreadableKeys` the keys that have moved to another master. Returns the observations unchanged. */
  #dropMoved(keys: readonly Key[], observations: Observation[]): Observation[] {
    if (observations.length === keys.length) return observations;
    const here = new Set(observations.map(({ key }) => key));
    for (const key of keys) if (!here.has(key)) this.unreadableKeys.delete(key);
    return observations;
  }

  /** Whether the key may be a lock, but its last read failed or has not ended yet. */
  isUnreadable(key: Key): boolean {
    const unreadable = this.unreadableKeys.entries.get(key);
    return this.#reader.isReadApart(key) || (unreadable !== undefined && unreadable.reason !== "too_large");
  }

  #onReadings(all: readonly Reading[]): void {
    const readings = this.#markUnreadable(all);
    for (const { observation, sentAt, receivedAt } of readings) {
      this.unreadableKeys.record(observation);
      this.#nonLockKeys.record(observation.key, observation.state !== "not_a_lock");
      if (observation.state !== "unreadable") this.clock.update(observation.asOf, sentAt, receivedAt);
    }
    this.listener.onReadings(readings, this);
  }

  #markUnreadable(readings: readonly Reading[]): readonly Reading[] {
    const { entries } = this.unreadableKeys;
    if (entries.size === 0) return readings;
    return readings.map((reading) =>
      entries.has(reading.observation.key) ? { ...reading, wasUnreadable: true } : reading,
    );
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

  /**
   * Scans the keyspace, because changes may have been missed before notifications started, or before Lockkeeper
   * detected that notifications do not arrive.
   */
  #onNotificationsChange(): void {
    this.listener.onStateChange();
    void this.reconciliation.runNow();
  }
}
