import type { Grant, Released, Verified, VerifyInput } from "../../../lib/contract/actions/verb.ts";
import { isWritableFormat } from "../../../lib/contract/format.ts";
import { isBinaryKey, type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { buildEventChannel } from "../../formats/keys.ts";
import type { ForceReleaseParams } from "../../formats/lock-format.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import { findLockFormat } from "../../formats/registry/lock-formats.ts";
import type { ExtendReply, ForceReleaseReply } from "../../formats/script-replies.ts";
import type { Commands, Subscriber } from "../../redis/commands.ts";
import { Acquirer } from "./acquirer.ts";
import { attempt } from "./attempt.ts";
import { assertDurations } from "./durations.ts";
import {
  assertMappable,
  assertOwner,
  createLostError,
  createNotOwnerError,
  createRefusalError,
  toGrant,
} from "./error-factories.ts";
import { LockableKeys } from "./lockable-keys.ts";
import { RequestFactory } from "./request-factory.ts";
import { formatReservedOwner } from "./reserved-owner.ts";
import type { GuardedCommands } from "./safety.ts";
import type {
  AcquiredGrant,
  AcquireOptions,
  ExtendParams,
  OperatorVerbs,
  ReleaseOptions,
  RenewOptions,
  ReserveOptions,
} from "./verbs.ts";
import { verifyHold } from "./verify-hold.ts";
import { WaitCoordinator } from "./wait-coordinator.ts";
import { WaiterQueues } from "./waiter-queues.ts";

/**
 * The verbs on locks. Each is one script; each answers granted, refused, or that the outcome is unknown.
 * Deadlines that clients derive from `remainingMs` count from before they sent the request.
 */
export class RedisLocks implements OperatorVerbs {
  readonly #redis: Commands;
  readonly #channel: string;
  readonly #lockable: LockableKeys;
  readonly #requests = new RequestFactory();
  readonly #acquirer: Acquirer;
  readonly #getGuardedCommands: (what: "grant" | "renewal") => GuardedCommands;

  /**
   * @param subscriber a connection of its own: it hears the wake-ups of those who wait
   * @param getCommands the way of one call that may grant or renew a lock, where more is asked of Redis than to answer
   */
  constructor(
    redis: Commands,
    subscriber: Subscriber,
    db: number,
    lockable: readonly string[],
    getCommands?: (what: "grant" | "renewal") => GuardedCommands,
  ) {
    this.#redis = redis;
    const open = { commands: redis, confirm: undefined };
    this.#getGuardedCommands = getCommands ?? (() => open);
    this.#channel = buildEventChannel(db);
    this.#lockable = new LockableKeys(lockable);
    const waits = new WaitCoordinator(new WaiterQueues(subscriber));
    this.#acquirer = new Acquirer(redis, this.#channel, waits, this.#requests, this.#getGuardedCommands);
  }

  /**
   * Takes the lock, waiting for it as long as `waitMs` says.
   *
   * @throws LockkeeperError held (without waiting), timeout, aborted, queue_full, lost, not_a_lock, unit_conflict,
   *   key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome
   */
  acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    // Not async, as what is between this and the wait: each promise that is still open weighs something, and thousands
    // may wait.
    try {
      this.#lockable.assertAllowed(key);
      assertOwner(options.owner);
      assertDurations(options);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#acquirer.acquire(key, options);
  }

  /**
   * @throws LockkeeperError lost, not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable,
   *   unknown_outcome
   */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#lockable.assertAllowed(key);
    assertOwner(options.owner);
    assertDurations({ leaseMs: options.leaseMs });
    const format = LOCK_WRITERS[options.format ?? "redisson"];
    const ask = this.#requests.createRenewRequest(options);
    const { commands, confirm } = this.#getGuardedCommands("renewal");
    const reply = await attempt(this.#redis, (retryMs) => {
      options.onSend?.();
      return format.renew(commands, this.#channel, key, { ...ask, retryMs });
    });
    if (reply.outcome === "granted") await confirm?.();
    if (reply.outcome === "granted") return toGrant(key, ask.owner, ask.leaseMs, reply);
    if (reply.outcome === "lost") throw createLostError(key, ask.owner, reply);
    if (reply.outcome === "not_owner") throw createNotOwnerError(key, ask.owner);
    throw createRefusalError(key, format.name, reply);
  }

  /**
   * @throws LockkeeperError not_owner, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable,
   *   unknown_outcome
   */
  async release(key: Key, options: ReleaseOptions): Promise<Released> {
    this.#lockable.assertAllowed(key);
    assertOwner(options.owner);
    assertDurations({ reservedMs: options.reservedMs });
    const { owner } = options;
    const format = LOCK_WRITERS[options.format ?? "redisson"];
    const ask = this.#requests.createReleaseRequest(options);
    const reply = await attempt(this.#redis, (retryMs) =>
      format.release(this.#redis, this.#channel, key, retryMs === undefined ? ask : { ...ask, retryMs }),
    );
    if (reply.outcome === "released" || reply.outcome === "not_held") {
      const count = reply.outcome === "released" ? reply.count : 0;
      const released = { key, owner, outcome: reply.outcome, count, asOf: reply.asOf };
      return isBinaryKey(key) ? { ...released, ...toKeyFields(key) } : released;
    }
    if (reply.outcome === "not_owner") throw createNotOwnerError(key, owner);
    throw createRefusalError(key, format.name, reply);
  }

  /**
   * Keeps everybody off a free lock for a while: a hold in the lock's own format, of the owner
   * `lockkeeper:reserve:<by>`. It ends by itself, or by force.
   *
   * @throws LockkeeperError as `acquire` without waiting
   */
  async reserve(key: Key, { by, reservedMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#lockable.assertAllowed(key);
    assertDurations({ reservedMs });
    const owner = formatReservedOwner(by);
    const record = reason ? { purpose: reason } : undefined;
    const ask = { ...options, owner, record, leaseMs: reservedMs, reentrant: false };
    return (await this.#acquirer.acquire(key, ask)).grant;
  }

  /**
   * Whether the owner holds the lock at this moment; it may be lost right after. Changes nothing.
   *
   * @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, unavailable
   */
  async verify(key: Key, ask: VerifyInput): Promise<Verified> {
    this.#lockable.assertAllowed(key);
    assertOwner(ask.owner);
    return await verifyHold(this.#redis, key, ask);
  }

  /**
   * Frees one hold for an operator. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(seen: HeldObservation, ask: ForceReleaseParams): Promise<ForceReleaseReply> {
    assertMappable(seen.key);
    const frees = findLockFormat(seen.format, seen.type)?.frees;
    if (frees === undefined) throw new Error(`nothing frees a lock of ${seen.format}`);
    const call = () => frees.free(this.#redis, this.#channel, seen, ask);
    // Not repeated when its outcome is unknown: the same owner may hold the lock anew by then, unseen.
    return await attempt(this.#redis, call, { repeat: "not_executed" });
  }

  /**
   * Gives one hold more time, for an operator. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError key_not_allowed, unavailable, unknown_outcome
   */
  async extend(seen: HeldObservation, ask: ExtendParams): Promise<ExtendReply> {
    assertMappable(seen.key);
    const { format: name, holders } = seen;
    const [{ owner, fence }] = holders;
    // Every library's lock of one string ends with its key, as a token does.
    const format = LOCK_WRITERS[isWritableFormat(name) ? name : "token"];
    const call = () => format.extend(this.#redis, this.#channel, seen.key, { ...ask, owner, fence });
    return await attempt(this.#redis, call, { repeat: "not_executed" });
  }
}
