import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { SignalledLibrary } from "../../formats/release-signals.ts";
import { DECLARED_HOLDS_MAX, type DeclaredHold } from "../../formats/wait-declaration.ts";
import { openBackend, type RedisLocation } from "../backends/open-backend.ts";
import type { Backend } from "../verbs/backend.ts";
import type { SemaphorePermits } from "../verbs/contract/latch-verbs.ts";
import type { AcquireOptions, ReserveOptions as ReserveVerbOptions } from "../verbs/contract/verbs.ts";
import type { SafetyOptions } from "../verbs/safety.ts";
import { createAbortedError } from "../waiting/wait-coordinator.ts";
import { acquireWithRetry } from "./acquire-with-retry.ts";
import { GroupLocker, type HoldGroup } from "./group-locker.ts";
import type { Hold } from "./hold.ts";
import { HoldLeases } from "./hold-leases.ts";
import type { AcquireAllOptions, HoldOptions, WithLockOptions } from "./hold-options.ts";
import { Latch } from "./latch.ts";
import { LockFrame, listEnclosingHolds, runInFrame } from "./lock-frame.ts";
import type { Logger } from "./logger.ts";
import {
  assertAcquireAllOptions,
  assertAcquireOptions,
  assertKey,
  assertKeys,
  assertOpenOptions,
  assertReserveOptions,
  assertWithLockOptions,
  assertWork,
} from "./options.ts";
import { assertNoUpgrade, enterLock } from "./reentry.ts";
import { computeRenewalIntervalMs } from "./watchdog.ts";
import { attachLoss, releaseAfterWork } from "./work-end.ts";

export interface LockClientOptions extends SafetyOptions {
  /**
   * The name of this target on the Lockkeeper server; `default` by default. `hold.holdId` contains this name, and
   * matches the id in the console and the API only if the server uses the same name.
   */
  readonly target?: string;
  /** Patterns for the keys that the client is allowed to lock; all keys by default. */
  readonly lockable?: readonly string[];
  /**
   * Other libraries whose clients wait for the same `token` locks and sleep until a release signals them:
   * `python-redis-lock`, and `spring` for the registry type `PUB_SUB_LOCK`. Each release sends the signals that these
   * libraries expect. Empty by default.
   */
  readonly signalledLibraries?: readonly SignalledLibrary[];
  /**
   * The fair wait time in milliseconds: the difference between the timeouts of successive waiters of a fair lock;
   * 300,000 by default. If Redisson clients use the same fair locks, set this option to their `fairLockWaitTimeout`.
   */
  readonly fairWaitMs?: number;
  readonly log?: Logger;
}

export type ReserveOptions = Omit<ReserveVerbOptions, "principal" | "requestId">;

type Work<Result> = (hold: Hold) => Promise<Result>;
type GroupWork<Result> = (group: HoldGroup) => Promise<Result>;

const LEASE_MS = 30_000;
const OWNER = `${hostname()}:${process.pid}`;

/** A client that acquires locks on one target. Renews and re-enters the holds, and reports their loss. */
export class LockClient {
  readonly #leases: HoldLeases;
  readonly #groups: GroupLocker;
  readonly #closed = new AbortController();

  private constructor(
    private readonly backend: Backend,
    private readonly log: Logger | undefined,
    target: string,
  ) {
    this.#leases = new HoldLeases(backend, target);
    this.#groups = new GroupLocker(this, backend.verbs, this.#leases, log);
    // Each wait adds a listener, so their number has no limit.
    setMaxListeners(0, this.#closed.signal);
  }

  /**
   * Connects to Redis.
   *
   * @param where `redis://`, `rediss://` or `unix://`; `{ sentinel, master }` with the URLs of the sentinels and the
   *   name of the group; `{ cluster }` with the URLs of some nodes of the cluster; or `{ quorum }` with the URLs of
   *   independent masters
   * @throws StartupError if a URL is invalid or Redis cannot be reached within five seconds; InvalidError if an option
   *   is unknown or invalid
   */
  static async open(where: RedisLocation, options: LockClientOptions = {}): Promise<LockClient> {
    assertOpenOptions(options);
    const {
      lockable = ["*"],
      log,
      target = "default",
      signalledLibraries = [],
      fairWaitMs,
      ...safety
    } = options;
    const backend = await openBackend(where, lockable, safety, {
      findSignalledLibraries: () => signalledLibraries,
      fairWaitMs,
    });
    return new LockClient(backend, log, target);
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /**
   * Acquires a lock. If the lock is held, even by this client, the call fails or waits, depending on the options.
   *
   * @throws HeldError, WaitTimeoutError, DeadlockError, AbortedError, QueueFullError, NotALockError, UnitConflictError,
   *   KindConflictError, LimitConflictError, KeyNotAllowedError, InvalidError, UnavailableError, NotReplicatedError,
   *   UnknownOutcomeError
   */
  async acquire(key: string, options: HoldOptions = {}): Promise<Hold> {
    assertKey(key);
    assertAcquireOptions(options);
    this.#assertOpen();
    return await this.#acquire(key, options, this.#combineSignals(options));
  }

  /**
   * Reserves a free lock for `reservedMs` milliseconds. During this time, no client of any library can acquire the
   * lock.
   *
   * @throws HeldError, NotALockError, UnitConflictError, KindConflictError, KeyNotAllowedError, InvalidError,
   * UnavailableError, NotReplicatedError, UnknownOutcomeError
   */
  async reserve(key: string, options: ReserveOptions): Promise<void> {
    assertKey(key);
    assertReserveOptions(options);
    this.#assertOpen();
    const format = options.format ?? this.backend.format;
    await this.backend.verbs.reserve(key, { ...options, format });
  }

  /**
   * Sets the total number of permits of a semaphore. Creates the semaphore if it does not exist. If clients have
   * acquired more permits than the new limit, no permit is available until enough of them are released.
   *
   * @throws NotALockError, KeyNotAllowedError, InvalidError, UnavailableError, UnknownOutcomeError
   */
  async setLimit(key: string, limit: number): Promise<SemaphorePermits> {
    assertKey(key);
    this.#assertOpen();
    return await this.backend.verbs.setLimit(key, limit);
  }

  /**
   * Returns the count-down latch for a key. Sends no command to Redis.
   * @throws InvalidError
   */
  latch(key: string): Latch {
    assertKey(key);
    return new Latch(key, this.backend.verbs.latches, this.#closed.signal);
  }

  /**
   * Acquires the lock, runs the work, and releases the lock afterwards.
   *
   * A failed release is logged, not thrown, and the hold then ends when its lease expires.
   *
   * @throws errors that the work throws, with the LostError as their `cause` if the hold was lost; LostError if the
   * hold was lost and the work returned a result; and the errors that `acquire` throws
   */
  withLock<Result>(key: string, work: Work<Result>): Promise<Result>;
  withLock<Result>(key: string, options: WithLockOptions, work: Work<Result>): Promise<Result>;
  async withLock<Result>(
    key: string,
    optionsOrWork: WithLockOptions | Work<Result>,
    maybeWork?: Work<Result>,
  ): Promise<Result> {
    const isShort = typeof optionsOrWork === "function";
    const [options, work] = isShort ? [{}, optionsOrWork] : [optionsOrWork, maybeWork];
    assertKey(key);
    assertWithLockOptions(options);
    assertWork(work);
    this.#assertOpen();
    const signal = this.#combineSignals(options);
    const acquire = (more: HoldOptions) => this.#acquire(key, more, signal);
    const { hold, leave } = await enterLock(this, key, options, signal, acquire);
    const frame = new LockFrame(this, hold);
    try {
      return await this.#runWork(frame, work);
    } finally {
      leave(frame);
    }
  }

  /**
   * Acquires all locks, or none of them. If one of them is held, the call fails or waits, depending on the options.
   * During the wait, the client holds none of the locks.
   *
   * @param keys 1 to 32 different keys, in any order
   * @returns the holds, with one deadline and one signal
   * @throws like `acquire`; the `facts` of a HeldError or WaitTimeoutError identify the lock that could not be acquired
   */
  async acquireAll(keys: readonly string[], options: AcquireAllOptions = {}): Promise<HoldGroup> {
    assertKeys(keys);
    assertAcquireAllOptions(options);
    this.#assertOpen();
    return await this.#acquireAll(keys, options);
  }

  /**
   * Acquires all locks, runs the work, and releases the locks afterwards.
   *
   * @throws like `withLock`, including a LostError if any of the holds was lost
   */
  withLocks<Result>(keys: readonly string[], work: GroupWork<Result>): Promise<Result>;
  withLocks<Result>(
    keys: readonly string[],
    options: AcquireAllOptions,
    work: GroupWork<Result>,
  ): Promise<Result>;
  async withLocks<Result>(
    keys: readonly string[],
    optionsOrWork: AcquireAllOptions | GroupWork<Result>,
    maybeWork?: GroupWork<Result>,
  ): Promise<Result> {
    const isShort = typeof optionsOrWork === "function";
    const [options, work] = isShort ? [{}, optionsOrWork] : [optionsOrWork, maybeWork];
    assertKeys(keys);
    assertAcquireAllOptions(options);
    assertWork(work);
    this.#assertOpen();
    return await this.#groups.run(await this.#acquireAll(keys, options), work);
  }

  /**
   * Closes the connections, and marks all holds of this client as lost. In Redis, the holds end when their leases
   * expire.
   */
  close(): void {
    if (this.isClosed) return;
    this.#closed.abort(createClosedError());
    this.#leases.close();
    this.backend.close();
  }

  async #runWork<Result>(frame: LockFrame, work: Work<Result>): Promise<Result> {
    const { hold } = frame;
    let result: Result;
    try {
      // The grant may have arrived after the local deadline.
      hold.assertHeld();
      result = await runInFrame(frame, () => work(hold));
    } catch (error) {
      attachLoss(error, await releaseAfterWork(hold, this.log));
      throw error;
    }
    const loss = await releaseAfterWork(hold, this.log);
    if (loss !== undefined) throw loss;
    return result;
  }

  async #acquireAll(keys: readonly string[], options: AcquireAllOptions): Promise<HoldGroup> {
    const signal = this.#combineSignals(options);
    const ask = this.#toAcquireOptions(options, signal);
    try {
      if (signal?.aborted) throw createAbortedError(signal);
      const group = await this.#groups.acquire(keys, ask, options, () => this.isClosed);
      if (group !== undefined) return group;
    } catch (error) {
      if (!this.isClosed) throw error;
    }
    throw createClosedError();
  }

  #toAcquireOptions(options: AcquireAllOptions | HoldOptions, signal: AbortSignal | undefined) {
    const { owner = OWNER, leaseMs = LEASE_MS, waitMs = 0, renew = true } = options;
    const { unit, record, graceMs, minHoldMs } = options;
    const kind = "kind" in options ? options.kind : undefined;
    const format = options.format ?? this.backend.format ?? "redisson";
    const renewEveryMs = renew ? computeRenewalIntervalMs(leaseMs) : undefined;
    return { owner, leaseMs, waitMs, format, kind, unit, record, renewEveryMs, graceMs, minHoldMs, signal };
  }

  async #acquire(key: string, options: HoldOptions, signal: AbortSignal | undefined): Promise<Hold> {
    const { renew = true, retry, onJeopardy } = options;
    const { kind, yieldsToWriters, permits, limit, onDeadlock } = options;
    assertNoUpgrade(this, key, options);
    const deadlock = { holding: listDeclaredHolds(this, options), onDeadlock };
    const ask = {
      ...this.#toAcquireOptions(options, signal),
      kind,
      yieldsToWriters,
      permits,
      limit,
      ...deadlock,
    };
    try {
      if (signal?.aborted) throw createAbortedError(signal);
      const send = (each: AcquireOptions) => this.backend.verbs.acquire(key, each);
      const subject = { key, owner: ask.owner };
      const [{ grant, abandon }, sentAt] = await acquireWithRetry(send, subject, ask, retry, this.log);
      if (this.isClosed) abandon();
      else return this.#leases.open([grant, sentAt], { renew, onJeopardy });
    } catch (error) {
      if (!this.isClosed) throw error;
    }
    throw createClosedError();
  }

  /**
   * Combines the two signals that end a wait: the caller's signal, and the signal that aborts when the client is
   * closed. Returns only the caller's signal for a request that neither waits nor retries.
   */
  #combineSignals({
    signal,
    waitMs = 0,
    retry,
  }: Pick<HoldOptions, "signal" | "waitMs" | "retry">): AbortSignal | undefined {
    if (waitMs === 0 && retry === undefined) return signal;
    return signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
  }

  #assertOpen(): void {
    if (this.isClosed) throw createClosedError();
  }
}

/**
 * Lists the holds that the caller declares, followed by those of the enclosing frames. The list is empty for a request
 * that does not wait, because only a waiting request can be part of a deadlock.
 */
function listDeclaredHolds(client: LockClient, { waitMs = 0, holding = [] }: HoldOptions): DeclaredHold[] {
  if (waitMs === 0) return [];
  return [...new Set([...holding, ...listEnclosingHolds(client)])]
    .map(({ key, token }) => ({ key, token }))
    .slice(0, DECLARED_HOLDS_MAX);
}

function createClosedError(): UnavailableError {
  return new UnavailableError("This client was closed. Nothing was done; open a new client.");
}
