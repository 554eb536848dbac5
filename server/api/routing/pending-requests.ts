import { UnavailableError } from "../../errors/redis-errors.ts";
import { TooManyWaitingError } from "../../errors/request-errors.ts";
import type { AbortListener, AbortSignalLike } from "../../locks/verbs/verbs.ts";

/** The requests that are held open until a lock is free: so many a caller, and all answered before the process ends. */
export class PendingRequests {
  readonly #requests = new Set<PendingRequest>();
  readonly #counts = new Map<string, number>();
  #isStopping = false;

  /** @param most how many of one caller may wait at once */
  constructor(private readonly most = Number.POSITIVE_INFINITY) {}

  /**
   * Before a request is held.
   *
   * @throws LockkeeperError too_many_waiting, unavailable when the server is stopping
   */
  assertCapacity(caller: string): void {
    if (this.#isStopping) throw createStoppingError();
    if ((this.#counts.get(caller) ?? 0) < this.most) return;
    throw new TooManyWaitingError(
      `${this.most} of your requests are waiting, which is the maximum. Wait for fewer locks at once, or raise LOCKKEEPER_WAITERS_MAX.`,
      { limit: this.most },
    );
  }

  /** @param signal tells that the client has gone */
  create(caller: string, signal: AbortSignalLike): PendingRequest {
    return new PendingRequest(this, caller, signal);
  }

  /** Ends all waits; from now on nobody may wait. */
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

/** Ends a wait when its client has gone, and when the server stops. Thousands may wait, so it makes no functions. */
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

  /** What is said of a wait that was given up. */
  toWaitError(error: unknown): unknown {
    return this.#isStopped ? createStoppingError() : error;
  }
}

function createStoppingError(): UnavailableError {
  return new UnavailableError(
    "This server is stopping. Nothing is held. Retry, with the same Idempotency-Key if you sent one.",
    {},
    { reason: "stopping" },
  );
}
