import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { ConditionScripts } from "../../formats/conditions/condition-scripts.ts";
import { buildEventChannel } from "../../formats/keys.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import { FAIR_WAIT_MS } from "../../formats/lock-requests.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import type { RequestReleaseReply } from "../../formats/release-request.ts";
import type { FindSignalledLibraries } from "../../formats/release-signals.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";
import type { Commands, Subscriber } from "../../redis/commands.ts";
import { ConditionWaiters } from "../waiting/condition-waiters.ts";
import { DeadlockRefusals } from "../waiting/deadlock-refusals.ts";
import { FairPlaces } from "../waiting/fair-places.ts";
import { WaitCoordinator } from "../waiting/wait-coordinator.ts";
import { WaiterQueues } from "../waiting/waiter-queues.ts";
import { Acquirer } from "./acquirer.ts";
import { attempt } from "./attempt.ts";
import { Conditions } from "./conditions.ts";
import type { ConditionVerbs } from "./contract/condition-verbs.ts";
import type { AcquiredGrant, AcquiredGroup, Grant, Released, VerbHold } from "./contract/grant.ts";
import type { LatchVerbs, SemaphorePermits } from "./contract/latch-verbs.ts";
import type {
  AcquireOptions,
  ExtendParams,
  HoldChangeListener,
  HoldStatus,
  OperatorVerbs,
  ReleaseOptions,
  ReleaseRequestAnswer,
  RenewalTarget,
  RenewOptions,
  RequestReleaseOptions,
  ReserveOptions,
} from "./contract/verbs.ts";
import { downgradeHold } from "./downgrade.ts";
import { assertMappable } from "./error-factories.ts";
import { GroupAcquirer } from "./group-acquirer.ts";
import { assertCallerTexts, toRecordText } from "./input/caller-texts.ts";
import { assertDurations } from "./input/durations.ts";
import { assertLockSet } from "./input/lock-set.ts";
import { formatReservedOwner } from "./input/reserved-owner.ts";
import {
  assertDeadlockOptions,
  assertExclusive,
  assertKind,
  assertKindOptions,
  assertPlainKind,
  assertReservable,
} from "./kinds.ts";
import { Latches } from "./latches.ts";
import { LockableKeys } from "./lockable-keys.ts";
import { PermitReclaimer } from "./permit-reclaimer.ts";
import { answerReleaseRequest, requestReleaseOfHold } from "./release-requests.ts";
import { Releaser } from "./releaser.ts";
import { Renewer } from "./renewer.ts";
import { RequestFactory } from "./request-factory.ts";
import type { GuardedCommands } from "./safety.ts";
import { extendSeen, forceReleaseSeen } from "./seen-holds.ts";
import { setSemaphoreLimit } from "./semaphore-limit.ts";

export interface RedisLocksParts {
  /**
   * Returns the commands that send a grant or renewal, and its confirmation, as the safety options require. `undefined`
   * if no safety options are set.
   */
  readonly getCommands?: ((what: "grant" | "renewal") => GuardedCommands) | undefined;
  /** The connection for keyspace notifications; defaults to the connection for wake-ups. */
  readonly keyspaceSubscriber?: Subscriber;
  /** Returns the libraries whose waiters a release of a `token` hold must signal; none by default. */
  readonly findSignalledLibraries?: FindSignalledLibraries | undefined;
  /**
   * The fair wait time in ms; 300,000 by default. Must equal `fairLockWaitTimeout` of the Redisson clients that use the
   * same fair locks.
   */
  readonly fairWaitMs?: number | undefined;
}

/**
 * The verbs for locks in one Redis or Redis Cluster. Most verbs run one script. The outcome of a verb is granted,
 * refused or unknown. A client's deadline is `remainingMs` after the time at which it sent the request.
 */
export class RedisLocks implements OperatorVerbs {
  readonly #redis: Commands;
  readonly #channel: string;
  readonly #lockable: LockableKeys;
  readonly #requests = new RequestFactory();
  readonly #acquirer: Acquirer;
  readonly #groupAcquirer: GroupAcquirer;
  readonly #getGuardedCommands: (what: "grant" | "renewal") => GuardedCommands;
  readonly #releaser: Releaser;
  readonly #renewer: Renewer;
  readonly #permitReclaimer: PermitReclaimer;
  readonly latches: LatchVerbs;
  readonly conditions: ConditionVerbs;

  /** @param subscriber a separate connection that receives the wake-ups for waiters */
  constructor(
    redis: Commands,
    subscriber: Subscriber,
    db: number,
    lockable: readonly string[],
    parts: RedisLocksParts = {},
  ) {
    const { getCommands, keyspaceSubscriber = subscriber, findSignalledLibraries = () => [] } = parts;
    const { fairWaitMs = FAIR_WAIT_MS } = parts;
    this.#redis = redis;
    const open = { commands: redis, confirm: undefined };
    this.#getGuardedCommands = getCommands ?? (() => open);
    this.#channel = buildEventChannel(db);
    this.#lockable = new LockableKeys(lockable);
    const keyspace = { subscriber: keyspaceSubscriber, db };
    const queues = new WaiterQueues(subscriber, keyspace);
    const waits = new WaitCoordinator(queues, new DeadlockRefusals(subscriber));
    const retry = <Reply>(call: () => Promise<Reply>) => attempt(redis, call);
    const fairPlaces = new FairPlaces(redis, this.#channel, queues, fairWaitMs, retry);
    this.#acquirer = new Acquirer(
      redis,
      this.#channel,
      { waits, fairPlaces },
      this.#requests,
      this.#getGuardedCommands,
    );
    const connection = { redis, channel: this.#channel, getGuardedCommands: this.#getGuardedCommands };
    this.#groupAcquirer = new GroupAcquirer(connection, waits, this.#requests);
    this.latches = new Latches(redis, waits, this.#requests, this.#lockable);
    this.#releaser = new Releaser(
      redis,
      this.#channel,
      queues,
      this.#requests,
      findSignalledLibraries,
      fairWaitMs,
    );
    this.#permitReclaimer = new PermitReclaimer(redis);
    this.#renewer = new Renewer(connection, this.#lockable, this.#requests);
    const scripts = new ConditionScripts();
    this.conditions = new Conditions({
      ...{ redis, channel: this.#channel, scripts, fairWaitMs, lockable: this.#lockable },
      ...{ acquirer: this.#acquirer, requests: this.#requests },
      waiters: new ConditionWaiters(subscriber, (key, waiters) => scripts.renew(redis, key, waiters)),
      onGivenUp: (key, fence) => this.#releaser.onHoldChange?.("released", key, fence),
    });
  }

  onHoldChange(listener: HoldChangeListener): void {
    this.#acquirer.onHoldChange = listener;
    this.#releaser.onHoldChange = listener;
  }

  get clientId(): string {
    return this.#requests.clientId;
  }

  /**
   * Acquires a lock. If the lock is held, even by the caller, waits for up to `waitMs`.
   *
   * @throws LockkeeperError held (if `waitMs` is 0), timeout, deadlock, aborted, queue_full, lost, not_a_lock,
   * unit_conflict, kind_conflict, limit_conflict, key_not_allowed, invalid, idempotency_key_reused, not_replicated,
   * unavailable, unknown_outcome
   */
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    // The methods from here to the wait are not async: each pending promise uses memory, and there may be thousands of
    // waiters.
    try {
      this.#lockable.assertAllowed(key);
      assertCallerTexts(options);
      assertDurations(options);
      assertKindOptions(options);
      assertDeadlockOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    const acquired = this.#acquirer.acquire(key, options);
    return options.kind === "plain_semaphore" ? this.#watchPermits(key, acquired) : acquired;
  }

  async #watchPermits(key: Key, acquired: Promise<AcquiredGrant>): Promise<AcquiredGrant> {
    const grant = await acquired;
    this.#permitReclaimer.watch(key);
    return grant;
  }

  /**
   * Acquires all locks, or none of them. If a lock is held, the request waits for up to `waitMs` in the queue of that
   * lock, and holds none of the locks during the wait. The grants are in the same order as `keys`. On a cluster,
   * acquires the locks of each slot together, one slot after another.
   *
   * @throws LockkeeperError like `acquire`; `held` and `timeout` name the lock that was refused
   */
  async acquireAll(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup> {
    assertLockSet(keys);
    for (const key of keys) this.#lockable.assertAllowed(key);
    assertCallerTexts(options);
    assertDurations(options);
    assertPlainKind(options, "acquireAll acquires plain locks only");
    return await this.#groupAcquirer.acquire(keys, options);
  }

  /**
   * Re-enters a hold. The count increases, the token and the fencing token stay the same, and the lease is never
   * shortened.
   *
   * @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, not_replicated,
   * unavailable, unknown_outcome
   */
  async reenter(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    return await this.#renewer.reenter(hold, options);
  }

  /**
   * @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, not_replicated,
   *   unavailable, unknown_outcome
   */
  renew(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    return this.#renewer.renew(hold, options);
  }

  /** Renews many holds in few script calls. */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]> {
    return this.#renewer.renewHolds(holds);
  }

  /**
   * Releases one count of a hold, with the outcome `not_held` if the hold has already ended.
   *
   * @throws LockkeeperError not_owner, idempotency_key_required, key_not_allowed, invalid, idempotency_key_reused,
   *   unavailable, unknown_outcome
   */
  release(hold: VerbHold, options: ReleaseOptions = {}): Promise<Released> {
    try {
      this.#lockable.assertAllowed(hold.key);
      assertDurations({ reservedMs: options.reservedMs });
      if (options.reservedMs !== undefined) {
        assertExclusive(hold, "reserved when it is released");
        assertReservable(hold);
      }
      assertCallerTexts({ principal: hold.principal, requestId: options.requestId });
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#releaser.release(hold, options);
  }

  /**
   * Converts a writer's hold to a reader's hold with the same fencing token and the remaining lease, and wakes waiting
   * readers. No other writer can acquire the lock in between. A repeated call changes nothing.
   *
   * @throws LockkeeperError held (if the hold was re-entered), lost, not_owner, key_not_allowed, invalid,
   * not_replicated, unavailable, unknown_outcome
   */
  async downgrade(hold: VerbHold, onSend?: () => void): Promise<Grant> {
    this.#lockable.assertAllowed(hold.key);
    assertCallerTexts({ principal: hold.principal });
    return await downgradeHold(
      { redis: this.#redis, channel: this.#channel, ...this.#getGuardedCommands("grant") },
      hold,
      onSend,
    );
  }

  /**
   * Checks whether a hold exists, without changing it. The hold can end immediately afterwards.
   *
   * @throws LockkeeperError not_owner, key_not_allowed, unavailable
   */
  async verify(hold: VerbHold): Promise<HoldStatus> {
    return await this.#renewer.verify(hold);
  }

  /**
   * Reserves a free lock by acquiring it with the owner `lockkeeper:reserve:<by>`. Clients of every library respect the
   * reservation until it expires or is force-released.
   *
   * @throws LockkeeperError like `acquire` without waiting
   */
  async reserve(key: Key, { by, reservedMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#lockable.assertAllowed(key);
    assertDurations({ reservedMs });
    assertKind(options);
    assertReservable(options);
    assertCallerTexts({ principal: options.principal, requestId: options.requestId });
    const owner = formatReservedOwner(by);
    const record = reason ? { purpose: toRecordText(reason) } : undefined;
    const ask = { ...options, owner, record, leaseMs: reservedMs };
    const { grant } = await this.#acquirer.acquire(key, ask, owner);
    this.#releaser.signalReservationEnd(grant, { owner, reservedMs });
    return grant;
  }

  async setLimit(key: Key, limit: number): Promise<SemaphorePermits> {
    this.#lockable.assertAllowed(key);
    return await setSemaphoreLimit(this.#redis, key, limit);
  }

  /**
   * Force-releases one hold of any lock, including locks that clients are not allowed to acquire.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseReply> {
    return await forceReleaseSeen(this.#redis, this.#channel, seen, ask);
  }

  /**
   * Extends one hold of any lock, including locks that clients are not allowed to acquire.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  async extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply> {
    return await extendSeen(this.#redis, this.#channel, seen, ask);
  }

  async requestRelease(
    seen: HeldObservation,
    holder: SeenHolder,
    ask: RequestReleaseOptions,
  ): Promise<RequestReleaseReply> {
    assertMappable(seen.key);
    return await requestReleaseOfHold(this.#redis, this.#channel, seen, holder, ask);
  }

  async answerReleaseRequest(hold: VerbHold, answer: ReleaseRequestAnswer): Promise<ReleaseRequest> {
    this.#lockable.assertAllowed(hold.key);
    assertCallerTexts({ principal: hold.principal });
    return await answerReleaseRequest(this.#redis, this.#channel, hold, answer);
  }
}
