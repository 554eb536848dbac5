import type { TimestampUnit } from "../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import { UnexpectedReplyError } from "../redis/failure.ts";
import { parseOwnerRecord, parseWholeNumber, toSeenHolder } from "./companion.ts";
import type { SeenHolder } from "./observation.ts";
import { parseReleaseRequest } from "./release-request.ts";

/** The reply to a request that was granted. */
export interface GrantedReply {
  readonly outcome: "granted";
  readonly asOf: number;
  readonly token: string;
  readonly count: number;
  readonly fence: string;
  readonly remainingMs: number;
  readonly leaseMs: number;
  readonly how: GrantKind;
  /** The label of the hold; empty if the script does not read it. */
  readonly owner: string;
  /** The last request to release the hold. */
  readonly releaseRequested?: ReleaseRequest | undefined;
}

/** How a request was granted. `repeated`: the same request was granted before, and this is its stored result. */
export type GrantKind = "acquired" | "reentered" | "renewed" | "repeated";

export type RefusedReply = { readonly outcome: "request_id_reused" } | { readonly outcome: "unknown" };

export interface NotALockReply {
  readonly outcome: "not_a_lock";
  readonly type: string;
  /** The prefix of the auxiliary key to which `type` applies; `undefined` if `type` applies to the key of the lock. */
  readonly auxiliary?: string | undefined;
  /** The kind of lock that uses the key, if this kind cannot share a key with the requested kind. */
  readonly foundKind?: string | undefined;
}

/** The reply if another principal acquired the hold. */
export interface NotOwnerReply {
  readonly outcome: "not_owner";
}

/**
 * The reply if the requested limit differs from the limit of the semaphore, or if more permits are requested than the
 * limit. `limit` is `null` if the semaphore does not exist and the request has no limit.
 */
export interface LimitConflictReply {
  readonly outcome: "limit_conflict";
  readonly limit: number | null;
}

/** The hold that a refused request found. */
export interface CurrentHold {
  readonly asOf: number;
  readonly remainingMs: number | null;
  /**
   * The holders. Empty for a semaphore, and for a free lock that only the client that has waited longest can acquire
   * during the next `remainingMs`.
   */
  readonly holders: readonly SeenHolder[];
  /** The permits; only for a semaphore. */
  readonly permits?: PermitCounts | undefined;
}

/** The permits of a semaphore. `isReserved`: the next permits go to a client that has waited longer. */
export interface PermitCounts {
  /** Number of available permits. Negative if the limit was decreased below the number of acquired permits. */
  readonly available: number;
  /** Total number of permits; `null` for a plain semaphore, which does not store its total. */
  readonly total: number | null;
  readonly isReserved: boolean;
}

export type AcquireReply =
  | GrantedReply
  | RefusedReply
  | NotALockReply
  | ({ outcome: "held" } & CurrentHold)
  | { outcome: "lost"; asOf: number; why: "ended" | "withdrawn" }
  | { outcome: "unit_conflict"; unit: TimestampUnit }
  | { outcome: "queue_full"; waiting: number }
  | LimitConflictReply;
/** The reply to a renewal or re-entry. */
export type RenewReply = GrantedReply | RefusedReply | NotOwnerReply | ({ outcome: "lost" } & CurrentHold);
/**
 * The reply to a downgrade. `reentered`: the count of the hold is above 1. `min_hold`: the hold has a minimum hold
 * time.
 */
export type DowngradeReply =
  | GrantedReply
  | NotOwnerReply
  | ({ outcome: "lost" } & CurrentHold)
  | { outcome: "reentered"; count: number }
  | { outcome: "min_hold" };
export type VerifyReply =
  | NotOwnerReply
  | ({ outcome: "held" } & Omit<GrantedReply, "outcome" | "how">)
  | { outcome: "lost"; asOf: number };
export type ReleaseReply =
  | RefusedReply
  | NotOwnerReply
  | {
      outcome: "released";
      asOf: number;
      count: number;
      fence: string;
      /** Set if the lock is now reserved. */
      reservation: { readonly owner: string; readonly reservedMs: number } | undefined;
    }
  | { outcome: "still_held"; asOf: number; count: number; fence: string }
  | { outcome: "request_id_required" }
  | { outcome: "not_held"; asOf: number };
export type ForceReleaseReply =
  | { outcome: "released" | "gone" | "changed"; asOf: number }
  | { outcome: "not_a_lock"; type: string };

export function parseAcquireReply(reply: unknown): AcquireReply {
  const fields = parseFields(reply);
  const [outcome] = fields;
  if (outcome === "granted") return parseGrantedReply(fields);
  if (outcome === "held") return { outcome, ...parseCurrentHold(fields) };
  if (outcome === "lost") return parseLostReply(fields);
  if (outcome === "queue_full") return { outcome, waiting: Number(fields[2]) };
  if (outcome === "not_a_lock") return parseNotALockReply(fields);
  if (outcome === "unit_conflict") return { outcome, unit: fields[1] === "s" ? "s" : "ms" };
  if (outcome === "short") return { outcome: "held", ...parseShortReply(fields) };
  if (outcome === "limit_conflict") return { outcome, limit: parseRemainingMs(Number(fields[1])) };
  return parseRefusedReply(fields);
}

/**
 * Parses the fields of a `not_a_lock` reply: the type of the key and, optionally, an auxiliary key and the kind of lock
 * that uses the key.
 */
export function parseNotALockReply([, type = "", auxiliary, foundKind]: readonly string[]): NotALockReply {
  return {
    outcome: "not_a_lock",
    type,
    auxiliary: auxiliary || undefined,
    foundKind: foundKind || undefined,
  };
}

function parseShortReply([, asOf, remaining, available, total, isNext]: readonly string[]): CurrentHold {
  const counts = { available: Number(available), total: total ? Number(total) : null };
  const permits = { ...counts, isReserved: isNext === "1" };
  return { asOf: Number(asOf), remainingMs: parseRemainingMs(Number(remaining)), holders: [], permits };
}

function parseGrantKind(word: string | undefined): GrantKind {
  return word === "reentered" || word === "renewed" || word === "repeated" ? word : "acquired";
}

function parseLostReply([, asOf, why]: readonly string[]): Extract<AcquireReply, { outcome: "lost" }> {
  return { outcome: "lost", asOf: Number(asOf), why: why === "withdrawn" ? why : "ended" };
}

export function parseRenewReply(reply: unknown): RenewReply {
  const fields = parseFields(reply);
  if (fields[0] === "granted") return parseGrantedReply(fields);
  if (fields[0] === "lost") return { outcome: "lost", ...parseCurrentHold(fields) };
  if (fields[0] === "not_owner") return { outcome: "not_owner" };
  return parseRefusedReply(fields);
}

export function parseDowngradeReply(reply: unknown): DowngradeReply {
  const fields = parseFields(reply);
  const [outcome] = fields;
  if (outcome === "granted") return parseGrantedReply(fields);
  if (outcome === "lost") return { outcome, ...parseCurrentHold(fields) };
  if (outcome === "reentered") return { outcome, count: Number(fields[1]) };
  if (outcome === "not_owner" || outcome === "min_hold") return { outcome };
  throw new UnexpectedReplyError(`downgrade.lua returned ${JSON.stringify(outcome)}`);
}

export function parseReleaseReply(reply: unknown): ReleaseReply {
  const fields = parseFields(reply);
  const asOf = Number(fields[1]);
  const [outcome, , count, fence = "", reservedMs, owner] = fields;
  if (outcome === "released") {
    const reservation = owner === undefined ? undefined : { reservedMs: Number(reservedMs), owner };
    return { outcome, asOf, count: Number(count), fence, reservation };
  }
  if (outcome === "still_held") return { outcome, asOf, count: Number(count), fence };
  if (fields[0] === "request_id_required") return { outcome: "request_id_required" };
  if (fields[0] === "not_held") return { outcome: "not_held", asOf };
  if (fields[0] === "not_owner") return { outcome: "not_owner" };
  return parseRefusedReply(fields);
}

export function parseVerifyReply(reply: unknown): VerifyReply {
  const fields = parseFields(reply);
  if (fields[0] === "not_owner") return { outcome: "not_owner" };
  if (fields[0] !== "held") return { outcome: "lost", asOf: Number(fields[1]) };
  return { ...parseGrantedReply(fields), outcome: "held" };
}

export function parseForceReleaseReply(reply: unknown): ForceReleaseReply {
  const fields = parseFields(reply);
  const [outcome] = fields;
  if (outcome === "not_a_lock") return { outcome, type: fields[1] ?? "" };
  if (outcome === "released" || outcome === "gone" || outcome === "changed")
    return { outcome, asOf: Number(fields[1]) };
  throw new UnexpectedReplyError(`force-release.lua returned ${JSON.stringify(outcome)}`);
}

/**
 * The reply to a request to stop waiting. `kept`: the waiter keeps its place in the queue for a limited time, at most
 * until its turn comes. `remainingMs` is the TTL of the lock; `null` if the lock is free or has no TTL. `left`: the
 * waiter is no longer in the queue, or another client has renewed its place.
 */
export type StopWaitingReply =
  | { readonly outcome: "kept"; readonly asOf: number; readonly remainingMs: number | null }
  | { readonly outcome: "left"; readonly asOf: number };

export function parseStopWaitingReply(reply: unknown): StopWaitingReply {
  const [outcome, now, left] = parseFields(reply);
  const asOf = Number(now);
  if (outcome !== "kept") return { outcome: "left", asOf };
  const remainingMs = Number(left);
  return { outcome, asOf, remainingMs: remainingMs < 0 ? null : remainingMs };
}

export type ExtendReply =
  | { readonly outcome: "extended" | "enough"; readonly asOf: number; readonly remainingMs: number | null }
  | { readonly outcome: "gone"; readonly asOf: number }
  | { readonly outcome: "changed"; readonly asOf: number }
  | { readonly outcome: "not_a_lock"; readonly type: string };

export function parseExtendReply(reply: unknown): ExtendReply {
  const [outcome, first = "", left] = parseFields(reply);
  if (outcome === "not_a_lock") return { outcome, type: first };
  const asOf = Number(first);
  if (outcome === "gone" || outcome === "changed") return { outcome, asOf };
  if (outcome === "extended" || outcome === "enough")
    return { outcome, asOf, remainingMs: Number(left) < 0 ? null : Number(left) };
  throw new UnexpectedReplyError(`extend.lua returned ${JSON.stringify(outcome)}`);
}

/** Parses the reply to a batch of renewals. Returns the reply or the error for each renewal. */
export function parseRenewManyReply(reply: unknown): (RenewReply | Error)[] {
  return parseBatchReply(reply).map((each) => (each instanceof Error ? each : parseRenewReply(each)));
}

export function isAgreedReply(reply: unknown): boolean {
  return parseFields(reply)[0] === "agreed";
}

function parseGrantedReply([
  ,
  asOf,
  count,
  fence = "",
  remaining,
  lease,
  token = "",
  how,
  owner = "",
  request,
]: readonly string[]): GrantedReply {
  const releaseRequested = parseReleaseRequest(request);
  return {
    outcome: "granted",
    asOf: Number(asOf),
    token,
    count: Number(count),
    fence,
    remainingMs: Number(remaining),
    leaseMs: Number(lease),
    how: parseGrantKind(how),
    owner,
    ...(releaseRequested === undefined ? {} : { releaseRequested }),
  };
}

function parseCurrentHold([
  ,
  asOf,
  remaining,
  token = "",
  owner = "",
  fence,
  since,
  record,
  ...fields
]: readonly string[]): CurrentHold {
  const described = { owner, fence, since, record };
  const holders = token === "readers" ? parseReaders(fields) : parseHolders(fields, token, described);
  return { asOf: Number(asOf), remainingMs: parseRemainingMs(Number(remaining)), holders };
}

/** The fields of a reply that describe a Lockkeeper hold. */
interface Description {
  readonly owner: string;
  readonly fence: string | undefined;
  readonly since: string | undefined;
  readonly record: string | undefined;
}

/** Parses tokens and counts. @param token the token that the companion describes */
function parseHolders(fields: readonly string[], token: string, described: Description): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const stored = fields[at] ?? "";
    // Skips the mode of a read/write lock, because the result contains holders of every role.
    if (stored === "mode") continue;
    const companion = stored === token ? toDescribedHold(described) : undefined;
    holders.push(toSeenHolder(stored, Number(fields[at + 1]), companion));
  }
  return holders;
}

/**
 * Parses the readers of a refusal, which has six fields per reader. Readers of other libraries have no fencing token.
 */
function parseReaders(fields: readonly string[]): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 6) {
    const [token = "", count, owner = "", fence = "", since, record] = fields.slice(at, at + 6);
    const companion = fence === "" ? undefined : toDescribedHold({ owner, fence, since, record });
    holders.push(toSeenHolder(token, Number(count), companion));
  }
  return holders;
}

function toDescribedHold({ owner, fence, since, record }: Description) {
  return {
    fence: parseWholeNumber(fence) === null ? null : (fence ?? null),
    sinceMs: parseWholeNumber(since),
    leaseMs: null,
    graceMs: 0,
    seq: 0,
    owner,
    record: parseOwnerRecord(record),
  };
}

function parseRefusedReply(fields: readonly string[]): RefusedReply {
  if (fields[0] === "request_id_reused" || fields[0] === "unknown") return { outcome: fields[0] };
  throw new UnexpectedReplyError(`A script returned ${JSON.stringify(fields[0])}`);
}

export function parseRemainingMs(milliseconds: number): number | null {
  return milliseconds < 0 ? null : milliseconds;
}

/**
 * Returns the elements of a batch reply, one for each verb that was run. An element is an error, or the input for the
 * parser of the verb.
 *
 * @throws UnexpectedReplyError if the reply is not a list
 */
export function parseBatchReply(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new UnexpectedReplyError(`A script returned ${typeof reply} instead of a list`);
}

function parseFields(reply: unknown): string[] {
  // Scripts send a reply as one string if it contains no strings from other clients, because this costs less than a
  // list.
  if (typeof reply === "string") return reply.split("\t");
  if (Array.isArray(reply)) return reply.map(String);
  throw new UnexpectedReplyError(`A script returned ${typeof reply} instead of a list`);
}
