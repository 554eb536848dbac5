import { ApiError } from "./api-error.ts";
import { ApiTransport } from "./api-transport.ts";
import { LockkeeperError, type LostError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { Hold } from "./hold.ts";
import { HoldLease } from "./hold-lease.ts";
import type { AcquireOptions } from "./hold-options.ts";
import { HoldRequests } from "./hold-requests.ts";
import { HoldSession } from "./hold-session.ts";
import { renewLeases } from "./lease-renewals.ts";
import { LeaseRenewer } from "./lease-renewer.ts";
import { assertAcquireOptions, assertOptions, assertType, createOptionError } from "./options.ts";
import { toLockkeeperError } from "./to-lockkeeper-error.ts";

export interface LockkeeperClientOptions {
  /** One or several servers of the same Redis, such as `https://locks.example.com`, with the base path if they have one. */
  readonly url: string | readonly string[];
  readonly apiKey: string;
  /** Name of the target; the first target of the server by default. */
  readonly target?: string | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called for errors that no call reports: failed renewals, and failed releases of `withLock`. */
  readonly onError?: ((error: LockkeeperError) => void) | undefined;
}

type Work<Result> = (hold: Hold) => Promise<Result> | Result;

/** Acquires locks through the HTTP API of Lockkeeper, and handles retries, renewal and loss. */
export class LockkeeperClient {
  readonly #requests: HoldRequests;
  readonly #renewer: LeaseRenewer;
  readonly #onError: ((error: LockkeeperError) => void) | undefined;

  /**
   * Sends nothing yet.
   *
   * @throws InvalidError
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
      this.#requests = new HoldRequests(new ApiTransport({ urls, apiKey, fetch }), target);
    } catch (error) {
      throw toError(error);
    }
    this.#onError = onError;
    const report = (error: LockkeeperError) => this.#report(error);
    this.#renewer = new LeaseRenewer((leases) => renewLeases(this.#requests, leases, report));
  }

  /**
   * Acquires a lock. If it is held, even by this client, the call is refused or waits.
   *
   * @throws HeldError, WaitTimeoutError, AbortedError, QueueFullError, NotALockError, UnitConflictError,
   *   KeyNotAllowedError, InvalidError, UnauthenticatedError, ForbiddenError, UnavailableError, NotReplicatedError,
   *   UnknownOutcomeError, RefusedError
   */
  async acquire(key: string, options: AcquireOptions = {}): Promise<Hold> {
    assertType(key, "string", "key");
    assertAcquireOptions("acquire", options);
    return await this.#acquire(key, options);
  }

  /**
   * Runs the work while holding the lock, and releases it afterwards.
   *
   * An error of the work takes precedence over an error of the release, which is passed to `onError`; the hold then ends
   * with its lease.
   *
   * @throws LostError if the work finished after the hold was lost, even if it returned a result; errors of the work, with
   * the loss as their `cause`; and as `acquire`
   */
  withLock<Result>(key: string, work: Work<Result>): Promise<Result>;
  withLock<Result>(key: string, options: AcquireOptions, work: Work<Result>): Promise<Result>;
  async withLock<Result>(
    key: string,
    optionsOrWork: AcquireOptions | Work<Result>,
    maybeWork?: Work<Result>,
  ): Promise<Result> {
    const isShort = typeof optionsOrWork === "function";
    const [options, work] = isShort ? [{}, optionsOrWork] : [optionsOrWork, maybeWork];
    assertType(key, "string", "key");
    assertAcquireOptions("withLock", options);
    if (typeof work !== "function") throw createOptionError("work", "must be a function");
    const hold = await this.#acquire(key, options);
    let result: Result;
    try {
      // A response that was delayed for longer than the lease leaves no time to work.
      hold.assertHeld();
      result = await work(hold);
    } catch (error) {
      attachLoss(error, await this.#releaseAfterWork(hold));
      throw error;
    }
    const loss = await this.#releaseAfterWork(hold);
    if (loss !== undefined) throw loss;
    return result;
  }

  async #acquire(key: string, options: AcquireOptions): Promise<Hold> {
    let grant: Grant;
    try {
      grant = await this.#requests.acquire(key, options);
    } catch (error) {
      throw toError(error);
    }
    const lease = new HoldLease(key, grant);
    const { renewal = "automatic" } = options;
    const renewer = renewal === "automatic" ? this.#renewer : undefined;
    const session = new HoldSession(lease, this.#requests, renewer, (error) => this.#report(error));
    return new Hold(session, grant.count);
  }

  /** @returns the loss if the hold was already lost */
  async #releaseAfterWork(hold: Hold): Promise<LostError | undefined> {
    const { loss } = hold;
    try {
      await hold.release();
    } catch (error) {
      if (loss === undefined && error instanceof LockkeeperError) this.#report(error);
    }
    return loss ?? hold.loss;
  }

  #report(error: LockkeeperError): void {
    try {
      this.#onError?.(error);
    } catch (thrown) {
      // As with listeners of a signal, the process gets the error and the client continues.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }
}

/** Sets the loss as the cause of an error of the work, if it has no cause and can be changed. */
function attachLoss(error: unknown, loss: LostError | undefined): void {
  if (loss === undefined || error === loss || !(error instanceof Error)) return;
  try {
    if (error.cause !== undefined) return;
    Reflect.defineProperty(error, "cause", { value: loss, configurable: true, writable: true });
  } catch {
    // The caller's error has a getter or is a proxy, so it is thrown unchanged.
  }
}

function toError(error: unknown): unknown {
  return error instanceof ApiError ? toLockkeeperError(error) : error;
}
