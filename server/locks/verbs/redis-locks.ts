import { PERMIT_LIMIT_MAX } from "../../../lib/contract/actions/verb.ts";
import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import { isWritableFormat } from "../../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { buildEventChannel } from "../../formats/keys.ts";
import { isReadWrite } from "../../formats/kind-keys.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import { FAIR_WAIT_MS, type RenewRequest } from "../../formats/lock-requests.ts";
import type { LockWriter } from "../../formats/lock-writer.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { SEMAPHORE_WRITER } from "../../formats/redisson/semaphore-writer.ts";
import { findLockFormat } from "../../formats/registry/lock-formats.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { RequestReleaseReply } from "../../formats/release-request.ts";
import type { FindSignalledLibraries } from "../../formats/release-signals.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";
import type { Commands, Subscriber } from "../../redis/commands.ts";
import { DeadlockRefusals } from "../waiting/deadlock-refusals.ts";
import { FairPlaces } from "../waiting/fair-places.ts";
import { WaitCoordinator } from "../waiting/wait-coordinator.ts";
import { WaiterQueues } from "../waiting/waiter-queues.ts";
import { Acquirer } from "./acquirer.ts";
import { attempt } from "./attempt.ts";
import { BatchRenewer } from "./batch-renewer.ts";
import { assertCallerTexts, toRecordText } from "./caller-texts.ts";
import { downgradeHold } from "./downgrade.ts";
import { assertDurations } from "./durations.ts";

import {
  assertMappable,
  createNotOwnerError,
  createRefusalError,
  readRenewal,
  toGrant,
} from "./error-factories.ts";
import { GroupAcquirer } from "./group-acquirer.ts";
import {
  assertCount,
  assertDeadlockOptions,
  assertExclusive,
  assertKind,
  assertKindOptions,
  assertPermits,
  assertPlainKind,
  assertReservable,
} from "./kinds.ts";
import { Latches } from "./latches.ts";
import { assertLockSet } from "./lock-set.ts";
import { LockableKeys } from "./lockable-keys.ts";
import { answerReleaseRequest, requestReleaseOfHold } from "./release-requests.ts";
import { Releaser } from "./releaser.ts";
import { RequestFactory } from "./request-factory.ts";
import { formatReservedOwner } from "./reserved-owner.ts";
import type { GuardedCommands } from "./safety.ts";
import type {
  AcquiredGrant,
  AcquiredGroup,
  AcquireOptions,
  ExtendParams,
  Grant,
  HoldChangeListener,
  HoldStatus,
  LatchVerbs,
  OperatorVerbs,
  Released,
  ReleaseOptions,
  ReleaseRequestAnswer,
  RenewalTarget,
  RenewOptions,
  RequestReleaseOptions,
  ReserveOptions,
  SemaphorePermits,
  VerbHold,
} from "./verbs.ts";

export interface RedisLocksParts {
  /** Returns the guarded connection for a call that may grant or renew a lock, if safety options are set. */
  readonly getCommands?: ((what: "grant" | "renewal") => GuardedCommands) | undefined;
  /** Receives keyspace notifications; by default the connection for wake-ups. */
  readonly keyspaceSubscriber?: Subscriber;
  /** Returns the libraries whose waiters the release of a `token` hold signals; none by default. */
  readonly findSignalledLibraries?: FindSignalledLibraries | undefined;
  /**
   * The fair wait time in ms, 300,000 by default: the same as `fairLockWaitTimeout` of the Redisson clients that use the
   * same fair locks.
   */
  readonly fairWaitMs?: number | undefined;
}

/**
 * The verbs for locks in one Redis or Redis Cluster. Each verb is one script and is granted, refused, or has an unknown
 * outcome. To compute a deadline from `remainingMs`, clients must start from the time at which they sent the request.
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
  readonly #batchRenewer: BatchRenewer;
  readonly latches: LatchVerbs;

  /** @param subscriber a separate connection, which receives the wake-ups of waiters */
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
    this.#batchRenewer = new BatchRenewer(
      redis,
      this.#channel,
      this.#lockable,
      () => this.#getGuardedCommands("renewal"),
      ({ leaseMs, ...hold }) => this.renew(hold, { leaseMs }),
    );
  }

  onHoldChange(listener: HoldChangeListener): void {
    this.#acquirer.onHoldChange = listener;
    this.#releaser.onHoldChange = listener;
  }

  get clientId(): string {
    return this.#requests.clientId;
  }

  /**
   * Acquires a lock. If it is held, even by the caller, waits for up to `waitMs`.
   *
   * @throws LockkeeperError held (without waiting), timeout, aborted, queue_full, lost, not_a_lock, unit_conflict,
   *   key_not_allowed, invalid, idempotency_key_reused, unavailable, unknown_outcome
   */
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    // Like the calls between this and the wait, not async: each pending promise uses memory, and thousands may be waiting.
    try {
      this.#lockable.assertAllowed(key);
      assertCallerTexts(options);
      assertDurations(options);
      assertKind(options);
      assertPermits(options);
      assertKindOptions(options);
      assertDeadlockOptions(options);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#acquirer.acquire(key, options);
  }

  /**
   * Acquires all locks, or none of them. If one is held, waits for up to `waitMs` in its queue and holds none of them
   * while waiting. The grants are in the order of `keys`. On a cluster, the locks of each slot are acquired together,
   * and the slots one after the other.
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
   * Re-enters a hold: its count increases, its token and fencing token stay the same, and its lease is never shortened.
   *
   * @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, not_replicated, unavailable,
   *   unknown_outcome
   */
  async reenter(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    assertExclusive(hold, "re-entered; acquire permits again instead");
    const ask = this.#requests.createRenewRequest("reenter", hold, options);
    const call = (writer: LockWriter, commands: Commands, request: RenewRequest) =>
      writer.reenter(commands, this.#channel, hold.key, request);
    return await this.#prolong("grant", hold, options, ask, call);
  }

  /**
   * @throws LockkeeperError lost, not_owner, key_not_allowed, invalid, idempotency_key_reused, not_replicated, unavailable,
   *   unknown_outcome
   */
  renew(hold: VerbHold, options: RenewOptions = {}): Promise<Grant> {
    const ask = this.#requests.createRenewRequest("renew", hold, options);
    const call = (writer: LockWriter, commands: Commands, request: RenewRequest) =>
      writer.renew(commands, this.#channel, hold.key, request);
    return this.#prolong("renewal", hold, options, ask, call);
  }

  async #prolong(
    what: "grant" | "renewal",
    hold: VerbHold,
    { leaseMs, requestId, onSend }: RenewOptions,
    ask: RenewRequest,
    call: (writer: LockWriter, commands: Commands, request: RenewRequest) => ReturnType<LockWriter["renew"]>,
  ): Promise<Grant> {
    this.#lockable.assertAllowed(hold.key);
    assertDurations({ leaseMs });
    assertCallerTexts({ principal: hold.principal, requestId });
    const { commands, confirm } = this.#getGuardedCommands(what);
    const reply = await attempt(this.#redis, (retryMs) => {
      onSend?.();
      return call(getLockWriter(hold), commands, { ...ask, retryMs });
    });
    const grant = readRenewal(hold, reply);
    await confirm?.();
    return grant;
  }

  /** Renews many holds with few scripts. */
  renewHolds(holds: readonly RenewalTarget[]): Promise<PromiseSettledResult<Grant>[]> {
    return this.#batchRenewer.renew(holds);
  }

  /**
   * Releases one count. For a hold that has ended, the outcome is `not_held`, not an error.
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
   * Turns the hold of a writer into that of a reader, with the same fencing token and the rest of its lease. No other writer
   * can acquire the lock in between, and waiting readers are woken. A repeated call changes nothing.
   *
   * @throws LockkeeperError held (the hold was re-entered), lost, not_owner, key_not_allowed, invalid, not_replicated,
   *   unavailable, unknown_outcome
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
   * Checks whether a hold exists; it may be lost immediately afterwards. Changes nothing.
   *
   * @throws LockkeeperError not_owner, key_not_allowed, unavailable
   */
  async verify(hold: VerbHold): Promise<HoldStatus> {
    this.#lockable.assertAllowed(hold.key);
    const reply = await attempt(this.#redis, () => getLockWriter(hold).verify(this.#redis, hold.key, hold));
    if (reply.outcome === "not_owner") throw createNotOwnerError(hold.key);
    if (reply.outcome === "lost") return { held: false, asOf: reply.asOf };
    return { held: true, ...toGrant(hold, reply.owner, reply) };
  }

  /**
   * Reserves a free lock. The reservation is a hold in the format of the lock, with the owner
   * `lockkeeper:reserve:<by>`, which clients of every library respect. It ends when it expires or is force-released.
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
    assertCount("limit", limit, PERMIT_LIMIT_MAX);
    const reply = await attempt(this.#redis, () => SEMAPHORE_WRITER.setLimit(this.#redis, key, limit));
    if (reply.outcome === "not_a_lock") throw createRefusalError(key, "redisson", reply);
    const { available, acquired, asOf } = reply;
    return { key, limit, available, acquired, asOf };
  }

  /**
   * Force-releases one hold of any lock, whether or not its key is lockable.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseReply> {
    assertMappable(seen.key);
    const releaser = findLockFormat(seen.format, seen.type)?.releaser;
    if (releaser === undefined) throw new Error(`No releaser for a lock of ${seen.format}`);
    const call = () => releaser.forceRelease(this.#redis, this.#channel, seen, ask);
    // Not repeated after an unknown outcome: by then, the same owner may have acquired the lock again.
    return await attempt(this.#redis, call, { repeat: "not_executed" });
  }

  /**
   * Extends one hold of any lock, whether or not its key is lockable.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  async extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply> {
    assertMappable(seen.key);
    const [{ token, fence }] = seen.holders;
    const writer = getLockWriter({ format: getWrittenFormat(seen), kind: getWrittenKind(seen) });
    const call = () => writer.extend(this.#redis, this.#channel, seen.key, { ...ask, token, fence });
    return await attempt(this.#redis, call, { repeat: "not_executed" });
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

/** Locks of the other kinds are extended like a plain lock. */
function getWrittenKind({ format, kind }: HeldObservation): WritableKind {
  return format === "redisson" && isReadWrite(kind) ? kind : "lock";
}

/** Every string lock ends when its key expires, like `token`. */
function getWrittenFormat({ format }: HeldObservation): WritableFormat {
  return isWritableFormat(format) ? format : "token";
}
