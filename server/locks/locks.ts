import { createHash, randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { fieldsOfKey, type Key, textOfKey } from "../../lib/contract/key.ts";
import type { Grant, OwnerRecord, Released } from "../../lib/contract/lock.ts";
import { eventChannelOf, unmappable } from "../formats/keys.ts";
import type { SeenHolder } from "../formats/observation.ts";
import * as redisson from "../formats/redisson/redisson.ts";
import { Glob, matchesAny } from "../redis/glob.ts";
import { attempt } from "./attempt.ts";
import { LockkeeperError } from "./errors.ts";
import { ownerFault } from "./owner.ts";

export interface AcquireOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly reentrant: boolean;
  readonly record?: OwnerRecord | undefined;
  /** The caller's own id of this request; repeating it changes nothing. */
  readonly requestId?: string | undefined;
}

export interface RenewOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly requestId?: string | undefined;
}

export interface ReleaseOptions {
  readonly owner: string;
  readonly requestId?: string | undefined;
}

/** A grant, and how to take it back should it never reach the one who asked. */
export interface AcquiredGrant {
  readonly grant: Grant;
  abandon(): void;
}

/**
 * The verbs on locks. Each is one script; each answers granted, refused, or that the outcome is unknown.
 * Deadlines that clients derive from `remainingMs` count from before they sent the request.
 */
export class Locks {
  readonly #redis: Redis;
  readonly #channel: string;
  readonly #lockable: readonly Glob[];
  readonly #process = randomBytes(6).toString("base64url");
  #requests = 0;

  constructor(redis: Redis, db: number, lockable: readonly string[]) {
    this.#redis = redis;
    this.#channel = eventChannelOf(db);
    this.#lockable = lockable.map((pattern) => new Glob(pattern));
  }

  /** @throws LockkeeperError held, lost, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    this.#assertLockable(key);
    assertOwner(options.owner);
    const { owner, leaseMs, reentrant, record } = options;
    const request = this.#request(options.requestId, ["acquire", owner, leaseMs, reentrant, record ?? null]);
    const ask = { owner, leaseMs, reentrant, record, ...request };
    const reply = await this.#carryOut(
      () => redisson.acquire(this.#redis, this.#channel, key, ask),
      // A caller without an id of its own cannot ask again, so a grant that may exist would hold for nobody.
      () => options.requestId === undefined && this.#abandon(key, owner, request.id),
    );
    if (reply.outcome === "granted") {
      return {
        grant: grantOf(key, owner, leaseMs, reply),
        abandon: () => this.#abandon(key, owner, request.id),
      };
    }
    if (reply.outcome === "held") throw heldBy(key, owner, reply);
    if (reply.outcome === "lost") throw lostBy(key, owner, undefined);
    throw refusal(key, reply);
  }

  /** @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#assertLockable(key);
    assertOwner(options.owner);
    const { owner, leaseMs } = options;
    const ask = { owner, leaseMs, ...this.#request(options.requestId, ["renew", owner, leaseMs]) };
    const reply = await this.#carryOut(() => redisson.renew(this.#redis, this.#channel, key, ask));
    if (reply.outcome === "granted") return grantOf(key, owner, leaseMs, reply);
    if (reply.outcome === "lost") throw lostBy(key, owner, reply);
    throw refusal(key, reply);
  }

  /** @throws LockkeeperError not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async release(key: Key, options: ReleaseOptions): Promise<Released> {
    this.#assertLockable(key);
    assertOwner(options.owner);
    const { owner } = options;
    const ask = { owner, ...this.#request(options.requestId, ["release", owner]) };
    const reply = await this.#carryOut(() => redisson.release(this.#redis, this.#channel, key, ask));
    if (reply.outcome === "released" || reply.outcome === "not_held") {
      const count = reply.outcome === "released" ? reply.count : 0;
      return { ...fieldsOfKey(key), owner, outcome: reply.outcome, count, asOf: reply.asOf };
    }
    throw refusal(key, reply);
  }

  /**
   * Frees one hold for an operator. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(key: Key, seen: redisson.ForceReleaseRequest): Promise<redisson.ForceReleaseReply> {
    assertMappable(key);
    return await this.#carryOut(() => redisson.forceRelease(this.#redis, this.#channel, key, seen));
  }

  /** Takes back a grant that nobody may know of, as soon as Redis answers again; the lease bounds it anyway. */
  #abandon(key: Key, owner: string, acquiredBy: string): void {
    const ask = { owner, acquiredBy, ...this.#request(undefined, []) };
    const giveBack = () => redisson.release(this.#redis, this.#channel, key, ask);
    attempt(this.#redis, giveBack, 60_000).catch(() => undefined);
  }

  async #carryOut<Reply>(call: () => Promise<Reply>, onUnknown?: () => unknown): Promise<Reply> {
    try {
      return await attempt(this.#redis, call);
    } catch (error) {
      if (error instanceof LockkeeperError && error.code === "unknown_outcome") onUnknown?.();
      throw error;
    }
  }

  #request(id: string | undefined, content: readonly unknown[]): redisson.Request {
    if (id === undefined) return { id: `${this.#process}.${++this.#requests}`, digest: "-" };
    return {
      id,
      digest: createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 16),
    };
  }

  #assertLockable(key: Key): void {
    assertMappable(key);
    if (matchesAny(this.#lockable, textOfKey(key))) return;
    const allowed = this.#lockable.map((glob) => glob.pattern).join(", ");
    throw new LockkeeperError(
      "key_not_allowed",
      `The API may lock keys that match ${allowed}. Name the lock so, or widen LOCKKEEPER_LOCKABLE.`,
      { lockable: this.#lockable.map((glob) => glob.pattern) },
    );
  }
}

function assertMappable(key: Key): void {
  const why = unmappable(key);
  if (why !== undefined)
    throw new LockkeeperError("key_not_allowed", `This key cannot be a lock here: ${why}.`);
}

function assertOwner(owner: string): void {
  const fault = ownerFault(owner);
  if (fault !== undefined) throw new LockkeeperError("invalid", `${fault}.`, { field: "owner" });
}

function grantOf(key: Key, owner: string, leaseMs: number, reply: redisson.Granted): Grant {
  const { count, fence, remainingMs, asOf } = reply;
  return { ...fieldsOfKey(key), owner, count, fence, leaseMs, remainingMs, asOf };
}

export function holderFacts(holders: readonly SeenHolder[]) {
  return holders.map(({ owner, count, fence, record }) => ({
    owner,
    count,
    fence,
    ...(record ? { record } : {}),
  }));
}

function heldBy(
  key: Key,
  owner: string,
  { holders, remainingMs, asOf }: redisson.Elsewhere,
): LockkeeperError {
  const by = holders[0]?.owner;
  const how =
    remainingMs === null ? "It has no expiry." : `Unless it is renewed, the lock ends in ${remainingMs} ms.`;
  const who =
    by === owner
      ? "The same owner holds it and re-entry was not asked for"
      : `It is held by ${JSON.stringify(by)}`;
  return new LockkeeperError("held", `${who}. ${how}`, {
    ...fieldsOfKey(key),
    holders: holderFacts(holders),
    remainingMs,
    asOf,
  });
}

function lostBy(key: Key, owner: string, now: redisson.Elsewhere | undefined): LockkeeperError {
  const other = now?.holders[0]?.owner;
  const state = other === undefined ? "the key is free" : `it is held by ${JSON.stringify(other)}`;
  return new LockkeeperError(
    "lost",
    `${JSON.stringify(owner)} does not hold the lock any more: ${now === undefined ? "that hold has ended" : state}. Stop what it protects.`,
    { ...fieldsOfKey(key), holders: holderFacts(now?.holders ?? []), remainingMs: now?.remainingMs ?? null },
  );
}

export function refusal(key: Key, reply: redisson.Refused): LockkeeperError {
  if (reply.outcome === "request_id_reused") {
    return new LockkeeperError(
      "request_id_reused",
      "This Idempotency-Key was used for another verb, owner or body; take a new one for a new request.",
    );
  }
  return new LockkeeperError(
    "not_a_lock",
    `The key holds a ${reply.type} that is not a lock. It was not touched; choose another name for the lock.`,
    { ...fieldsOfKey(key), redisType: reply.type },
  );
}
