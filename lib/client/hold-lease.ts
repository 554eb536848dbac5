import { LostError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { computeElapsedMs } from "./moment.ts";
import { ReleaseRequestInbox } from "./release-requests.ts";
import { startBackgroundTimer, type Timer } from "./timers.ts";
import type { WritableKind } from "./wire-types.ts";

/**
 * The state of a lease. `held`: the deadline has not passed. `jeopardy`: the last renewal failed, but the deadline has
 * not passed. `lost`: the hold ended before this process released it. `closed`: this process has released the hold and
 * all re-entries, or is releasing the last of them.
 */
export type LeaseState = "held" | "jeopardy" | "lost" | "closed";

/**
 * The state that a hold shares with its re-entries in this process: identity, deadline and loss. The local deadline is
 * never later than the deadline in Redis, because it is measured from just before the request was sent, on the clock
 * that advanced more.
 */
export class HoldLease {
  /** Number of acquisitions that this process has not released, including pending re-entries. */
  openCounts = 1;
  /** Release requests that operators sent for the hold. */
  readonly releaseRequests = new ReleaseRequestInbox();
  /**
   * Called when the lease is closed, and when it is lost. Both can happen, because the loss of a closed lease may be
   * detected by its release.
   */
  onEnd: () => void = () => undefined;
  #grant: Grant;
  #state: LeaseState = "held";
  #loss: LostError | undefined;
  #deadlineTimer: Timer | undefined;
  readonly #lost = new AbortController();

  constructor(
    readonly key: string,
    grant: Grant,
    public kind: WritableKind = "lock",
  ) {
    this.#grant = grant;
    this.#armDeadline();
  }

  /**
   * The grant with the latest deadline, from the acquire, a renewal, a re-entry or a downgrade. Its `holdId` is always
   * the current one.
   */
  get grant(): Grant {
    return this.#grant;
  }

  get leaseMs(): number {
    return this.#grant.leaseMs;
  }

  get state(): LeaseState {
    if (this.#isLive() && this.remainingMs() === 0) {
      this.markLost(this.createLoss("its lease ended before it was renewed"));
    }
    return this.#state;
  }

  /** Whether the hold certainly exists: its state is `held` or `jeopardy`, and its deadline has not passed. */
  get isCertain(): boolean {
    const { state } = this;
    return state === "held" || state === "jeopardy";
  }

  get loss(): LostError | undefined {
    return this.#loss;
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Returns the time until the local deadline in milliseconds; 0 if the hold is lost or closed. */
  remainingMs(): number {
    if (!this.#isLive()) return 0;
    return Math.max(0, this.#grant.leftMs - computeElapsedMs(this.#grant.sentAt));
  }

  /** Applies a downgrade to a read lock: the new kind, the new `holdId`, and the grant. */
  applyDowngrade(grant: Grant): void {
    this.kind = "read";
    this.#grant = { ...this.#grant, holdId: grant.holdId };
    this.applyGrant(grant);
  }

  /**
   * Applies the grant from a renewal, re-entry or downgrade. Ignores a grant that arrives after the lease was lost or
   * closed. Never moves the deadline to an earlier time.
   */
  applyGrant(grant: Grant): void {
    if (!this.isCertain) return;
    this.#state = "held";
    this.releaseRequests.receive(grant.releaseRequested);
    // Ignores an earlier deadline. Responses can arrive in any order, and no request shortens a lease.
    if (grant.leftMs - computeElapsedMs(grant.sentAt) <= this.remainingMs()) return;
    // Keeps the current `holdId`, because the grant may come from a renewal that was sent before a downgrade.
    this.#grant = { ...grant, holdId: this.#grant.holdId };
    this.#armDeadline();
  }

  markInJeopardy(): void {
    if (this.state === "held") this.#state = "jeopardy";
  }

  /**
   * Marks the lease as lost. Also applies to a closed lease, because the release can reveal that the hold had already
   * ended.
   */
  markLost(loss: LostError): void {
    if (this.#state === "lost") return;
    this.#end("lost");
    this.#loss = loss;
    this.#lost.abort(loss);
  }

  close(): void {
    if (this.state !== "lost") this.#end("closed");
  }

  createLoss(why: string, options?: ErrorOptions): LostError {
    const { owner, fence } = this.#grant;
    const detail = `This hold of ${this.key} has ended: ${why}. Stop the work that it protects.`;
    return new LostError(detail, { key: this.key, owner, fence }, options);
  }

  /** Returns whether the state is `held` or `jeopardy`, without checking the deadline. */
  #isLive(): boolean {
    return this.#state === "held" || this.#state === "jeopardy";
  }

  #end(state: LeaseState): void {
    this.#state = state;
    clearTimeout(this.#deadlineTimer);
    this.onEnd();
  }

  // A timer follows one clock, but the deadline depends on two. The timer is therefore set again until the deadline has
  // passed.
  #armDeadline(): void {
    clearTimeout(this.#deadlineTimer);
    this.#deadlineTimer = startBackgroundTimer(() => {
      if (this.isCertain) this.#armDeadline();
    }, this.remainingMs());
  }
}
