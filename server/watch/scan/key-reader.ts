import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { isTimeout, ReadTimeoutError } from "../../redis/failure.ts";
import { BusyKeys } from "./busy-keys.ts";
import type { CallSize } from "./call-size.ts";
import { CancellableReads } from "./cancellable-reads.ts";
import { RereadSchedule } from "./reread-schedule.ts";
import { SlowKeys } from "./slow-keys.ts";

/** An observation with the times (`performance.now()`) of its request and reply. */
export interface Reading {
  readonly observation: Observation;
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Set if the previous read of the key failed. The start of a hold is then unknown. */
  readonly wasUnreadable?: true;
}

interface ReadReply {
  readonly observations: Observation[];
  /** Time (`performance.now()`) at which the reply arrived. */
  readonly receivedAt: number;
}

const BATCH = 100;
const RETRY_MS = 100;
/** Target share of the time that reads use. The resulting pauses let one read cover several changes to a busy lock. */
const READ_SHARE = 0.2;
const PAUSE_MS_MAX = 15;
/** Maximum time, in ms, for which a batch waits for more keys during a burst scan. */
const BURST_WAIT_MS = 10;
/**
 * Queue length, in keys, above which the queue is dropped and a full scan reads all keys, because the scan is cheaper.
 */
const QUEUE_MAX = 250_000;

export interface KeyReaderDeps {
  /** @throws ReadTimeoutError if some replies do not arrive in time */
  read(keys: readonly Key[]): Promise<Observation[]>;
  /** Reads one key on a separate connection. */
  readSeparately(key: Key): Promise<Observation[]>;
  /**
   * Resolves when the messages received so far have been processed. A batch of readings is emitted after this promise
   * resolves.
   */
  waitForMessages(): Promise<void>;
  /** Whether Redis replies to a probe sent now. */
  isResponding(): Promise<boolean>;
  onReadings(readings: readonly Reading[]): void;
  /**
   * Returns the time, in ms, after which a key must be read again, counted from its last read. Returns `undefined` if
   * no further read is scheduled.
   */
  computeRereadDelayMs(key: Key): number | undefined;
  /** Number of keys per batch during a scan. */
  readonly callSize: CallSize;
  /** Called after the reader has dropped its queue because the queue was too long. */
  onOverflow(): void;
}

/**
 * Reads keys that may have changed, in batches and in queue order. Coalesces repeated requests for a key. Reads held
 * keys again when their next read is due.
 */
export class KeyReader {
  /**
   * The mode of the current scan, or `no` if no scan is in progress. During a scan, batches have `callSize` keys. In a
   * `burst` scan, a batch waits only to fill up, for at most 10 ms. In a `paced` scan, reads pause as they do
   * outside a scan.
   */
  scanning: "no" | "paced" | "burst" = "no";
  readonly #dirty = new Set<Key>();
  readonly #busyKeys = new BusyKeys((key) => this.enqueueRead(key));
  readonly #slowKeys: SlowKeys;
  readonly #cancellable = new CancellableReads((key) => this.enqueueRead(key));
  #onBatchFull: () => void = () => undefined;
  readonly #onDrained: (() => void)[] = [];
  readonly #settleWaiters = new Set<{ keys: Set<Key>; resolve: () => void }>();
  #reading: readonly Key[] = [];
  #readingSentAt = Number.NEGATIVE_INFINITY;
  /** Keys that `readNow` has read since the current batch was sent. The batch's observations of them are outdated. */
  readonly #readAfterBatch = new Set<Key>();
  readonly #rereads = new RereadSchedule<Key>((key) => this.enqueueRead(key));
  #draining: Promise<void> | undefined;
  #isStopped = false;
  /** Earliest time (`performance.now()`) at which the next batch starts. A full batch starts immediately. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** Maximum batch size in keys. A timeout sets it to half the failed batch, and each successful batch doubles it. */
  #batchMax = BATCH;

  constructor(private readonly deps: KeyReaderDeps) {
    this.#slowKeys = new SlowKeys({
      readSeparately: (key) => deps.readSeparately(key),
      isResponding: () => deps.isResponding(),
      onRead: (observations, sentAt) =>
        this.#emitReadings(observations, sentAt, performance.now(), { wasUnreadable: true }),
    });
  }

  get queuedCount(): number {
    return this.#dirty.size;
  }

  /** Whether the key is slow. `SlowKeys` reads slow keys on a separate connection. */
  isReadApart(key: Key): boolean {
    return this.#slowKeys.has(key);
  }

  /**
   * Enqueues a read of the key unless one is already queued. Delays the read of a busy key, and leaves a slow key to
   * `SlowKeys`.
   */
  enqueueRead(key: Key): void {
    this.#cancellable.remove(key);
    if (this.#slowKeys.takeChange(key)) {
      // The key may have become slow while a busy key's read was delayed.
      this.#resolveSettled([key]);
      return;
    }
    if (this.#busyKeys.holdBackIfBusy(key)) return;
    this.#dirty.add(key);
    if (this.#dirty.size >= this.#batchSize) this.#onBatchFull();
    if (this.#dirty.size > QUEUE_MAX) this.#handleOverflow();
    this.#draining ??= this.#drain();
  }

  /**
   * Enqueues a delayed read that `cancelRead` can cancel. If the key is slow, queued or being read, enqueues a regular
   * read instead.
   */
  enqueueCancellableRead(key: Key): void {
    const isOnlyRead = !this.#dirty.has(key) && !this.#cancellable.isReading(key) && !this.#slowKeys.has(key);
    if (isOnlyRead) this.#cancellable.add(key);
    else this.enqueueRead(key);
  }

  /** Cancels the read that `enqueueCancellableRead` enqueued. Returns false if no such read is pending. */
  cancelRead(key: Key): boolean {
    return this.#cancellable.remove(key);
  }

  /**
   * Starts the next batch without a pause, and resolves when the queued keys have been read. Does not wait for keys
   * that change constantly.
   */
  readQueued(): Promise<void> {
    this.#cancellable.enqueueAll();
    this.#onBatchFull();
    return this.#waitUntilRead(new Set([...this.#dirty, ...this.#reading]));
  }

  /** Resolves when fewer than `marks` keys are queued, or when the reader is stopped. */
  async waitForQueueSpace(marks: number): Promise<void> {
    while (this.#dirty.size >= marks && !this.#isStopped) {
      await new Promise<void>((resolve) => this.#onDrained.push(resolve));
    }
  }

  /**
   * Resolves when all keys enqueued so far have been read. Does not wait for slow keys. Also resolves when the reader
   * is stopped or drops its queue.
   */
  waitUntilSettled(): Promise<void> {
    this.#cancellable.enqueueAll();
    return this.#waitUntilRead(new Set([...this.#dirty, ...this.#reading, ...this.#busyKeys.delayedKeys]));
  }

  #waitUntilRead(keys: Set<Key>): Promise<void> {
    if (keys.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settleWaiters.add({ keys, resolve });
    });
  }

  /**
   * Reads a key immediately, bypassing the queue. For a slow key (see `SlowKeys`), returns an unreadable observation
   * without reading the key.
   *
   * @throws the error from the read; a key whose read timed out becomes a slow key
   */
  async readNow(key: Key): Promise<Observation[]> {
    const slow = this.#slowKeys.describe(key);
    if (slow !== undefined) return [slow];
    const sentAt = performance.now();
    try {
      const { observations, receivedAt } = await this.#read([key]);
      // A batch can need a second round trip, so its earlier observation of the key may still arrive.
      if (sentAt > this.#readingSentAt && this.#reading.includes(key)) {
        for (const { key: seen } of observations) this.#readAfterBatch.add(seen);
      }
      this.#emitReadings(observations, sentAt, receivedAt);
      return observations;
    } catch (error) {
      if (error instanceof ReadTimeoutError) this.#slowKeys.add(key);
      throw error;
    }
  }

  /** Stops the reader. @returns the keys that were enqueued but not read, and the slow keys */
  stop(): Key[] {
    const changed = [...this.#dirty, ...this.#busyKeys.delayedKeys, ...this.#cancellable.keys];
    const left = [...this.#reading, ...changed, ...this.#slowKeys.keys];
    this.#isStopped = true;
    this.#slowKeys.stop();
    this.#clearQueue();
    this.#rereads.stop();
    return left;
  }

  async #drain(): Promise<void> {
    // Waits for the current turn of the event loop to end, because the messages of a burst arrive within one turn.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#dirty.size > 0 && !this.#isStopped) {
      await this.#pause();
      const startedAt = performance.now();
      await this.#readBatch();
      this.#notifyDrained();
      const endedAt = performance.now();
      this.#nextAt = endedAt + Math.min(PAUSE_MS_MAX, (endedAt - startedAt) * (1 / READ_SHARE - 1));
    }
    this.#draining = undefined;
  }

  get #batchSize(): number {
    return Math.min(this.scanning === "no" ? BATCH : this.deps.callSize.size, this.#batchMax);
  }

  async #pause(): Promise<void> {
    const waitMs = this.scanning === "burst" ? BURST_WAIT_MS : this.#nextAt - performance.now();
    if (waitMs <= 0 || this.#dirty.size >= this.#batchSize) return;
    const signal = new Promise<void>((resolve) => {
      this.#onBatchFull = resolve;
    });
    const timer = setTimeout(() => this.#onBatchFull(), waitMs);
    await signal;
    clearTimeout(timer);
  }

  async #readBatch(): Promise<void> {
    const keys = takeFirst(this.#dirty, this.#batchSize);
    for (const key of keys) this.#dirty.delete(key);
    this.#reading = keys;
    const sentAt = performance.now();
    this.#readingSentAt = sentAt;
    this.#readAfterBatch.clear();
    let reply: ReadReply;
    try {
      reply = await this.#read(keys);
    } catch (error) {
      await this.#handleFailure(keys, error);
      return;
    }
    const { observations, receivedAt } = reply;
    if (this.scanning !== "no") await this.#recordCall(keys.length, receivedAt - sentAt);
    this.#batchMax = Math.min(BATCH, 2 * this.#batchMax);
    this.#reading = [];
    for (const key of keys) this.#busyKeys.recordRead(key, sentAt);
    const newest = observations.filter(({ key }) => !this.#readAfterBatch.has(key));
    this.#emitReadings(newest, sentAt, receivedAt);
    this.#resolveSettled(keys);
  }

  // Without the wait, a read that overtakes the event of an operator's extension would count as a renewal.
  #read(keys: readonly Key[]): Promise<ReadReply> {
    return this.#cancellable.duringRead(keys, async () => {
      const observations = await this.deps.read(keys);
      const receivedAt = performance.now();
      await this.deps.waitForMessages();
      return { observations, receivedAt };
    });
  }

  async #recordCall(keys: number, durationMs: number): Promise<void> {
    const { callSize } = this.deps;
    callSize.record(keys, durationMs);
    const restMs = callSize.takePauseMs();
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }

  /** Enqueues the keys of a failed read again. Keys that timed out become slow keys instead. */
  async #handleFailure(keys: readonly Key[], error: unknown): Promise<void> {
    for (const key of keys) this.#dirty.add(key);
    this.#reading = [];
    if (!isTimeout(error)) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return;
    }
    this.#batchMax = Math.max(1, Math.floor(keys.length / 2));
    const suspects = error instanceof ReadTimeoutError ? error.keys : keys.length === 1 ? keys : [];
    for (const key of suspects) {
      this.#dirty.delete(key);
      this.#slowKeys.add(key);
    }
    this.#resolveSettled(suspects);
  }

  #notifyDrained(): void {
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #handleOverflow(): void {
    this.#clearQueue();
    this.deps.onOverflow();
  }

  #clearQueue(): void {
    this.#dirty.clear();
    this.#cancellable.clear();
    this.#busyKeys.clearHeldBack();
    for (const { resolve } of this.#settleWaiters) resolve();
    this.#settleWaiters.clear();
    this.#notifyDrained();
  }

  #resolveSettled(read: readonly Key[]): void {
    for (const waiting of this.#settleWaiters) {
      for (const key of read) waiting.keys.delete(key);
      if (waiting.keys.size > 0) continue;
      this.#settleWaiters.delete(waiting);
      waiting.resolve();
    }
  }

  #emitReadings(
    observations: readonly Observation[],
    sentAt: number,
    receivedAt: number,
    previous?: Pick<Reading, "wasUnreadable">,
  ): void {
    this.deps.onReadings(
      observations.map((observation) => ({ observation, sentAt, receivedAt, ...previous })),
    );
    for (const { key } of observations) {
      const dueMs = this.deps.computeRereadDelayMs(key);
      // Adds 1 ms so that the deadline has also passed in Redis.
      this.#rereads.set(key, dueMs === undefined ? undefined : receivedAt + dueMs + 1);
    }
    this.#rereads.arm();
  }
}

function takeFirst<Item>(items: Iterable<Item>, count: number): Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.push(item) === count) break;
  }
  return first;
}
