import { createHash, randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { fieldsOfKey, type Key, textOfKey } from "../../lib/contract/key.ts";
import type { Grant, OwnerRecord, Released, Verified, VerifyInput } from "../../lib/contract/lock.ts";
import { eventChannelOf } from "../formats/keys.ts";
import { read } from "../formats/redisson/read.ts";
import * as redisson from "../formats/redisson/redisson.ts";
import type { AcquireReply, ForceReleaseReply } from "../formats/redisson/reply.ts";
import { Glob, matchesAny } from "../redis/glob.ts";
import { answered } from "./answered.ts";
import { attempt } from "./attempt.ts";
import { KeyNotAllowedError, UnknownOutcomeError } from "./errors.ts";
import { assertMappable, assertOwner, grantOf, heldBy, lostBy, queueFull, refusal } from "./refusals.ts";
import { PLACE_KEPT_MS, type Sight, type Taken, type WaitOptions, Waits } from "./wait.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** How many may wait for one key; more are refused at once. */
export const WAITERS_MAX = 1000;

export interface AcquireOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly reentrant: boolean;
  readonly record?: OwnerRecord | undefined;
  /** How long to wait for a lock that is held; 0 by default. */
  readonly waitMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Called before each look is sent: a deadline counts from there. */
  readonly onSend?: () => void;
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
  readonly #waits: Waits;
  readonly #lockable: readonly Glob[];
  readonly #process = randomBytes(6).toString("base64url");
  #requests = 0;

  /** @param subscriber a connection of its own: it hears the wake-ups of those who wait */
  constructor(redis: Redis, subscriber: Redis, db: number, lockable: readonly string[]) {
    this.#redis = redis;
    this.#waits = new Waits(new WaitingRoom(subscriber));
    this.#channel = eventChannelOf(db);
    this.#lockable = lockable.map((pattern) => new Glob(pattern));
  }

  /**
   * Takes the lock, waiting for it as long as `waitMs` says.
   *
   * @throws LockkeeperError held (without waiting), timeout, aborted, queue_full, lost, not_a_lock,
   *   key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome
   */
  async acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    this.#assertLockable(key);
    assertOwner(options.owner);
    const { owner, leaseMs, reentrant, record, waitMs = 0, signal, requestId, onSend } = options;
    const request = this.#request(requestId, ["acquire", owner, leaseMs, reentrant, record ?? null]);
    const ask = { owner, leaseMs, reentrant, record, ...request };
    if (waitMs > 0) return await this.#acquireWaiting(key, ask, { waitMs, signal, requestId }, onSend);
    onSend?.();
    try {
      return this.#granted(key, ask, await this.#ask(key, ask));
    } catch (error) {
      if (error instanceof UnknownOutcomeError) this.#forsake(key, ask, requestId);
      throw error;
    }
  }

  async #acquireWaiting(
    key: Key,
    ask: redisson.AcquireRequest,
    wait: WaitOptions,
    onSend: (() => void) | undefined,
  ): Promise<AcquiredGrant> {
    const { requestId } = wait;
    let unansweredSince: number | undefined;
    const look = async (
      leftMs: number,
      sinceMs: number | undefined,
    ): Promise<Sight<AcquiredGrant & Taken>> => {
      onSend?.();
      const retryMs =
        unansweredSince === undefined ? undefined : Math.ceil(performance.now() - unansweredSince);
      unansweredSince ??= performance.now();
      const reply = await this.#ask(
        key,
        { ...ask, retryMs },
        { waitMs: leftMs, sinceMs, waitersMax: WAITERS_MAX },
      );
      unansweredSince = undefined;
      if (reply.outcome === "held") {
        return { heldMs: reply.remainingMs, asOf: reply.asOf, refusal: heldBy(key, ask.owner, reply) };
      }
      const granted = this.#granted(key, ask, reply);
      return { done: { ...granted, giveUp: () => this.#forsake(key, ask, requestId) } };
    };
    const keepMs = requestId === undefined ? 0 : PLACE_KEPT_MS;
    try {
      return await this.#waits.run(key, wait, look, (ending, sinceMs) => {
        if (ending !== "superseded") this.#stopWaiting(key, ask, sinceMs, keepMs);
      });
    } catch (error) {
      if (unansweredSince !== undefined) this.#forsake(key, ask, requestId);
      throw error;
    }
  }

  #ask(key: Key, ask: redisson.AcquireRequest, waiting?: redisson.Waiting): Promise<AcquireReply> {
    return attempt(this.#redis, (retryMs) =>
      redisson.acquire(this.#redis, this.#channel, key, { ...ask, retryMs: retryMs ?? ask.retryMs }, waiting),
    );
  }

  // A caller without an id of its own cannot ask again, so a grant that may exist would hold for nobody. One who has
  // an id may be asking for this very grant already.
  #forsake(key: Key, { owner, id }: redisson.AcquireRequest, requestId: string | undefined): void {
    if (requestId === undefined) this.#abandon(key, owner, id);
  }

  /** @throws LockkeeperError whatever was answered but a grant */
  #granted(key: Key, { owner, leaseMs, id }: redisson.AcquireRequest, reply: AcquireReply): AcquiredGrant {
    if (reply.outcome === "granted") {
      return { grant: grantOf(key, owner, leaseMs, reply), abandon: () => this.#abandon(key, owner, id) };
    }
    if (reply.outcome === "held") throw heldBy(key, owner, reply);
    if (reply.outcome === "lost") throw lostBy(key, owner, undefined);
    if (reply.outcome === "queue_full") throw queueFull(key, reply.waiting);
    throw refusal(key, reply);
  }

  // The list of those who wait is for looking at only, and its entries end by themselves: a failure is no harm.
  #stopWaiting(key: Key, { id, owner }: redisson.AcquireRequest, sinceMs: number, keepMs: number): void {
    const waiter = { requestId: id, sinceMs, owner, keepMs };
    redisson.stopWaiting(this.#redis, this.#channel, key, waiter).catch(() => undefined);
  }

  /** @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#assertLockable(key);
    assertOwner(options.owner);
    const { owner, leaseMs } = options;
    const ask = { owner, leaseMs, ...this.#request(options.requestId, ["renew", owner, leaseMs]) };
    const reply = await attempt(this.#redis, (retryMs) =>
      redisson.renew(this.#redis, this.#channel, key, { ...ask, retryMs }),
    );
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
    const reply = await attempt(this.#redis, (retryMs) =>
      redisson.release(this.#redis, this.#channel, key, { ...ask, retryMs }),
    );
    if (reply.outcome === "released" || reply.outcome === "not_held") {
      const count = reply.outcome === "released" ? reply.count : 0;
      return { ...fieldsOfKey(key), owner, outcome: reply.outcome, count, asOf: reply.asOf };
    }
    throw refusal(key, reply);
  }

  /**
   * Whether the owner holds the lock at this moment; it may be lost right after. Changes nothing.
   *
   * @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, unavailable
   */
  async verify(key: Key, { owner, fence }: VerifyInput): Promise<Verified> {
    this.#assertLockable(key);
    assertOwner(owner);
    const [observation] = await attempt(this.#redis, () => read(this.#redis, [key]));
    const seen = answered(observation);
    if (seen.state === "not_a_lock") throw refusal(key, { outcome: "not_a_lock", type: seen.type });
    const holders = seen.state === "held" ? seen.holders : [];
    const remainingMs = seen.state === "held" ? seen.remainingMs : null;
    const { asOf } = seen;
    const hold = holders.find((holder) => holder.owner === owner);
    if (hold === undefined || (fence !== undefined && hold.fence !== fence)) {
      throw lostBy(key, owner, { holders, remainingMs, asOf });
    }
    return { ...fieldsOfKey(key), owner, count: hold.count, fence: hold.fence, remainingMs, asOf };
  }

  /**
   * Frees one hold for an operator. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(key: Key, seen: redisson.ForceReleaseRequest): Promise<ForceReleaseReply> {
    assertMappable(key);
    // Not repeated when its outcome is unknown: the same owner may hold the lock anew by then, unseen.
    return await attempt(this.#redis, () => redisson.forceRelease(this.#redis, this.#channel, key, seen), {
      repeat: "not_executed",
    });
  }

  /** Takes back a grant that nobody may know of, as soon as Redis answers again; the lease bounds it anyway. */
  #abandon(key: Key, owner: string, acquiredBy: string): void {
    const ask = { owner, acquiredBy, ...this.#request(undefined, []) };
    const giveBack = (retryMs?: number) =>
      redisson.release(this.#redis, this.#channel, key, { ...ask, retryMs });
    attempt(this.#redis, giveBack, { budgetMs: 60_000 }).catch(() => undefined);
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
    throw new KeyNotAllowedError(
      `The API may lock keys that match ${allowed}. Name the lock so, or widen LOCKKEEPER_LOCKABLE.`,
      { lockable: this.#lockable.map((glob) => glob.pattern) },
    );
  }
}
