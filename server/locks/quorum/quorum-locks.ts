import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { settleLimited } from "../../concurrency/settle-limited.ts";
import { HeldError, NotALockError } from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import type { RequestReleaseReply } from "../../formats/release-request.ts";
import type { ExtendReply } from "../../formats/script-replies.ts";
import type { Subscriber } from "../../redis/commands.ts";
import { ATTEMPT_BUDGET_MS } from "../verbs/attempt.ts";
import type { AcquiredGrant, AcquiredGroup, Grant, Released, VerbHold } from "../verbs/contract/grant.ts";
import type {
  AcquireOptions,
  ExtendParams,
  ForceReleaseResult,
  HoldStatus,
  OperatorVerbs,
  ReleaseOptions,
  RenewalTarget,
  RenewOptions,
  ReserveOptions,
} from "../verbs/contract/verbs.ts";
import { assertMappable, createReleaseRequestUnsupportedError, toGrant } from "../verbs/error-factories.ts";
import { assertCallerTexts, toRecordText } from "../verbs/input/caller-texts.ts";
import { assertDurations } from "../verbs/input/durations.ts";
import { assertLockSet } from "../verbs/input/lock-set.ts";
import { formatReservedOwner } from "../verbs/input/reserved-owner.ts";
import { assertPermits, assertPlainKind } from "../verbs/kinds.ts";
import { LockableKeys } from "../verbs/lockable-keys.ts";
import { RequestFactory } from "../verbs/request-factory.ts";
import type { WaitAttemptResult } from "../waiting/running-wait.ts";
import { type Revocable, WaitCoordinator } from "../waiting/wait-coordinator.ts";
import { type KeyspaceSource, WaiterQueues } from "../waiting/waiter-queues.ts";
import { extendOnMasters } from "./extend-on-masters.ts";
import { forceReleaseOnMasters } from "./force-release-on-masters.ts";
import { readForeignHold } from "./foreign-hold.ts";
import { assertNoRefusal, createUnsupportedError, NO_CONDITIONS, NO_LATCHES } from "./no-shared-objects.ts";
import { PendingVotesByHold } from "./pending-votes.ts";
import { QuorumAttempt, type QuorumGrant } from "./quorum-attempt.ts";
import { QuorumGroupAcquirer } from "./quorum-group-acquirer.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { QuorumSubscriber } from "./quorum-subscriber.ts";
import { QuorumReentry } from "./reenter-on-masters.ts";
import { releaseOnMasters } from "./release-on-masters.ts";
import { renewOnMasters } from "./renew-on-masters.ts";
import { retryAttempt, toAttemptError } from "./retry-attempt.ts";
import { CONTENTION_BUDGET_MS } from "./time-limits.ts";
import { verifyOnMasters } from "./verify-on-masters.ts";

const QUORUM_KINDS = "A quorum has plain locks only";
const FORMAT = "token";
const RENEWALS_AT_ONCE = 100;

/**
 * The verbs for locks that a majority of independent masters must grant (Redlock). Supports only plain locks in the
 * `token` format. Does not support latches, conditions and release requests. A lock is lost once no majority of the
 * masters has it.
 */
export class QuorumLocks implements OperatorVerbs {
  readonly #lockable: LockableKeys;
  readonly #waitCoordinator: WaitCoordinator;
  readonly #groupAcquirer: QuorumGroupAcquirer;
  readonly #requests = new RequestFactory();
  readonly #pendingVotes = new PendingVotesByHold();

  constructor(
    private readonly masters: readonly QuorumMaster[],
    lockable: readonly string[],
  ) {
    this.#lockable = new LockableKeys(lockable);
    const subscriber = new QuorumSubscriber(masters.map(({ wake }) => wake));
    this.#waitCoordinator = new WaitCoordinator(
      new WaiterQueues(subscriber, findKeyspace(masters, subscriber)),
    );
    this.#groupAcquirer = new QuorumGroupAcquirer(masters, this.#waitCoordinator, this.#requests, {
      toGrant: (attempt, key, request, elected) => this.#toGrant(attempt, key, request, elected),
      toRefusal: (key, error) => this.#toRefusal(key, error),
    });
  }

  get clientId(): string {
    return this.#requests.clientId;
  }

  /**
   * @throws LockkeeperError held (if `waitMs` is 0), timeout, aborted, queue_full, lost, not_a_lock, key_not_allowed,
   *   invalid, idempotency_key_reused, unavailable; unknown_outcome only if the caller chose the request id
   */
  async acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    this.#assertAllowed(key, options);
    assertCallerTexts(options);
    assertDurations(options);
    assertPlainKind(options, QUORUM_KINDS);
    assertPermits(options);
    assertNoRefusal(options);
    return await this.#acquire(key, options);
  }

  /** @throws LockkeeperError like `acquire`; `held` and `timeout` name the lock that was refused */
  async acquireAll(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup> {
    assertLockSet(keys);
    for (const key of keys) this.#assertAllowed(key, options);
    assertCallerTexts(options);
    assertDurations(options);
    assertPlainKind(options, QUORUM_KINDS);
    return await this.#groupAcquirer.acquire(keys, options);
  }

  readonly latches = NO_LATCHES;
  readonly conditions = NO_CONDITIONS;

  /** @throws InvalidError because a quorum has no semaphores */
  async setLimit(): Promise<never> {
    throw createUnsupportedError("semaphores");
  }

  /** @param token the token to store; a new one by default */
  async #acquire(key: Key, options: AcquireOptions, token?: string): Promise<AcquiredGrant> {
    const { waitMs = 0, onSend, requestId } = options;
    const asked = { ...options, format: FORMAT, receivesReleaseRequests: false } as const;
    const request = this.#requests.createAcquireRequest(asked, token);
    const attempt = new QuorumAttempt(this.masters, key, request, getIdSource(requestId));
    if (waitMs > 0) return await this.#acquireWaiting(key, request, attempt, options);
    const outcome = await retryAttempt(attempt, {
      waitMs: undefined,
      splitRetryMs: CONTENTION_BUDGET_MS,
      outageRetryMs: 0,
      onSend,
    });
    if (outcome.outcome === "elected") return this.#toGrant(attempt, key, request, outcome);
    throw await this.#toRefusal(key, toAttemptError(key, request, attempt, outcome));
  }

  /**
   * Replaces a NotALockError with a HeldError if a majority of the masters has a foreign hold, because a foreign hold
   * blocks the masters like a Lockkeeper hold. Returns any other error unchanged.
   */
  async #toRefusal(key: Key, error: LockkeeperError): Promise<LockkeeperError> {
    if (!(error instanceof NotALockError)) return error;
    return (await readForeignHold(this.masters, key)) ?? error;
  }

  async #acquireWaiting(
    key: Key,
    request: AcquireRequest,
    attempt: QuorumAttempt,
    options: AcquireOptions,
  ): Promise<AcquiredGrant> {
    const { waitMs = 0, signal, requestId, onSend } = options;
    const tryAcquire = async (
      splitRetryMs: number,
    ): Promise<WaitAttemptResult<AcquiredGrant & Revocable>> => {
      const deadline = performance.now() + splitRetryMs;
      const leftMs = () => Math.max(1, Math.round(deadline - performance.now()));
      const outageRetryMs = Math.min(splitRetryMs, ATTEMPT_BUDGET_MS);
      const outcome = await retryAttempt(attempt, {
        waitMs: leftMs,
        splitRetryMs,
        outageRetryMs,
        signal,
        onSend,
      });
      if (outcome.outcome === "elected") {
        const granted = this.#toGrant(attempt, key, request, outcome);
        return {
          done: { ...granted, revoke: () => attempt.idSource === "by_lockkeeper" && granted.abandon() },
        };
      }
      const refusal = await this.#toRefusal(key, toAttemptError(key, request, attempt, outcome));
      if (!(refusal instanceof HeldError)) throw refusal;
      return { heldMs: refusal.facts.remainingMs, asOf: refusal.facts.asOf, toError: () => refusal };
    };
    const named = requestId && request.id;
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

  /**
   * @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, unavailable;
   *   unknown_outcome only if the caller chose the request id
   */
  async reenter(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    const { leaseMs, requestId, onSend } = options;
    this.#assertAllowed(hold.key, hold);
    assertDurations({ leaseMs });
    assertCallerTexts({ principal: hold.principal, requestId: options.requestId });
    const request = this.#requests.createRenewRequest("reenter", hold, options);
    onSend?.();
    return await new QuorumReentry(this.masters, hold, request, getIdSource(requestId)).run();
  }

  /** @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, unavailable */
  async renew(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    const { leaseMs, onSend } = options;
    this.#assertAllowed(hold.key, hold);
    assertDurations({ leaseMs });
    assertCallerTexts({ principal: hold.principal, requestId: options.requestId });
    const asked = { ...options, receivesReleaseRequests: false };
    const request = this.#requests.createRenewRequest("renew", hold, asked);
    onSend?.();
    return await renewOnMasters(this.masters, hold, request);
  }

  /** Renews each hold with one call per master. */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]> {
    return settleLimited(holds, RENEWALS_AT_ONCE, ({ leaseMs, ...hold }) => this.renew(hold, { leaseMs }));
  }

  /**
   * @throws LockkeeperError not_owner, idempotency_key_required, key_not_allowed, invalid, idempotency_key_reused,
   *   unavailable, unknown_outcome
   */
  async release(hold: VerbHold, options: ReleaseOptions = {}): Promise<Released> {
    this.#assertAllowed(hold.key, hold);
    assertDurations({ reservedMs: options.reservedMs });
    assertCallerTexts({ principal: hold.principal, requestId: options.requestId });
    const request = this.#requests.createReleaseRequest(hold, options);
    const released = await releaseOnMasters(this.masters, hold.key, request);
    // The release does not find votes that are pending.
    if (released.count === 0) this.#pendingVotes.revoke(hold.key, hold.token);
    return released;
  }

  /** @throws LockkeeperError like `acquire` without waiting */
  async reserve(key: Key, { by, reservedMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#assertAllowed(key, options);
    assertDurations({ reservedMs });
    assertPlainKind(options, QUORUM_KINDS);
    assertCallerTexts({ principal: options.principal, requestId: options.requestId });
    const owner = formatReservedOwner(by);
    const record = reason ? { purpose: toRecordText(reason) } : undefined;
    const ask = { ...options, owner, record, leaseMs: reservedMs };
    return (await this.#acquire(key, ask, owner)).grant;
  }

  /** @throws InvalidError because a quorum has no read/write locks; KeyNotAllowedError */
  async downgrade(hold: VerbHold): Promise<Grant> {
    this.#assertAllowed(hold.key, hold);
    throw new InvalidError(`${QUORUM_KINDS}, so no hold can be downgraded. Nothing was done.`, {
      field: "holdId",
    });
  }

  /** @throws LockkeeperError not_owner, key_not_allowed, invalid, unavailable */
  async verify(hold: VerbHold): Promise<HoldStatus> {
    this.#assertAllowed(hold.key, hold);
    return await verifyOnMasters(this.masters, hold);
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

  /** Returns `unsupported`, because each master would store a separate request and a separate result. */
  async requestRelease(): Promise<RequestReleaseReply> {
    return { outcome: "unsupported" };
  }

  /** @throws LockkeeperError release_request_unsupported */
  async answerReleaseRequest({ key }: VerbHold): Promise<never> {
    throw createReleaseRequestUnsupportedError(key, "Holds on a quorum do not receive release requests.");
  }

  #toGrant(attempt: QuorumAttempt, key: Key, { owner }: AcquireRequest, elected: QuorumGrant): AcquiredGrant {
    this.#pendingVotes.add(key, elected.token, attempt.pendingVotes);
    const grant = toGrant({ key, format: FORMAT, unit: undefined }, owner, elected);
    return { grant, abandon: () => void attempt.revokeVotes() };
  }

  #assertAllowed(key: Key, { format = FORMAT }: { readonly format?: WritableFormat | undefined }): void {
    this.#lockable.assertAllowed(key);
    if (format === FORMAT) return;
    throw new InvalidError(`A quorum supports only the format ${FORMAT}, not ${format}.`, {
      field: "format",
    });
  }
}

/**
 * Returns the source of keyspace notifications. Returns `undefined` if the masters use different databases, because the
 * names of their notification channels then differ.
 */
function findKeyspace(masters: readonly QuorumMaster[], subscriber: Subscriber): KeyspaceSource | undefined {
  const [db, ...others] = new Set(masters.map(({ db: each }) => each));
  return db === undefined || others.length > 0 ? undefined : { subscriber, db };
}

function getIdSource(requestId: string | undefined): "by_caller" | "by_lockkeeper" {
  return requestId === undefined ? "by_lockkeeper" : "by_caller";
}
