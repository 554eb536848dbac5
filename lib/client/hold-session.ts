import { type LockkeeperError, LostError, NotReplicatedError, UnknownOutcomeError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import type { HoldLease } from "./hold-lease.ts";
import type { Released, ReleaseOptions } from "./hold-options.ts";
import type { HoldRequests, ReleaseRequestAnswer } from "./hold-requests.ts";
import { getRule, recordFailure, rethrow } from "./lease-failure.ts";
import type { LeaseRenewer } from "./lease-renewer.ts";
import type { ReceivedReleaseRequest } from "./release-requests.ts";

const ENDED_ELSEWHERE = "its lease ended, or it was released elsewhere";

/**
 * Renews, verifies, re-enters, downgrades and releases one hold, and applies the results to its lease. Also sends the
 * answers to release requests.
 */
export class HoldSession {
  /** Whether the outcome of a downgrade is pending or unknown. */
  #isUncertain = false;
  readonly #requests: HoldRequests;
  /** Renews the hold automatically. `undefined` if only the application renews the hold. */
  readonly #renewer: LeaseRenewer | undefined;
  readonly #onError: (error: LockkeeperError) => void;

  constructor(
    readonly lease: HoldLease,
    requests: HoldRequests,
    renewer: LeaseRenewer | undefined,
    onError: (error: LockkeeperError) => void,
  ) {
    this.#requests = requests;
    this.#renewer = renewer;
    this.#onError = onError;
    lease.releaseRequests.connect({
      declare: () => this.#declareReleaseRequests(),
      answer: (requestId, answer, text) => this.#answerReleaseRequest({ requestId, answer, text }),
      shouldRetry: () => lease.isCertain,
    });
    if (renewer === undefined) return;
    lease.onEnd = () => renewer.remove(lease);
    renewer.add(lease);
  }

  /** @throws LockkeeperError */
  async renew(leaseMs = this.lease.leaseMs): Promise<void> {
    try {
      this.#apply(await this.#requests.renew(this.lease, { leaseMs }));
    } catch (error) {
      const failure = recordFailure(this.lease, error);
      if (getRule(failure) !== "never") this.lease.markInJeopardy();
      throw failure;
    }
  }

  /** @throws LockkeeperError */
  async verify(): Promise<void> {
    let isHeld: boolean;
    try {
      isHeld = await this.#requests.readStatus(this.lease);
    } catch (error) {
      throw recordFailure(this.lease, error);
    }
    if (isHeld) return;
    this.lease.markLost(this.lease.createLoss(ENDED_ELSEWHERE));
    throw this.lease.loss ?? this.lease.createLoss("it was released");
  }

  /** Re-enters the hold. @returns the new re-entrancy count @throws LockkeeperError */
  async reenter(leaseMs: number | undefined): Promise<number> {
    const { lease } = this;
    lease.openCounts++;
    try {
      const grant = await this.#requests.reenter(lease, leaseMs);
      this.#apply(grant);
      if (lease.state === "lost") throw lease.loss;
      return grant.count;
    } catch (error) {
      await this.leave();
      throw error instanceof LostError ? error : recordFailure(this.lease, error);
    }
  }

  /**
   * Downgrades a write lock to a read lock. Suspends automatic renewal during the downgrade, because a renewal of the
   * write lock that arrives after the downgrade would be reported as a loss. If the outcome is unknown, renewal stays
   * suspended, and the hold ends at its deadline unless the downgrade is repeated.
   *
   * @throws LockkeeperError
   */
  async downgrade(): Promise<void> {
    const { lease } = this;
    const renewer = this.#renewer;
    await renewer?.finish(lease);
    // A renewal that was in flight may have scheduled the next renewal.
    renewer?.remove(lease);
    const wasUncertain = this.#isUncertain;
    this.#isUncertain = true;
    try {
      lease.applyDowngrade(await this.#requests.downgrade(lease));
      this.#isUncertain = false;
    } catch (error) {
      const failure = recordFailure(lease, error);
      const isUnknown = failure instanceof UnknownOutcomeError || failure instanceof NotReplicatedError;
      if (!isUnknown) this.#isUncertain = wasUncertain;
      throw failure;
    } finally {
      if (!this.#isUncertain && lease.isCertain) renewer?.add(lease);
    }
  }

  /**
   * Decrements the number of unreleased acquisitions in this process. At 0, closes the lease, stops renewals and waits
   * for renewals in flight.
   */
  async leave(): Promise<void> {
    this.lease.openCounts--;
    if (this.lease.openCounts > 0) return;
    this.lease.close();
    await this.#renewer?.finish(this.lease);
  }

  /**
   * Releases one acquisition of the hold. A re-entered hold must be released once per acquisition. If the hold had
   * already ended, marks the lease as lost and does not throw.
   *
   * @throws LockkeeperError
   */
  async release(options: ReleaseOptions, idempotencyKey: string): Promise<Released> {
    const { lease } = this;
    // Repeats a downgrade with an unknown outcome, because its result determines whether to release the write lock or
    // the read lock.
    if (this.#isUncertain) await this.downgrade().catch(() => undefined);
    const released = await this.#requests.release(lease, options, idempotencyKey).catch(rethrow);
    const { outcome } = released;
    if (outcome === "not_held" || (outcome === "released" && lease.openCounts > 0)) {
      lease.markLost(lease.createLoss(ENDED_ELSEWHERE));
    }
    return released;
  }

  /**
   * Declares to the server that this client receives release requests. If the server refuses the declaration, passes
   * the error to `onError`, because the application is not awaiting a call that could throw the error. Does not pass
   * the loss of the hold to `onError`.
   *
   * @returns the current request; `undefined` if there is none or the declaration was refused
   * @throws LockkeeperError if the declaration may succeed later
   */
  async #declareReleaseRequests(): Promise<ReceivedReleaseRequest | undefined> {
    try {
      const fields = { leaseMs: this.lease.leaseMs, receivesReleaseRequests: true } as const;
      const grant = await this.#requests.renew(this.lease, fields);
      this.#apply(grant);
      return grant.releaseRequested;
    } catch (error) {
      const failure = recordFailure(this.lease, error);
      if (getRule(failure) !== "never") throw failure;
      if (!(failure instanceof LostError)) this.#onError(failure);
      return undefined;
    }
  }

  /** @throws LockkeeperError */
  async #answerReleaseRequest(answer: ReleaseRequestAnswer): Promise<void> {
    try {
      await this.#requests.answerReleaseRequest(this.lease, answer);
    } catch (error) {
      throw recordFailure(this.lease, error);
    }
  }

  #apply(grant: Grant): void {
    this.lease.applyGrant(grant);
    this.#renewer?.reschedule(this.lease);
  }
}
