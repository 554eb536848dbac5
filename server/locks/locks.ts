import { fieldsOfKey, isBinary, type Key } from "../../lib/contract/key.ts";
import type { Grant, Released, Verified, VerifyInput } from "../../lib/contract/verb.ts";
import { type AcquireRequest, FORMATS, type Format, type Waiting } from "../formats/format.ts";
import { eventChannelOf } from "../formats/keys.ts";
import type { FreeAsk } from "../formats/known-format.ts";
import { knownFormat } from "../formats/known-formats.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { AcquireReply, ForceReleaseReply } from "../formats/reply.ts";
import { stopWaiting } from "../formats/stop-waiting.ts";
import type { Commands, Subscriber } from "../redis/commands.ts";
import { attempt } from "./attempt.ts";
import { assertDurations } from "./durations.ts";
import { UnknownOutcomeError } from "./errors.ts";
import { Lockable } from "./lockable.ts";
import {
  assertMappable,
  assertOwner,
  grantOf,
  HeldSight,
  heldBy,
  lostBy,
  queueFull,
  refusal,
} from "./refusals.ts";
import { Requests } from "./requests.ts";
import { reservedOwner } from "./reserve.ts";
import type { Door } from "./safety.ts";
import type {
  AcquiredGrant,
  AcquireOptions,
  OperatorVerbs,
  ReleaseOptions,
  RenewOptions,
  ReserveOptions,
} from "./verbs.ts";
import { verify } from "./verify.ts";
import { PLACE_KEPT_MS, type Sight, type Taken, Waits } from "./wait.ts";
import { WaitingRoom } from "./waiting-room.ts";
import { within } from "./within.ts";

/** How long a refusal is kept back until what was granted is given back. */
const GIVE_BACK_MS = 500;

/** How many may wait for one key; more are refused at once. */
export const WAITERS_MAX = 1000;

/**
 * The verbs on locks. Each is one script; each answers granted, refused, or that the outcome is unknown.
 * Deadlines that clients derive from `remainingMs` count from before they sent the request.
 */
export class Locks implements OperatorVerbs {
  readonly #redis: Commands;
  readonly #channel: string;
  readonly #waits: Waits;
  readonly #lockable: Lockable;
  readonly #requests = new Requests();
  readonly #doorFor: (what: "grant" | "renewal") => Door;

  /**
   * @param subscriber a connection of its own: it hears the wake-ups of those who wait
   * @param doorFor the way of one call that may grant or renew a lock, where more is asked of Redis than to answer
   */
  constructor(
    redis: Commands,
    subscriber: Subscriber,
    db: number,
    lockable: readonly string[],
    doorFor?: (what: "grant" | "renewal") => Door,
  ) {
    this.#redis = redis;
    const open = { commands: redis, confirm: undefined };
    this.#doorFor = doorFor ?? (() => open);
    this.#waits = new Waits(new WaitingRoom(subscriber));
    this.#channel = eventChannelOf(db);
    this.#lockable = new Lockable(lockable);
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
      this.#lockable.assert(key);
      assertOwner(options.owner);
      assertDurations(options);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#acquire(key, options);
  }

  #acquire(key: Key, options: AcquireOptions): Promise<AcquiredGrant> {
    const format = FORMATS[options.format ?? "redisson"];
    const ask = this.#requests.acquire(options);
    const isWaiting = options.waitMs !== undefined && options.waitMs > 0;
    return isWaiting
      ? this.#acquireWaiting(format, key, ask, options.waitMs, options)
      : this.#acquireNow(format, key, ask, options);
  }

  async #acquireNow(
    format: Format,
    key: Key,
    ask: AcquireRequest,
    { requestId, onSend }: AcquireOptions,
  ): Promise<AcquiredGrant> {
    onSend?.();
    try {
      return this.#granted(format, key, ask, await this.#ask(format, key, ask));
    } catch (error) {
      if (error instanceof UnknownOutcomeError) this.#forsake(format, key, ask, requestId);
      throw error;
    }
  }

  #acquireWaiting(
    format: Format,
    key: Key,
    ask: AcquireRequest,
    waitMs: number,
    { requestId, signal, onSend }: AcquireOptions,
  ): Promise<AcquiredGrant> {
    let unansweredSince: number | undefined;
    const keepMs = requestId === undefined ? 0 : PLACE_KEPT_MS;
    // Another owner that uses the same id waits for itself.
    const named = requestId && `${requestId}\n${ask.owner}`;
    return this.#waits.run(
      key,
      { waitMs, signal, requestId: named, owner: ask.owner },
      async (leftMs, sinceMs): Promise<Sight<AcquiredGrant & Taken>> => {
        onSend?.();
        const retryMs =
          unansweredSince === undefined ? undefined : Math.ceil(performance.now() - unansweredSince);
        unansweredSince ??= performance.now();
        const waiting = { waitMs: leftMs, sinceMs, waitersMax: WAITERS_MAX };
        const reply = await this.#ask(format, key, { ...ask, retryMs }, waiting);
        unansweredSince = undefined;
        if (reply.outcome === "held") return new HeldSight(key, reply);
        const granted = this.#granted(format, key, ask, reply);
        const giveUp = () => this.#forsake(format, key, ask, requestId);
        return { done: { ...granted, giveUp }, heldMs: granted.grant.remainingMs };
      },
      (ending, sinceMs) => {
        const mayStandThere = ending !== undefined && ending !== "superseded" && sinceMs !== undefined;
        if (mayStandThere) this.#stopWaiting(key, ask, sinceMs, keepMs);
        if (unansweredSince !== undefined) this.#forsake(format, key, ask, requestId);
      },
    );
  }

  #ask(format: Format, key: Key, ask: AcquireRequest, waiting?: Waiting): Promise<AcquireReply> {
    const { commands, confirm } = this.#doorFor("grant");
    const reply = attempt(this.#redis, (retryMs) =>
      format.acquire(
        commands,
        this.#channel,
        key,
        retryMs === undefined ? ask : { ...ask, retryMs },
        waiting,
      ),
    );
    return confirm === undefined ? reply : this.#confirmed(format, key, ask, reply, confirm);
  }

  /** @throws LockkeeperError not_replicated, and what was granted is given back then */
  async #confirmed(
    format: Format,
    key: Key,
    { owner, id }: AcquireRequest,
    asked: Promise<AcquireReply>,
    confirm: () => Promise<void>,
  ): Promise<AcquireReply> {
    const reply = await asked;
    if (reply.outcome !== "granted") return reply;
    try {
      await confirm();
      return reply;
    } catch (error) {
      // What cannot be given back at once is tried for longer, and its lease bounds it.
      await within(GIVE_BACK_MS, this.#abandon(format, key, owner, id)).catch(() => undefined);
      throw error;
    }
  }

  // A caller without an id of its own cannot ask again, so a grant that may exist would hold for nobody. One who has
  // an id may be asking for this very grant already.
  #forsake(format: Format, key: Key, { owner, id }: AcquireRequest, requestId: string | undefined): void {
    if (requestId === undefined) void this.#abandon(format, key, owner, id);
  }

  /** @throws LockkeeperError whatever was answered but a grant */
  #granted(format: Format, key: Key, ask: AcquireRequest, reply: AcquireReply): AcquiredGrant {
    const { owner, leaseMs, id } = ask;
    if (reply.outcome === "granted") {
      return {
        grant: grantOf(key, owner, leaseMs, reply),
        abandon: () => void this.#abandon(format, key, owner, id),
      };
    }
    if (reply.outcome === "held") throw heldBy(key, owner, reply);
    if (reply.outcome === "lost") throw lostBy(key, owner, undefined);
    if (reply.outcome === "queue_full") throw queueFull(key, reply.waiting);
    throw refusal(key, format.name, reply);
  }

  // The list of those who wait is for looking at only, and its entries end by themselves: a failure is no harm.
  #stopWaiting(key: Key, { id, owner }: AcquireRequest, sinceMs: number, keepMs: number): void {
    const waiter = { requestId: id, sinceMs, owner, keepMs };
    stopWaiting(this.#redis, this.#channel, key, waiter).catch(() => undefined);
  }

  /** @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async renew(key: Key, options: RenewOptions): Promise<Grant> {
    this.#lockable.assert(key);
    assertOwner(options.owner);
    assertDurations({ leaseMs: options.leaseMs });
    const format = FORMATS[options.format ?? "redisson"];
    const ask = this.#requests.renew(options);
    const { commands, confirm } = this.#doorFor("renewal");
    const reply = await attempt(this.#redis, (retryMs) => {
      options.onSend?.();
      return format.renew(commands, this.#channel, key, { ...ask, retryMs });
    });
    if (reply.outcome === "granted") await confirm?.();
    if (reply.outcome === "granted") return grantOf(key, ask.owner, ask.leaseMs, reply);
    if (reply.outcome === "lost") throw lostBy(key, ask.owner, reply);
    throw refusal(key, format.name, reply);
  }

  /** @throws LockkeeperError not_a_lock, key_not_allowed, invalid, request_id_reused, unavailable, unknown_outcome */
  async release(key: Key, options: ReleaseOptions): Promise<Released> {
    this.#lockable.assert(key);
    assertOwner(options.owner);
    assertDurations({ holdOffMs: options.holdOffMs });
    const { owner } = options;
    const format = FORMATS[options.format ?? "redisson"];
    const ask = this.#requests.release(options);
    const reply = await attempt(this.#redis, (retryMs) =>
      format.release(this.#redis, this.#channel, key, retryMs === undefined ? ask : { ...ask, retryMs }),
    );
    if (reply.outcome === "released" || reply.outcome === "not_held") {
      const count = reply.outcome === "released" ? reply.count : 0;
      const released = { key, owner, outcome: reply.outcome, count, asOf: reply.asOf };
      return isBinary(key) ? { ...released, ...fieldsOfKey(key) } : released;
    }
    throw refusal(key, format.name, reply);
  }

  /**
   * Keeps everybody off a free lock for a while: a hold in the lock's own format, of the owner
   * `lockkeeper:reserve:<by>`. It ends by itself, or by force.
   *
   * @throws LockkeeperError as `acquire` without waiting
   */
  async reserve(key: Key, { by, holdOffMs, reason, ...options }: ReserveOptions): Promise<Grant> {
    this.#lockable.assert(key);
    assertDurations({ holdOffMs });
    const owner = reservedOwner(by);
    const record = reason ? { purpose: reason } : undefined;
    const ask = { ...options, owner, record, leaseMs: holdOffMs, reentrant: false };
    return (await this.#acquire(key, ask)).grant;
  }

  /**
   * Whether the owner holds the lock at this moment; it may be lost right after. Changes nothing.
   *
   * @throws LockkeeperError lost, not_a_lock, key_not_allowed, invalid, unavailable
   */
  async verify(key: Key, ask: VerifyInput): Promise<Verified> {
    this.#lockable.assert(key);
    assertOwner(ask.owner);
    return await verify(this.#redis, key, ask);
  }

  /**
   * Frees one hold for an operator. Any key that holds a lock, lockable or not.
   *
   * @throws LockkeeperError not_a_lock, key_not_allowed, unavailable, unknown_outcome
   */
  async forceRelease(seen: HeldObservation, ask: FreeAsk): Promise<ForceReleaseReply> {
    assertMappable(seen.key);
    const frees = knownFormat(seen.format, seen.type)?.frees;
    if (frees === undefined) throw new Error(`nothing frees a lock of ${seen.format}`);
    const call = () => frees.free(this.#redis, this.#channel, seen, ask);
    // Not repeated when its outcome is unknown: the same owner may hold the lock anew by then, unseen.
    return await attempt(this.#redis, call, { repeat: "not_executed" });
  }

  /** Takes back a grant that nobody may know of, as soon as Redis answers again; the lease bounds it anyway. */
  async #abandon(format: Format, key: Key, owner: string, acquiredBy: string): Promise<void> {
    const ask = { acquiredBy, ...this.#requests.release({ owner }) };
    const giveBack = (retryMs?: number) =>
      format.release(this.#redis, this.#channel, key, { ...ask, retryMs });
    await attempt(this.#redis, giveBack, { budgetMs: 60_000 }).catch(() => undefined);
  }
}
