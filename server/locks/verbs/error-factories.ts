import { MIN_HOLD_RESERVER, parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import {
  type TimestampUnit,
  UsedKind,
  type WritableFormat,
  type WritableKind,
} from "../../../lib/contract/format.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import {
  ConditionUnsupportedError,
  HeldError,
  IdempotencyKeyRequiredError,
  IdempotencyKeyReusedError,
  KeyNotAllowedError,
  KindConflictError,
  LimitConflictError,
  LostError,
  NotALockError,
  NotOwnerError,
  QueueFullError,
  ReleaseRequestUnsupportedError,
  UnitConflictError,
} from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { HoldRef } from "../../formats/hold-id.ts";
import { findKeyFault, isOwnKey } from "../../formats/keys.ts";
import { isReadWrite } from "../../formats/kind-keys.ts";
import type { NotALockObservation, SeenHolder } from "../../formats/observation.ts";
import { describeExcess } from "../../formats/raw-key.ts";
import type {
  CurrentHold,
  GrantedReply,
  LimitConflictReply,
  NotALockReply,
  PermitCounts,
  RefusedReply,
  RenewReply,
} from "../../formats/script-replies.ts";
import type { SeenHold } from "../waiting/wait-stop.ts";
import type { Grant, VerbHold } from "./contract/grant.ts";

/** @throws KeyNotAllowedError if Lockkeeper cannot use the key as a lock */
export function assertMappable(key: Key): void {
  const why = findKeyFault(key);
  if (why !== undefined) throw new KeyNotAllowedError(`This key cannot be a lock here: ${why}.`, {});
}

export function toGrant(
  { key, format, kind, unit }: Pick<HoldRef, "key" | "format" | "kind" | "unit">,
  owner: string,
  reply: Omit<GrantedReply, "outcome" | "how" | "owner">,
): Grant {
  const { token, fence, count, leaseMs, remainingMs, asOf, releaseRequested } = reply;
  const grant = { key, format, kind, unit, token, fence, owner, count, leaseMs, remainingMs, asOf };
  return releaseRequested === undefined ? grant : { ...grant, releaseRequested };
}

/**
 * Converts the reply to a renewal or re-entry into a grant.
 *
 * @throws LockkeeperError lost, not_owner, idempotency_key_reused, unknown_outcome
 */
export function readRenewal(hold: VerbHold, reply: RenewReply): Grant {
  if (reply.outcome === "granted") return toGrant(hold, reply.owner || (hold.owner ?? ""), reply);
  if (reply.outcome === "lost") throw createLostError(hold.key, reply);
  if (reply.outcome === "not_owner") throw createNotOwnerError(hold.key);
  throw createRefusalError(hold.key, hold.format, reply);
}

function toHolderFacts(holders: readonly SeenHolder[]) {
  return holders.map(({ owner, count, fence, record }) => ({
    owner,
    count,
    fence,
    ...(record ? { record } : {}),
  }));
}

/** @param kind the kind of lock that was requested */
export function createHeldError(key: Key, elsewhere: CurrentHold, kind?: WritableKind): HeldError {
  const { holders, remainingMs, asOf, permits } = elsewhere;
  if (permits !== undefined) return createShortError(key, permits, elsewhere);
  const facts = { ...toKeyFields(key), holders: toHolderFacts(holders), remainingMs, asOf };
  if (holders.length === 0 && kind === "read") {
    const why = "A writer has waited for longer than this reader, and is next.";
    return new HeldError(`${why} Set yieldsToWriters to false to read before it.`, facts);
  }
  if (holders.length === 0) {
    return new HeldError("The lock was just released, and a client that has waited longer is next.", facts);
  }
  const by = holders[0]?.owner ?? "";
  const unless = parseReservedOwner(by) === undefined ? " unless it is renewed" : "";
  const expiry = remainingMs === null ? "It has no TTL." : `It expires in ${remainingMs} ms${unless}.`;
  return new HeldError(
    `The lock is ${describeHolder(by)}${describeOthers(holders.length - 1)}. ${expiry}`,
    facts,
  );
}

function describeOthers(count: number): string {
  if (count < 1) return "";
  return count === 1 ? " and 1 other" : ` and ${count} others`;
}

/** Creates the error for a semaphore with too few available permits. */
function createShortError(
  key: Key,
  { available, total, isReserved }: PermitCounts,
  { remainingMs, asOf }: CurrentHold,
): HeldError {
  const facts = { ...toKeyFields(key), holders: [], permits: { available, total }, remainingMs, asOf };
  const of = total === null ? "" : ` of ${total}`;
  const state = `The semaphore has ${available}${of} permits available`;
  if (isReserved) return new HeldError(`${state}, and a client that has waited longer is next.`, facts);
  const expiry =
    remainingMs === null
      ? total === null
        ? "None of Lockkeeper's holders expires; when the clients of Redisson release theirs is unknown."
        : "None expires."
      : `The next one expires in ${remainingMs} ms unless it is renewed.`;
  return new HeldError(`${state}, which is fewer than requested. ${expiry}`, facts);
}

/** @param limit the actual limit; `null` if the semaphore does not exist */
function createLimitConflictError(key: Key, limit: number | null): LimitConflictError {
  const facts = { ...toKeyFields(key), limit };
  if (limit === null)
    return new LimitConflictError("The semaphore does not exist. State its limit to create it.", facts);
  return new LimitConflictError(
    `The semaphore has ${limit} permits in total. Send this limit, and request at most as many permits.`,
    facts,
  );
}

/**
 * Creates the error for a lock that different clients hold on different masters, if no client is known to have a
 * majority.
 */
export function createSplitHeldError(key: Key, { holders, remainingMs, asOf }: CurrentHold): HeldError {
  const owners = [...new Set(holders.map(({ owner }) => JSON.stringify(owner)))].join(", ");
  const expiry =
    remainingMs === null ? "They have no TTL." : `A majority expires in ${remainingMs} ms unless renewed.`;
  return new HeldError(`The lock is held by different owners on different masters: ${owners}. ${expiry}`, {
    ...toKeyFields(key),
    holders: toHolderFacts(holders),
    remainingMs,
    asOf,
  });
}

/**
 * The outcome of an attempt that found the lock held. The error is created on demand, because only the last attempt
 * needs it.
 */
export class LazyHeldOutcome {
  constructor(
    readonly key: Key,
    private readonly held: CurrentHold,
    private readonly kind: WritableKind = "lock",
  ) {}

  get heldMs(): number | null {
    return this.held.remainingMs;
  }

  get asOf(): number {
    return this.held.asOf;
  }

  /**
   * The current holder; `undefined` if no holder is known or the lock is a read/write lock. Every library that writes
   * read/write locks wakes the waiters, so the waiters do not have to poll.
   */
  get holder(): SeenHold | undefined {
    if (isReadWrite(this.kind)) return undefined;
    const [first] = this.held.holders;
    return first && { owner: first.token, fence: first.fence };
  }

  toError(): HeldError {
    return createHeldError(this.key, this.held, this.kind);
  }
}

/** Returns a phrase about the holder of a lock, such as `held by "…"`. */
export function describeHolder(owner: string): string {
  const who = parseReservedOwner(owner);
  if (who === undefined) return `held by ${JSON.stringify(owner)}`;
  return who === MIN_HOLD_RESERVER
    ? "reserved for its minimum hold time"
    : `reserved by ${JSON.stringify(who)}`;
}

export function createQueueFullError(key: Key, waiting: number): QueueFullError {
  return new QueueFullError(
    `${waiting} clients are waiting for this lock, which is the maximum. Retry later.`,
    {
      ...toKeyFields(key),
      waiting,
    },
  );
}

/** @param now the current hold of the lock; `undefined` if it was not read */
export function createLostError(key: Key, now: CurrentHold | undefined): LostError {
  const other = now?.holders[0]?.owner;
  const state = other === undefined ? "the key is free" : `it is ${describeHolder(other)}`;
  const why = now === undefined ? "it was released, or its lease expired" : state;
  return new LostError(`This hold has ended: ${why}. Stop the work that it protects.`, {
    ...toKeyFields(key),
    holders: toHolderFacts(now?.holders ?? []),
    remainingMs: now?.remainingMs ?? null,
  });
}

export function createReleaseRequestUnsupportedError(key: Key, why: string): ReleaseRequestUnsupportedError {
  return new ReleaseRequestUnsupportedError(
    `${why} Nothing was sent. Contact the owner of the application, or force-release the lock.`,
    toKeyFields(key),
  );
}

export function createConditionUnsupportedError(key: Key, why: string): ConditionUnsupportedError {
  return new ConditionUnsupportedError(
    `${why} The hold is unchanged. Use a plain or fair lock of the format redisson.`,
    toKeyFields(key),
  );
}

/** Creates the error for a condition waiter that Redis has no record of. */
export function createForgottenWaiterError(key: Key): LostError {
  return new LostError(
    "Redis has no record of this wait for a condition: it was lost in a failover, or its client was silent for minutes. Nothing is held. Acquire the lock again.",
    toKeyFields(key),
  );
}

export function createNotOwnerError(key: Key): NotOwnerError {
  return new NotOwnerError(
    "Another API key or operator acquired this hold. Use the API key that acquired it, or ask an operator to force-release the lock.",
    toKeyFields(key),
  );
}

export function createRefusalError(
  key: Key,
  format: WritableFormat,
  reply:
    | RefusedReply
    | NotALockReply
    | LimitConflictReply
    | { readonly outcome: "request_id_required" }
    | { readonly outcome: "unit_conflict"; readonly unit: TimestampUnit },
): LockkeeperError {
  if (reply.outcome === "unknown") {
    return new UnknownOutcomeError(
      "The first reply was lost, and the lock has changed too often since to determine whether this was done. Read the lock.",
    );
  }
  if (reply.outcome === "request_id_required") {
    return new IdempotencyKeyRequiredError(
      "The hold was re-entered, so its release requires an Idempotency-Key: without one, a retry would release it twice. Nothing was done.",
    );
  }
  if (reply.outcome === "request_id_reused") {
    return new IdempotencyKeyReusedError(
      "This Idempotency-Key was used for another request. Use a new one for a new request.",
    );
  }
  if (reply.outcome === "unit_conflict") {
    const unit = reply.unit === "s" ? "seconds" : "milliseconds";
    return new UnitConflictError(
      `The key holds a deadline in ${unit}, and its clients would misread another unit. It was not changed. Send "unit": "${reply.unit}".`,
      { ...toKeyFields(key), unit: reply.unit },
    );
  }
  if (reply.outcome === "limit_conflict") return createLimitConflictError(key, reply.limit);
  if (reply.foundKind !== undefined) return createKindConflictError(key, reply.foundKind);
  if (reply.auxiliary !== undefined) return createNoQueueError(key, reply.type, reply.auxiliary);
  return createNotALockError(key, reply.type, format);
}

/** @param found the kind of lock that uses the key */
function createKindConflictError(key: Key, found: string): KindConflictError {
  const kind = UsedKind.safeParse(found).data ?? "lock";
  const name = isReadWrite(kind) ? "read/write lock" : kind.replace("_", " ");
  return new KindConflictError(
    `The key is used as a ${name}. Nothing was changed. Use the same kind in all clients of the key, or another key.`,
    { ...toKeyFields(key), kind },
  );
}

function createNoQueueError(key: Key, redisType: string, auxiliary: string): NotALockError {
  return new NotALockError(
    `The key ${auxiliary}:{…} of this fair lock holds a ${redisType} that is not a queue of Redisson. Nothing was changed. Use another key for the lock, or delete that key if no application uses it.`,
    { ...toKeyFields(key), redisType },
  );
}

/** Creates the error for an observed key that is not a lock. */
export function createObservedNotALockError({ key, type, unread }: NotALockObservation): NotALockError {
  const facts = { ...toKeyFields(key), redisType: type };
  if (isOwnKey(key)) {
    return new NotALockError("Lockkeeper stores its own data in this key. It is not a lock.", facts);
  }
  if (unread === undefined) return createNotALockError(key, type);
  return new NotALockError(
    `The key holds a ${type} ${describeExcess(unread)}. It is probably not a lock; inspect it with redis-cli. It was not changed.`,
    facts,
  );
}

/** @param format the expected format; `undefined` for any format */
export function createNotALockError(key: Key, redisType: string, format?: WritableFormat): NotALockError {
  const kind = format === undefined ? "a lock" : `a lock of the format ${format}`;
  const advice =
    format === undefined
      ? "Choose another name for the lock"
      : "Send the `format` in which it is stored, or use another key";
  return new NotALockError(
    `The key holds a ${redisType} that is not ${kind}. It was not changed. ${advice}.`,
    { ...toKeyFields(key), redisType },
  );
}
