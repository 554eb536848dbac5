import type { Grant, Released, Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { ExtendReply } from "../../formats/script-replies.ts";
import { ATTEMPT_BUDGET_MS } from "../verbs/attempt.ts";
import { assertDurations } from "../verbs/durations.ts";
import { assertMappable, assertOwner, toGrant } from "../verbs/error-factories.ts";
import { LockableKeys } from "../verbs/lockable-keys.ts";
import { RequestFactory } from "../verbs/request-factory.ts";
import { formatReservedOwner } from "../verbs/reserved-owner.ts";
import type {
  AcquiredGrant,
  AcquireOptions,
  ExtendParams,
  ForceReleaseResult,
  OperatorVerbs,
  ReleaseOptions,
  RenewOptions,
  ReserveOptions,
} from "../verbs/verbs.ts";
import { type Revocable, type WaitAttemptResult, WaitCoordinator } from "../verbs/wait-coordinator.ts";
import { WaiterQueues } from "../verbs/waiter-queues.ts";
import { extendOnMasters } from "./extend-on-masters.ts";
import { forceReleaseOnMasters } from "./force-release-on-masters.ts";
import { PendingVotesByHold } from "./pending-votes.ts";
import { QuorumAttempt, type QuorumGrant } from "./quorum-attempt.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { QuorumReleases } from "./quorum-releases.ts";
import { QuorumSubscriber } from "./quorum-subscriber.ts";
import { renewOnMasters } from "./renew-on-masters.ts";
import { retryAttempt, toAttemptError } from "./retry-attempt.ts";
import { CONTENTION_BUDGET_MS } from "./time-limits.ts";
import { verifyOnMasters } from "./verify-on-masters.ts";

const FORMAT = "token";

/**
 * The verbs on locks that a majority of independent masters has to agree on (Redlock). What is said of a verb holds
 * as for one Redis, except that a lock can be lost with the majority and no other way.
 */
export class QuorumLocks implements OperatorVerbs {
  readonly #lockable: LockableKeys;
  readonly #waitCoordinator: WaitCoordinator;
  readonly #requests = new RequestFactory();
  readonly #releases: QuorumReleases;
  readonly #pendingVotes = new PendingVotesByHold();

  constructor(
    private readonly masters: readonly QuorumMaster[],
    lockable: readonly string[],
  ) {
    this.#lockable = new LockableKeys(lockable);
    this.#waitCoordinator = new WaitCoordinator(
      new WaiterQueues(new QuorumSubscriber(masters.map(({ wake }) => wake))),
    );
    this.#releases = new QuorumReleases(masters);
  }

  /**
   * @throws LockkeeperError held (without waiting), timeout, aborted, queue_full, lost, not_a_lock, key_not_allowed,
   *   invalid, request_id_reused, unavailable; unknown_outcome for requests with an id of the caller's alone
   */
  async acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    this.#assertAllowed(key, options);
    assertOwner(options.owner);
    assertDurations(options);
    return await this.#acquire(key, options);
  }

  async #acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    const { waitMs = 0, onSend, requestId } = options;
    const request = this.#requests.createAcquireRequest({ ...options, format: FORMAT });
    const attempt = new QuorumAttempt(this.masters, key, request, getIdSource(requestId));
    if (waitMs > 0) return await this.#acquireWaiting(key, request, attempt, options);
    const outcome = await retryAttempt(attempt, {
      waitMs: undefined,
      patienceMs: CONTENTION_BUDGET_MS,
      outlastsMs: 0,
      onSend,
    });
    if (outcome.outcome === "elected") return this.#toGrant(attempt, key, request, outcome);
    throw toAttemptError(key, request, attempt, outcome);
  }

  async #acquireWaiting(
    key: Key,
    request: AcquireRequest,
    attempt: QuorumAttempt,
    options: AcquireOptions,
  ): Promise<AcquiredGrant> {
    const { waitMs = 0, signal, requestId, onSend } = options;
    const tryAcquire = async (patienceMs: number): Promise<WaitAttemptResult<AcquiredGrant & Revocable>> => {
      const deadline = performance.now() + patienceMs;
      const leftMs = () => Math.max(1, Math.round(deadline - performance.now()));
      const outlastsMs = Math.min(patienceMs, ATTEMPT_BUDGET_MS);
      const outcome = await retryAttempt(attempt, {
        waitMs: leftMs,
        patienceMs,
        outlastsMs,
        signal,
        onSend,
      });
      if (outcome.outcome === "elected") {
        const granted = this.#toGrant(attempt, key, request, outcome);
        return { done: { ...granted, revoke: () => attempt.idSource === "by_us" && granted.abandon() } };
      }
      const refusal = toAttemptError(key, request, attempt, outcome);
      if (!(refusal instanceof HeldError)) throw refusal;
      return { heldMs: refusal.facts.remainingMs, asOf: refusal.facts.asOf, toError: () => refusal };
    };
    // Another owner or principal that uses the same id waits for itself.
    const named = requestId && `${requestId}\n${request.principal ?? ""}\n${request.owner}`;
    try {
      return await this.#waitCoordinator.run(
        key,
        { waitMs, signal, requestId: named },
        tryAcquire,
        () => undefined,
      );
    } finally {
      attempt.close();
    }
  }

  /** @throws LockkeeperError lost, not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#assertAllowed(key, options);
    assertOwner(options.owner);
    assertDurations({ leaseMs: options.leaseMs });
    return await renewOnMasters(
      this.masters,
      key,
      this.#requests.createRenewRequest({ ...options, format: FORMAT }),
    );
  }

  /**
   * @throws LockkeeperError not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable,
   *   unknown_outcome
   */
  async release(key: Key, options: ReleaseOptions): Promise<Released> {
    this.#assertAllowed(key, options);
    assertOwner(options.owner);
    assertDurations({ reservedMs: options.reservedMs });
    const request = this.#requests.createReleaseRequest({ ...options, format: FORMAT });
    const released = await this.#releases.release(key, request, getIdSource(options.requestId));
    // The release finds no vote that is still to come.
    if (released.count === 0) this.#pendingVotes.revoke(key, request);
    return released;
  }

  /** @throws LockkeeperError as `acquire` without waiting */
  async reserve(key: Key, { by, reservedMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#assertAllowed(key, options);
    assertDurations({ reservedMs });
    const owner = formatReservedOwner(by);
    const record = reason ? { purpose: reason } : undefined;
    const ask = { ...options, owner, record, leaseMs: reservedMs, reentrant: false };
    return (await this.#acquire(key, ask)).grant;
  }

  /** @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, unavailable */
  async verify(key: Key, wanted: VerifyInput): Promise<Verified> {
    this.#assertAllowed(key, wanted);
    assertOwner(wanted.owner);
    return await verifyOnMasters(this.masters, key, wanted);
  }

  /** @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome */
  async forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseResult> {
    assertMappable(seen.key);
    return await forceReleaseOnMasters(this.masters, seen, ask);
  }

  /** @throws LockkeeperError key_not_allowed, unavailable */
  async extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply> {
    assertMappable(seen.key);
    return await extendOnMasters(this.masters, seen, ask);
  }

  #toGrant(attempt: QuorumAttempt, key: Key, request: AcquireRequest, elected: QuorumGrant): AcquiredGrant {
    const { owner, leaseMs } = request;
    this.#pendingVotes.add(key, request, attempt.pendingVotes);
    const grant = toGrant(key, owner, leaseMs, { ...elected, outcome: "granted" });
    return { grant, abandon: () => attempt.revokeVotes() };
  }

  #assertAllowed(key: Key, { format = FORMAT }: { readonly format?: WritableFormat | undefined }): void {
    this.#lockable.assertAllowed(key);
    if (format === FORMAT) return;
    throw new InvalidError(
      `A quorum takes locks of the format ${FORMAT} alone, and ${format} was asked for.`,
      {
        field: "format",
      },
    );
  }
}

function getIdSource(requestId: string | undefined): "by_caller" | "by_us" {
  return requestId === undefined ? "by_us" : "by_caller";
}
