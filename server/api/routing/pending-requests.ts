import { UnavailableError } from "../../errors/redis-errors.ts";
import { TooManyWaitingError } from "../../errors/request-errors.ts";
import type { AbortListener, AbortSignalLike } from "../../locks/waiting/abort-signal-like.ts";

/**
 * The requests that wait for a lock. Limits their number per caller. On shutdown, ends all waits so that every request
 * gets a response before the process exits.
 */
export class PendingRequests {
  readonly #requests = new Set<PendingRequest>();
  readonly #counts = new Map<string, number>();
  #isStopping = false;

  /** @param most maximum number of waiting requests per caller */
  constructor(private readonly most = Number.POSITIVE_INFINITY) {}

  /**
   * Asserts that another request from the caller can wait.
   *
   * @throws LockkeeperError too_many_waiting, unavailable if the server is stopping
   */
  assertCapacity(caller: string): void {
    if (this.#isStopping) throw createStoppingError();
    if ((this.#counts.get(caller) ?? 0) < this.most) return;
    throw new TooManyWaitingError(
      `${this.most} of your requests are waiting, which is the maximum. Wait for fewer locks at once, or raise LOCKKEEPER_WAITERS_MAX.`,
      { limit: this.most },
    );
  }

  /**
   * Creates a pending request, which counts towards the limit of its caller while it waits.
   *
   * @param signal aborts when the client disconnects
   */
  create(caller: string, signal: AbortSignalLike): PendingRequest {
    return new PendingRequest(this, caller, signal);
  }

  /** Ends all waits and refuses new ones. Called when the server stops. */
  stop(): void {
    this.#isStopping = true;
    for (const request of [...this.#requests]) request.stop();
  }

  add(request: PendingRequest): void {
    this.#requests.add(request);
    this.#counts.set(request.caller, (this.#counts.get(request.caller) ?? 0) + 1);
  }

  remove(request: PendingRequest): void {
    if (!this.#requests.delete(request)) return;
    const left = (this.#counts.get(request.caller) ?? 0) - 1;
    if (left > 0) this.#counts.set(request.caller, left);
    else this.#counts.delete(request.caller);
  }
}

/**
 * A waiting request, and the signal that aborts its wait when the client disconnects or the server stops. Creates no
 * closures, because thousands of requests may be waiting.
 */
export class PendingRequest implements AbortSignalLike {
  #listener: AbortListener | undefined;
  #isStopped = false;

  constructor(
    private readonly owner: PendingRequests,
    readonly caller: string,
    private readonly signal: AbortSignalLike,
  ) {}

  get aborted(): boolean {
    return this.#isStopped || this.signal.aborted;
  }

  addEventListener(type: "abort", listener: AbortListener): void {
    this.#listener = listener;
    this.signal.addEventListener(type, listener);
    this.owner.add(this);
  }

  removeEventListener(type: "abort", listener: AbortListener): void {
    this.signal.removeEventListener(type, listener);
    this.owner.remove(this);
  }

  stop(): void {
    this.#isStopped = true;
    this.#listener?.handleEvent();
  }

  /** Converts the error from an aborted wait to the error to return to the client. */
  toWaitError(error: unknown): unknown {
    return this.#isStopped ? createStoppingError() : error;
  }
}

function createStoppingError(): UnavailableError {
  return new UnavailableError(
    "The server is stopping. Nothing was acquired. Retry, with the same Idempotency-Key if you sent one.",
    {},
    { reason: "stopping" },
  );
}
