import type { LostError } from "./errors.ts";
import type { Released, ReleaseOptions, RenewOptions } from "./hold-options.ts";
import type { HoldSession } from "./hold-session.ts";
import { assertReleaseOptions, assertRenewOptions, assertType } from "./options.ts";
import type { ReleaseRequestListener } from "./release-requests.ts";
import { createIdempotencyKey } from "./request-options.ts";
import type { WritableFormat, WritableKind } from "./wire-types.ts";

/**
 * The state of a hold. `held`: the hold certainly exists until the local deadline. `jeopardy`: the last renewal failed,
 * but the deadline has not passed. `releasing`: `release` was called and has not succeeded yet. `released`: `release`
 * has succeeded. `lost`: the hold has ended without a release by this client, and another client may hold the lock.
 */
export type HoldState = "held" | "jeopardy" | "releasing" | "released" | "lost";

/**
 * A hold of a lock by this client. Re-entering returns another `Hold` with the same fencing token, deadline and signal.
 * Each `Hold` must be released separately.
 */
export class Hold implements AsyncDisposable {
  readonly #session: HoldSession;
  #end: "releasing" | "released" | "lost" | undefined;
  #leaving: Promise<void> | undefined;
  #releasing: Promise<Released> | undefined;
  #request: { readonly options: ReleaseOptions; readonly idempotencyKey: string } | undefined;

  constructor(
    session: HoldSession,
    /**
     * Re-entrancy count at the time this acquisition or re-entry was granted. For a semaphore, the number of permits.
     */
    readonly count: number,
  ) {
    this.#session = session;
  }

  get key(): string {
    return this.#session.lease.key;
  }

  get format(): WritableFormat {
    return this.#session.lease.grant.format;
  }

  /** The kind of lock; `read` after a downgrade. */
  get kind(): WritableKind {
    return this.#session.lease.kind;
  }

  /** ID of the hold in the console, the API and logs. */
  get holdId(): string {
    return this.#session.lease.grant.holdId;
  }

  /** Fencing token as a decimal string. Larger than the fencing tokens of all earlier holds of the key. */
  get fence(): string {
    return this.#session.lease.grant.fence;
  }

  /** Human-readable name of the owner. */
  get owner(): string {
    return this.#session.lease.grant.owner;
  }

  get leaseMs(): number {
    return this.#session.lease.leaseMs;
  }

  get state(): HoldState {
    if (this.#end !== undefined) return this.#end;
    const { state } = this.#session.lease;
    return state === "closed" ? "released" : state;
  }

  /** Aborts, with a LostError as the reason, as soon as this client detects that the hold is lost. */
  get signal(): AbortSignal {
    return this.#session.lease.signal;
  }

  /** The error that describes the loss; `undefined` unless the hold is lost. */
  get loss(): LostError | undefined {
    return this.state === "lost" ? this.#session.lease.loss : undefined;
  }

  /**
   * Returns the time until the local deadline in milliseconds, or 0 if the hold was lost or released, or is being
   * released.
   */
  remainingMs(): number {
    return this.#end === undefined ? this.#session.lease.remainingMs() : 0;
  }

  /**
   * Asserts that the state of the hold is `held` or `jeopardy`. Sends no request. Call this method before each step
   * that has an external effect.
   *
   * @throws LostError if the hold was lost or released, or is being released
   */
  assertHeld(): void {
    const { state } = this;
    if (state === "held" || state === "jeopardy") return;
    throw this.loss ?? this.#session.lease.createLoss("it was released");
  }

  /**
   * Renews the hold now. Retries until the renewal succeeds or is refused, or until the deadline of the hold. Automatic
   * renewal continues.
   *
   * @throws LostError, UnavailableError, UnknownOutcomeError, NotReplicatedError, InvalidError, UnauthenticatedError,
   * ForbiddenError, RefusedError
   */
  async renew(options: RenewOptions = {}): Promise<void> {
    assertRenewOptions("renew", options);
    this.assertHeld();
    await this.#session.renew(options.leaseMs);
  }

  /**
   * Checks with the server that the hold still exists. Detects a force-release without waiting for the next renewal.
   *
   * @throws LostError if the hold has ended, and the other errors of `renew`
   */
  async verify(): Promise<void> {
    this.assertHeld();
    await this.#session.verify();
  }

  /**
   * Re-enters the hold, which increments its re-entrancy count. Does not wait. Re-entries of the same hold can run
   * concurrently and are not protected from each other.
   *
   * @returns another `Hold`, which must be released separately
   * @throws the errors of `renew`
   */
  async reenter(options: RenewOptions = {}): Promise<Hold> {
    assertRenewOptions("reenter", options);
    this.assertHeld();
    return new Hold(this.#session, await this.#session.reenter(options.leaseMs));
  }

  /**
   * Downgrades a write lock to a read lock. No other writer can acquire the lock in between, and waiting readers are
   * notified. The hold keeps its fencing token, lease and signal, but its kind and `holdId` change. Release all
   * re-entries first. A hold with a minimum hold time cannot be downgraded. If the outcome is unknown, call this method
   * again, because the hold is not renewed automatically until the downgrade succeeds.
   *
   * @throws HeldError if the hold has unreleased re-entries; and the errors of `renew`
   */
  async downgrade(): Promise<void> {
    this.assertHeld();
    await this.#session.downgrade();
  }

  /**
   * Registers a listener that is called when an operator requests the release of this hold. The first registration
   * renews the hold once, after which operators can send requests. A request arrives with the next renewal. With
   * automatic renewal, this takes at most a third of the lease.
   *
   * Answer each request with `accept` or `refuse`. After `accept`, stop the work and release the hold. All re-entries
   * of the hold share one listener, and registering another listener replaces it.
   *
   * @throws LostError if the hold was lost or released, or is being released; InvalidError if the listener is not a
   * function
   */
  onReleaseRequested(listener: ReleaseRequestListener): void {
    assertType(listener, "function", "listener");
    this.assertHeld();
    this.#session.lease.releaseRequests.listen(listener);
  }

  /**
   * Releases this hold. The lock is released when this hold and all its re-entries have been released. Repeated calls
   * release the hold only once. If a release failed, the next call retries it with the options of the first call. If
   * the hold has already ended, the method does not throw, and the outcome is `not_held`.
   *
   * @throws UnavailableError, UnknownOutcomeError, InvalidError, UnauthenticatedError, ForbiddenError, RefusedError
   */
  release(options: ReleaseOptions = {}): Promise<Released> {
    this.#releasing ??= this.#release(options).catch((error: unknown) => {
      this.#releasing = undefined;
      throw error;
    });
    return this.#releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #release(options: ReleaseOptions): Promise<Released> {
    assertReleaseOptions(options);
    this.#request ??= { options, idempotencyKey: createIdempotencyKey() };
    this.#end ??= this.#session.lease.state === "lost" ? "lost" : "releasing";
    this.#leaving ??= this.#session.leave();
    await this.#leaving;
    const released = await this.#session.release(this.#request.options, this.#request.idempotencyKey);
    if (this.#end === "releasing") this.#end = released.outcome === "not_held" ? "lost" : "released";
    return released;
  }
}
