import { ApiTransport } from "./api-transport.ts";
import { LockkeeperError, type LostError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { Hold } from "./hold.ts";
import { HoldLease } from "./hold-lease.ts";
import type { AcquireAllOptions, AcquireOptions, SemaphorePermits } from "./hold-options.ts";
import { HoldRequests } from "./hold-requests.ts";
import { HoldSession } from "./hold-session.ts";
import { rethrow } from "./lease-failure.ts";
import { renewLeases } from "./lease-renewals.ts";
import { LeaseRenewer } from "./lease-renewer.ts";
import { LockGroup } from "./lock-group.ts";
import { assertAcquireOptions, assertKeys, assertOptions, assertType, createOptionError } from "./options.ts";
import { callListener } from "./release-requests.ts";

export interface LockkeeperClientOptions {
  /**
   * One or more URLs of servers that use the same Redis. Each URL includes the base path, if any. Example:
   * `https://locks.example.com`.
   */
  readonly url: string | readonly string[];
  readonly apiKey: string;
  /** Name of the target; the first target of the server by default. */
  readonly target?: string | undefined;
  /** Function to use instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Called for errors that no method throws: errors from automatic renewals, errors from releases in `withLock` and
   * `withLocks`, and the error if the server refuses to register a release request listener.
   */
  readonly onError?: ((error: LockkeeperError) => void) | undefined;
}

type Work<Result> = (hold: Hold) => Promise<Result> | Result;
type GroupWork<Result> = (group: HoldGroup) => Promise<Result> | Result;

/** The holds of several locks that a `LockkeeperClient` acquired together. */
export type HoldGroup = LockGroup<Hold>;

/** The transport and the target of a client. */
export interface Connection {
  readonly transport: ApiTransport;
  /** Name of the target; `undefined` for the first target of the server. */
  readonly target: string | undefined;
}

/**
 * The connection of each `LockkeeperClient`. Used by separate entry points of the package, such as latches, whose code
 * is not part of the main bundle.
 */
export const connections = new WeakMap<LockkeeperClient, Connection>();

/** Acquires locks through the HTTP API of Lockkeeper. Retries requests, renews leases and detects the loss of holds. */
export class LockkeeperClient {
  readonly #requests: HoldRequests;
  readonly #renewer: LeaseRenewer;
  /** Passes an error to `onError`. */
  readonly #report: (error: LockkeeperError) => void;

  /**
   * Creates a client without sending a request.
   *
   * @throws InvalidError if an option is unknown or invalid
   */
  constructor(options: LockkeeperClientOptions) {
    assertOptions(
      "LockkeeperClient",
      {
        url: typeof options?.url === "string" ? "string" : "object",
        apiKey: "string",
        target: "string",
        fetch: "function",
        onError: "function",
      },
      options,
    );
    const { url, apiKey, target, fetch, onError } = options;
    assertType(apiKey, "string", "apiKey");
    const urls = typeof url === "string" ? [url] : [...url];
    try {
      const transport = new ApiTransport({ urls, apiKey, fetch });
      connections.set(this, { transport, target });
      this.#requests = new HoldRequests(transport, target);
    } catch (error) {
      rethrow(error);
    }
    this.#report = (error) => callListener(onError, error);
    this.#renewer = new LeaseRenewer((leases) => renewLeases(this.#requests, leases, this.#report));
  }

  /**
   * Acquires a lock. If the lock is held, even by this client, the call waits for up to `waitMs`.
   *
   * @throws HeldError, WaitTimeoutError, DeadlockError, AbortedError, QueueFullError, NotALockError, UnitConflictError,
   * KeyNotAllowedError, InvalidError, UnauthenticatedError, ForbiddenError, UnavailableError, NotReplicatedError,
   * UnknownOutcomeError, RefusedError
   */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Hold> {
    assertType(key, "string", "key");
    assertAcquireOptions("acquire", options);
    return this.#open(key, options, await this.#requests.acquire(key, options).catch(rethrow));
  }

  /**
   * Acquires the lock, runs the work and releases the lock.
   *
   * If the release fails, the error is passed to `onError` instead of being thrown, and the hold expires with its
   * lease.
   *
   * @throws LostError if the hold was lost before it was released, even if the work returned a result; any error that
   * the work throws, with the loss as the `cause` if the hold was lost and there is no other cause; and the errors of
   * `acquire`
   */
  withLock<Result>(key: string, work: Work<Result>): Promise<Result>;
  withLock<Result>(key: string, options: AcquireOptions, work: Work<Result>): Promise<Result>;
  async withLock<Result>(
    key: string,
    optionsOrWork: AcquireOptions | Work<Result>,
    maybeWork?: Work<Result>,
  ): Promise<Result> {
    const [options, work] = splitArguments(optionsOrWork, maybeWork);
    const hold = await this.acquire(key, options);
    return await this.#runWork(hold, [hold], work);
  }

  async #runWork<Held extends { assertHeld(): void }, Result>(
    held: Held,
    holds: readonly Hold[],
    work: (held: Held) => Promise<Result> | Result,
  ): Promise<Result> {
    let result: Result;
    try {
      // The hold is already lost if the response was delayed for longer than the lease.
      held.assertHeld();
      result = await work(held);
    } catch (error) {
      attachLoss(error, await this.#releaseAllAfterWork(holds));
      throw error;
    }
    const loss = await this.#releaseAllAfterWork(holds);
    if (loss !== undefined) throw loss;
    return result;
  }

  /**
   * Acquires all locks or none. If any of the locks is held, the call waits for up to `waitMs` and holds none of the
   * locks while it waits.
   *
   * @param keys 1 to 32 different keys, in any order
   * @returns the group of holds, in the same order as `keys`
   * @throws the errors of `acquire`, except DeadlockError; the facts of HeldError and WaitTimeoutError contain the key
   * of the held lock
   */
  async acquireAll(keys: readonly string[], options: AcquireAllOptions = {}): Promise<HoldGroup> {
    assertKeys(keys);
    assertAcquireOptions("acquireAll", options);
    const grants = await this.#requests.acquireAll(keys, options).catch(rethrow);
    return new LockGroup(grants.map((grant, at) => this.#open(keys[at] ?? "", options, grant)));
  }

  /**
   * Acquires all locks, runs the work and releases the locks.
   *
   * @throws the errors of `acquireAll`; LostError if one of the holds was lost before it was released; and any error
   * that the work throws, as in `withLock`
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
    const [options, work] = splitArguments(optionsOrWork, maybeWork);
    const group = await this.acquireAll(keys, options);
    return await this.#runWork(group, group.holds, work);
  }

  /**
   * Sets the total number of permits of a semaphore. Creates the semaphore if it does not exist. Acquired permits are
   * not affected. The call is idempotent.
   *
   * @param limit 1 to 4,096
   * @throws NotALockError, KeyNotAllowedError, InvalidError, UnauthenticatedError, ForbiddenError, UnavailableError,
   * NotReplicatedError, UnknownOutcomeError, RefusedError
   */
  async setLimit(key: string, limit: number): Promise<SemaphorePermits> {
    assertType(key, "string", "key");
    return await this.#requests.setLimit(key, limit).catch(rethrow);
  }

  #open(key: string, { renewal = "automatic", kind }: AcquireOptions, grant: Grant): Hold {
    const lease = new HoldLease(key, grant, kind);
    const renewer = renewal === "automatic" ? this.#renewer : undefined;
    const session = new HoldSession(lease, this.#requests, renewer, this.#report);
    return new Hold(session, grant.count);
  }

  /**
   * Releases all holds. @returns the `LostError` of the first lost hold, in the order of `holds`; `undefined` if no
   * hold was lost
   */
  async #releaseAllAfterWork(holds: readonly Hold[]): Promise<LostError | undefined> {
    const losses = await Promise.all(holds.map((hold) => this.#releaseAfterWork(hold)));
    return losses.find((loss) => loss !== undefined);
  }

  /**
   * Releases a hold and reports a failed release to `onError`.
   *
   * @returns the loss of the hold; `undefined` if the hold was not lost
   */
  async #releaseAfterWork(hold: Hold): Promise<LostError | undefined> {
    const { loss } = hold;
    try {
      await hold.release();
    } catch (error) {
      if (loss === undefined && error instanceof LockkeeperError) this.#report(error);
    }
    return loss ?? hold.loss;
  }
}

/**
 * Sets the loss as the `cause` of an error from the work. Leaves errors unchanged that already have a cause or cannot
 * be modified.
 */
function attachLoss(error: unknown, loss: LostError | undefined): void {
  if (loss === undefined || error === loss || !(error instanceof Error)) return;
  try {
    error.cause ??= loss;
  } catch {
    // The error cannot be modified, for example because it is frozen. The caller throws it unchanged.
  }
}

/**
 * Splits the arguments of `withLock` or `withLocks` into the options, which callers may omit, and the work.
 *
 * @throws InvalidError if the work is not a function
 */
function splitArguments<Held, Result>(
  optionsOrWork: AcquireOptions | ((held: Held) => Result),
  maybeWork: ((held: Held) => Result) | undefined,
): [AcquireOptions, (held: Held) => Result] {
  const isShort = typeof optionsOrWork === "function";
  const [options, work] = isShort ? [{}, optionsOrWork] : [optionsOrWork, maybeWork];
  if (typeof work !== "function") throw createOptionError("work", "must be a function");
  return [options, work];
}
