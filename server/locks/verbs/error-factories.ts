import { MIN_HOLD, reservedFor } from "../../../lib/contract/actions/reservation.ts";
import type { Grant } from "../../../lib/contract/actions/verb.ts";
import type { SpokenFormat, Unit } from "../../../lib/contract/format.ts";
import { fieldsOfKey, isBinary, type Key } from "../../../lib/keys/key.ts";
import {
  HeldError,
  KeyNotAllowedError,
  LostError,
  NotALockError,
  NotOwnerError,
  QueueFullError,
  RequestIdReusedError,
  UnitConflictError,
} from "../../errors/lock-errors.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import { unmappable } from "../../formats/keys.ts";
import type { NoLockObservation, SeenHolder } from "../../formats/observation.ts";
import type { Elsewhere, Granted, Refused } from "../../formats/script-replies.ts";
import { ownerFault } from "./owner-fault.ts";

/** What the verbs answer in words: each refusal with its facts and what to do. */

export function assertMappable(key: Key): void {
  const why = unmappable(key);
  if (why !== undefined) throw new KeyNotAllowedError(`This key cannot be a lock here: ${why}.`, {});
}

export function assertOwner(owner: string): void {
  const fault = ownerFault(owner);
  if (fault !== undefined) throw new InvalidError(`${fault}.`, { field: "owner" });
}

export function grantOf(key: Key, owner: string, leaseMs: number, reply: Granted): Grant {
  const { count, fence, remainingMs, asOf } = reply;
  const grant = { key, owner, count, fence, leaseMs, remainingMs, asOf };
  return isBinary(key) ? { ...grant, ...fieldsOfKey(key) } : grant;
}

function holderFacts(holders: readonly SeenHolder[]) {
  return holders.map(({ owner, count, fence, record }) => ({
    owner,
    count,
    fence,
    ...(record ? { record } : {}),
  }));
}

const REENTRY_NOT_ASKED = "The same owner holds it and re-entry was not asked for";
const OTHERS_REENTRY =
  "A hold of the same owner name has it that was acquired with other credentials, and only these enter it again";

export function heldBy(key: Key, owner: string, elsewhere: Elsewhere): HeldError {
  const { holders, remainingMs, asOf } = elsewhere;
  const by = holders[0]?.owner ?? "";
  const isHoldOff = reservedFor(by) !== undefined;
  const unless = isHoldOff ? "That" : "Unless it is renewed, the lock";
  const how = remainingMs === null ? "It has no expiry." : `${unless} ends in ${remainingMs} ms.`;
  const isReentry = by === owner && !isHoldOff;
  const mine = elsewhere.by === undefined ? REENTRY_NOT_ASKED : OTHERS_REENTRY;
  return new HeldError(`${isReentry ? mine : `It is ${heldText(by)}`}. ${how}`, {
    ...fieldsOfKey(key),
    holders: holderFacts(holders),
    remainingMs,
    asOf,
  });
}

/** A look that found a lock held by another, and the refusal that it leads to when nothing comes after it. */
export class HeldSight {
  constructor(
    private readonly key: Key,
    private readonly held: Elsewhere,
  ) {}

  get heldMs(): number | null {
    return this.held.remainingMs;
  }

  get asOf(): number {
    return this.held.asOf;
  }

  refusal(owner: string | undefined): HeldError {
    return heldBy(this.key, owner ?? "", this.held);
  }
}

/** Who holds a lock, for a sentence. */
export function heldText(owner: string): string {
  const who = reservedFor(owner);
  if (who === undefined) return `held by ${JSON.stringify(owner)}`;
  return who === MIN_HOLD ? "held off for its least hold time" : `held off by ${JSON.stringify(who)}`;
}

export function queueFull(key: Key, waiting: number): QueueFullError {
  return new QueueFullError(`${waiting} are waiting for this lock already; try again later.`, {
    ...fieldsOfKey(key),
    waiting,
  });
}

export function lostBy(key: Key, owner: string, now: Elsewhere | undefined): LostError {
  const other = now?.holders[0]?.owner;
  const state = other === undefined ? "the key is free" : `it is ${heldText(other)}`;
  return new LostError(
    `${JSON.stringify(owner)} does not hold the lock any more: ${now === undefined ? "that hold has ended" : state}. Stop what it protects.`,
    { ...fieldsOfKey(key), holders: holderFacts(now?.holders ?? []), remainingMs: now?.remainingMs ?? null },
  );
}

export function notOwner(key: Key, owner: string): NotOwnerError {
  return new NotOwnerError(
    `${JSON.stringify(owner)} holds the lock, but other credentials acquired it. Renew or release it with the API key that acquired it; an operator frees it by force-release.`,
    fieldsOfKey(key),
  );
}

export function refusal(
  key: Key,
  format: SpokenFormat,
  reply: Refused | { readonly outcome: "unit_conflict"; readonly unit: Unit },
): LockkeeperError {
  if (reply.outcome === "unknown") {
    return new UnknownOutcomeError(
      "The answer to this was lost, and too much has happened to the lock since to tell whether it was done. Look at the lock.",
    );
  }
  if (reply.outcome === "request_id_reused") {
    return new RequestIdReusedError(
      "This Idempotency-Key was used for another verb, owner or body; take a new one for a new request.",
    );
  }
  if (reply.outcome === "unit_conflict") {
    const unit = reply.unit === "s" ? "seconds" : "milliseconds";
    return new UnitConflictError(
      `The key holds a deadline in ${unit}, and its clients would misread another one. It was not touched; ask with unit "${reply.unit}".`,
      { ...fieldsOfKey(key), unit: reply.unit },
    );
  }
  return notALock(key, reply.type, format);
}

/** Of what a look showed. */
export function noLockSeen({ key, type, unread }: NoLockObservation): NotALockError {
  if (unread === undefined) return notALock(key, type);
  return new NotALockError(
    `The key holds a ${type} of ${unread.size} ${unread.of}. More than ${unread.most} are not read, so whether it is a lock is not known. It was not touched; look at it with redis-cli.`,
    { ...fieldsOfKey(key), redisType: type },
  );
}

/** @param format as what it was looked at; any by default */
export function notALock(key: Key, redisType: string, format?: SpokenFormat): NotALockError {
  const kind = format === undefined ? "a lock" : `a lock of the format ${format}`;
  const advice =
    format === undefined
      ? "choose another name for the lock"
      : "name the `format` that it is written in, or another lock";
  return new NotALockError(
    `The key holds a ${redisType} that is not ${kind}. It was not touched; ${advice}.`,
    { ...fieldsOfKey(key), redisType },
  );
}
