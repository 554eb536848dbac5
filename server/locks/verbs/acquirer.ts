import { isSemaphoreKind, type WritableKind } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import { UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { AcquireRequest, WaitRequest } from "../../formats/lock-requests.ts";
import type { LockWriter } from "../../formats/lock-writer.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { formatListedOwner } from "../../formats/stop-waiting.ts";
import { formatDeclaration } from "../../formats/wait-declaration.ts";
import type { Commands } from "../../redis/commands.ts";
import type { FairPlaces } from "../waiting/fair-places.ts";
import type { WaitAttemptResult } from "../waiting/running-wait.ts";
import {
  PLACE_RETENTION_MS,
  type Revocable,
  type WaitCoordinator,
  type WaitOptions,
} from "../waiting/wait-coordinator.ts";
import { attempt } from "./attempt.ts";
import type { AcquiredGrant } from "./contract/grant.ts";
import type { AcquireOptions, HoldChangeListener } from "./contract/verbs.ts";
import {
  createHeldError,
  createLostError,
  createQueueFullError,
  createRefusalError,
  LazyHeldOutcome,
  toGrant,
} from "./error-factories.ts";
import type { RequestFactory } from "./request-factory.ts";
import type { GuardedCommands } from "./safety.ts";

/** Maximum time, in ms, by which a refusal is delayed in order to release the grant first. */
const ROLLBACK_WAIT_MS = 500;

/**
 * Time, in ms, after a release during which only the client that has waited longest can acquire the lock. This time is
 * longer than a wake-up takes on a busy machine. It also limits the delay for the other waiters if that client has
 * exited or is slow.
 */
export const GIVE_WAY_MS = 10;

/** Maximum number of waiters per key. Further waiters are refused immediately. */
export const WAITERS_MAX = 1000;

/** A request that restores a hold that its client gave up to wait for a condition. */
interface RestoreRequest extends AcquireRequest {
  /**
   * Passes the signal that ended the wait to the next waiter. Called before the grant is withdrawn, because the grant
   * used the signal. `undefined` if the wait ended without a signal.
   *
   * @param token the token of the grant
   */
  readonly passSignal?: ((token: string) => Promise<void>) | undefined;
}

/** Acquires locks, immediately or by waiting, and withdraws a grant that its caller may never have received. */
export class Acquirer {
  readonly #redis: Commands;
  readonly #channel: string;
  readonly #waitCoordinator: WaitCoordinator;
  readonly #fairPlaces: FairPlaces;
  readonly #requests: RequestFactory;
  readonly #getGuardedCommands: (what: "grant") => GuardedCommands;

  /** See `OperatorVerbs.onHoldChange`. */
  onHoldChange: HoldChangeListener | undefined;

  constructor(
    redis: Commands,
    channel: string,
    { waits, fairPlaces }: { readonly waits: WaitCoordinator; readonly fairPlaces: FairPlaces },
    requests: RequestFactory,
    getCommands: (what: "grant") => GuardedCommands,
  ) {
    this.#redis = redis;
    this.#channel = channel;
    this.#waitCoordinator = waits;
    this.#fairPlaces = fairPlaces;
    this.#requests = requests;
    this.#getGuardedCommands = getCommands;
  }

  /**
   * Acquires a lock. To save memory per waiter, neither this method nor the methods that it calls before it waits are
   * `async`.
   *
   * @param token the token to store; a new one by default
   * @throws LockkeeperError like `RedisLocks.acquire`
   */
  acquire(key: Key, options: AcquireOptions, token?: string): Promise<AcquiredGrant> {
    const format = getLockWriter({ format: options.format ?? "redisson", kind: options.kind });
    const created = this.#requests.createAcquireRequest(options, token);
    const { fairWaitMs } = this.#fairPlaces;
    const ask = format.kind === "fair" ? { fairWaitMs, ...created } : created;
    const isWaiting = options.waitMs !== undefined && options.waitMs > 0;
    return isWaiting
      ? this.#acquireWaiting(format, key, ask, options.waitMs, options)
      : this.#acquireNow(format, key, ask, options);
  }

  /**
   * Acquires a lock again after the client gave up its hold to wait for a condition. Retries while Redis is
   * unreachable.
   *
   * @param options `sinceMs`: when the client stopped waiting for a signal, in Unix ms on the Redis clock
   * @throws LockkeeperError timeout, aborted, lost (Redis has no record of the hold); unavailable or unknown_outcome
   *   only if Redis is unreachable when the wait ends
   */
  reacquire(
    key: Key,
    kind: WritableKind,
    ask: RestoreRequest,
    options: Pick<AcquireOptions, "requestId" | "signal" | "onSend"> & {
      readonly waitMs: number;
      readonly sinceMs: number;
    },
  ): Promise<AcquiredGrant> {
    const format = getLockWriter({ format: "redisson", kind });
    const { fairWaitMs } = this.#fairPlaces;
    const waiting = { ...options, startsInOutage: true };
    return this.#acquireWaiting(format, key, { ...ask, fairWaitMs }, options.waitMs, waiting);
  }

  async #acquireNow(
    format: LockWriter,
    key: Key,
    ask: AcquireRequest,
    { requestId, onSend }: AcquireOptions,
  ): Promise<AcquiredGrant> {
    onSend?.();
    try {
      return this.#toGrantOrThrow(format, key, ask, await this.#sendAcquire(format, key, ask));
    } catch (error) {
      if (error instanceof UnknownOutcomeError) this.#abandonIfAnonymous(format, key, ask, requestId);
      throw error;
    }
  }

  #acquireWaiting(
    format: LockWriter,
    key: Key,
    request: AcquireRequest,
    waitMs: number,
    options: Pick<
      AcquireOptions,
      "requestId" | "signal" | "onSend" | "holding" | "onDeadlock" | "principal"
    > &
      Pick<WaitOptions, "sinceMs" | "startsInOutage">,
  ): Promise<AcquiredGrant> {
    const { requestId, signal, onSend } = options;
    const declaration = this.#requests.createDeclaration(options);
    const ask =
      declaration === undefined ? request : { declared: formatDeclaration(declaration), ...request };
    const refusableId = declaration?.onDeadlock === "refuse" ? declaration.waitId : undefined;
    let unansweredSince: number | undefined;
    let seenMs: number | undefined;
    const keepMs = requestId === undefined ? 0 : PLACE_RETENTION_MS;
    const named = requestId && ask.id;
    const fairWaiter = format.kind === "fair" ? (ask.waiterId ?? ask.token) : undefined;
    if (fairWaiter !== undefined) this.#fairPlaces.reclaim(key, fairWaiter);
    return this.#waitCoordinator.run(
      key,
      {
        waitMs,
        signal,
        requestId: named,
        refusableId,
        sinceMs: options.sinceMs,
        startsInOutage: options.startsInOutage,
        enqueueing: {
          kind: format.kind,
          fairWaiter,
          wakeChannel: isSemaphoreKind(format.kind) ? format.buildWakeChannel(key) : undefined,
        },
      },
      async (leftMs, sinceMs, turn): Promise<WaitAttemptResult<AcquiredGrant & Revocable>> => {
        onSend?.();
        const retryMs =
          unansweredSince === undefined ? undefined : Math.ceil(performance.now() - unansweredSince);
        unansweredSince ??= performance.now();
        const giveWayMs = turn === "handed_over" ? undefined : GIVE_WAY_MS;
        const { clientId } = this.#requests;
        const waiting = { waitMs: leftMs, sinceMs, waitersMax: WAITERS_MAX, giveWayMs, clientId };
        const reply = await this.#sendAcquire(
          format,
          key,
          retryMs === undefined ? ask : { retryMs, ...ask },
          waiting,
        );
        unansweredSince = undefined;
        if (reply.outcome === "held") {
          seenMs = reply.asOf;
          return new LazyHeldOutcome(key, reply, format.kind);
        }
        const granted = this.#toGrantOrThrow(format, key, ask, reply);
        const revoke = () => requestId === undefined && granted.abandon();
        const done = { revoke, ...granted };
        // The other waiters of a semaphore may acquire permits immediately, one after another.
        return isSemaphoreKind(format.kind) ? { done } : { done, heldMs: granted.grant.remainingMs };
      },
      (ending, sinceMs) => {
        if (ending === "superseded") return;
        // If the reply to an attempt was lost, Redis may still have added the waiter to the list.
        const mayBeListed = seenMs !== undefined || unansweredSince !== undefined;
        // A client that got an error does not return. A refused waiter is removed immediately as well, because the
        // deadlock lasts while the waiter is listed.
        const mayReturn = ending === undefined ? unansweredSince !== undefined : ending !== "deadlock";
        const placeMs = mayReturn ? keepMs : 0;
        if (fairWaiter !== undefined) {
          const seen = named === undefined ? undefined : seenMs;
          const waiter = { waiterId: fairWaiter, sinceMs, owner: formatListedOwner(ask), seenMs: seen };
          if (mayBeListed) void this.#fairPlaces.leave(key, { ...waiter, keepMs: placeMs });
        } else if (mayBeListed) this.#stopWaiting(format, key, ask, sinceMs, placeMs);
        if (unansweredSince !== undefined) this.#abandonIfAnonymous(format, key, ask, requestId);
      },
    );
  }

  #sendAcquire(
    format: LockWriter,
    key: Key,
    ask: AcquireRequest,
    waiting?: WaitRequest,
  ): Promise<AcquireReply> {
    const { commands, confirm } = this.#getGuardedCommands("grant");
    const reply = attempt(this.#redis, (retryMs) =>
      format.acquire(
        commands,
        this.#channel,
        key,
        retryMs === undefined ? ask : { ...ask, retryMs },
        waiting,
      ),
    );
    return confirm === undefined ? reply : this.#confirmOrRollBack(format, key, ask, reply, confirm);
  }

  /**
   * Waits until the replicas have confirmed the grant. Returns a refusal unchanged.
   *
   * @throws LockkeeperError not_replicated, after the grant was released or the time limit for its release has passed
   */
  async #confirmOrRollBack(
    format: LockWriter,
    key: Key,
    ask: AcquireRequest,
    pendingReply: Promise<AcquireReply>,
    confirm: () => Promise<void>,
  ): Promise<AcquireReply> {
    const reply = await pendingReply;
    if (reply.outcome !== "granted") return reply;
    try {
      await confirm();
      return reply;
    } catch (error) {
      // After the time limit, retries of the release continue in the background. If all of them fail, the hold ends
      // with its lease.
      await withTimeout(ROLLBACK_WAIT_MS, this.#abandon(format, key, ask, reply.token)).catch(
        () => undefined,
      );
      throw error;
    }
  }

  // Withdraws a grant that may exist, unless the caller chose the request id. Without such an id, no caller can repeat
  // the request, and the grant would have no holder. A caller that chose the id may already be repeating the request.
  #abandonIfAnonymous(
    format: LockWriter,
    key: Key,
    ask: AcquireRequest,
    requestId: string | undefined,
  ): void {
    if (requestId === undefined) void this.#abandon(format, key, ask);
  }

  /** @throws LockkeeperError for every reply except a grant */
  #toGrantOrThrow(format: LockWriter, key: Key, ask: AcquireRequest, reply: AcquireReply): AcquiredGrant {
    if (reply.outcome === "granted") {
      const unit = format.name === "timestamp" ? ask.unit : undefined;
      if (reply.how === "acquired" && !format.isShared) this.onHoldChange?.("acquired", key, reply.fence);
      return {
        grant: toGrant({ key, format: format.name, kind: format.kind, unit }, ask.owner, reply),
        isReplayed: reply.how === "repeated",
        // Bound, because the loader of `npm start` names each closure at a cost, and nearly all are never called.
        abandon: this.#abandon.bind(this, format, key, ask, reply.token),
      };
    }
    if (reply.outcome === "held") throw createHeldError(key, reply, format.kind);
    if (reply.outcome === "lost") throw createLostError(key, undefined);
    if (reply.outcome === "queue_full") throw createQueueFullError(key, reply.waiting);
    throw createRefusalError(key, format.name, reply);
  }

  // Removes a waiter from the list. A failure is harmless, because the entries of the list expire.
  #stopWaiting(
    format: LockWriter,
    key: Key,
    ask: AcquireRequest,
    sinceMs: number | undefined,
    keepMs: number,
  ): void {
    const waiter = { requestId: ask.id, sinceMs, owner: formatListedOwner(ask), keepMs };
    format.stopWaiting(this.#redis, this.#channel, key, waiter).catch(() => undefined);
  }

  /**
   * Withdraws a grant that its caller may never have received. Retries for up to 60 s while Redis does not reply. If
   * all retries fail, the grant ends with its lease.
   *
   * @param token the token of the grant
   */
  async #abandon(
    format: LockWriter,
    key: Key,
    request: RestoreRequest,
    token = request.token,
  ): Promise<void> {
    await request.passSignal?.(token);
    const ask = this.#requests.createAbandonRequest({ ...request, token });
    const { fairWaitMs } = request;
    const giveBack = (retryMs?: number) =>
      format.release(this.#redis, this.#channel, key, { ...ask, retryMs, fairWaitMs });
    await attempt(this.#redis, giveBack, { budgetMs: 60_000 }).catch(() => undefined);
  }
}
