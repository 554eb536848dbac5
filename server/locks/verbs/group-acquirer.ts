import type { Key } from "../../../lib/keys/key.ts";
import type { RefusedAcquireReply } from "../../formats/acquire-all.ts";
import { computeSlot } from "../../redis/cluster/slot.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { WaitAttemptResult } from "../waiting/running-wait.ts";
import { PLACE_RETENTION_MS, type Revocable, type WaitCoordinator } from "../waiting/wait-coordinator.ts";
import { GIVE_WAY_MS, WAITERS_MAX } from "./acquirer.ts";
import type { AcquiredGroup } from "./contract/grant.ts";
import type { AcquireOptions } from "./contract/verbs.ts";
import {
  createHeldError,
  createLostError,
  createQueueFullError,
  createRefusalError,
  LazyHeldOutcome,
  toGrant,
} from "./error-factories.ts";
import { type GrantedLock, type GroupConnection, GroupRequest } from "./group-request.ts";
import { sortKeys } from "./input/lock-set.ts";
import type { RequestFactory } from "./request-factory.ts";

/** Acquires several locks at once, immediately or by waiting. */
export class GroupAcquirer {
  constructor(
    private readonly connection: GroupConnection,
    private readonly waits: WaitCoordinator,
    private readonly requests: RequestFactory,
  ) {}

  /**
   * Acquires all locks, or none of them. If a lock is refused and `waitMs` is above 0, the request waits in the queue
   * of that lock.
   *
   * @throws LockkeeperError like `RedisLocks.acquireAll`
   */
  async acquire(keys: readonly Key[], options: AcquireOptions): Promise<AcquiredGroup> {
    const { format = "redisson", requestId, onSend, waitMs = 0, signal } = options;
    const sorted = sortKeys(keys);
    const ask = this.requests.createAcquireAllRequest(sorted, options);
    const slots = this.connection.redis.isCluster === true ? groupBySlot(sorted) : [sorted];
    // Tokens have consecutive numbers, by which `GroupRequest` detects that one attempt acquired all locks.
    const steps = slots.map((slot) => slot.map((key) => ({ key, token: this.requests.createToken() })));
    const group = new GroupRequest(this.connection, format, steps, ask, requestId !== undefined);
    const toGroup = (granted: readonly GrantedLock[]) => this.#toAcquiredGroup(keys, options, group, granted);
    if (waitMs === 0) {
      const outcome = await group.attempt(undefined, onSend);
      if (outcome.outcome === "granted") return toGroup(outcome.locks);
      throw toRefusalError(outcome.key, format, outcome.reply);
    }
    return await this.waits.run(
      sorted[0] ?? "",
      { waitMs, signal, requestId: requestId && `${ask.id} all`, enqueueing: { acceptsHandOver: false } },
      async (leftMs, sinceMs): Promise<WaitAttemptResult<AcquiredGroup & Revocable>> => {
        const waiting = { waitMs: leftMs, sinceMs, waitersMax: WAITERS_MAX, giveWayMs: GIVE_WAY_MS };
        const outcome = await group.attempt(waiting, onSend);
        if (outcome.outcome === "granted") {
          const acquired = toGroup(outcome.locks);
          const revoke = () => requestId === undefined && acquired.abandon();
          return { done: { ...acquired, revoke }, heldMs: computeRemainingMs(acquired) };
        }
        if (outcome.reply.outcome === "held") return new LazyHeldOutcome(outcome.key, outcome.reply);
        throw toRefusalError(outcome.key, format, outcome.reply);
      },
      (ending, sinceMs) => {
        if (ending === "superseded") return;
        group.stopWaiting(sinceMs, requestId === undefined || ending === undefined ? 0 : PLACE_RETENTION_MS);
      },
    );
  }

  #toAcquiredGroup(
    keys: readonly Key[],
    { owner, format = "redisson", unit = "ms" }: AcquireOptions,
    group: GroupRequest,
    granted: readonly GrantedLock[],
  ): AcquiredGroup {
    const byKey = new Map(granted.map((lock) => [lock.key, lock]));
    const stored = granted.map((lock) => ({ ...lock, token: lock.reply.token }));
    return {
      grants: keys.flatMap((key) => {
        const lock = byKey.get(key);
        const ref = { key, format, unit: format === "timestamp" ? unit : undefined };
        return lock === undefined ? [] : [toGrant(ref, owner, lock.reply)];
      }),
      isReplayed: granted.every(({ token, reply }) => token !== reply.token),
      abandon: () => void group.withdraw(stored),
    };
  }
}

/** Returns the shortest remaining lease of the group, in ms. */
export function computeRemainingMs({ grants }: Pick<AcquiredGroup, "grants">): number {
  return Math.min(...grants.map(({ remainingMs }) => remainingMs));
}

/** Groups the keys by slot, in slot order, because a script can access only one slot. */
function groupBySlot(keys: readonly Key[]): Key[][] {
  const slots = new Map<number, Key[]>();
  for (const key of keys) {
    const slot = computeSlot(toRedisArgument(key));
    const sameSlot = slots.get(slot);
    if (sameSlot === undefined) slots.set(slot, [key]);
    else sameSlot.push(key);
  }
  return [...slots].sort(([a], [b]) => a - b).map(([, each]) => each);
}

function toRefusalError(
  key: Key,
  format: NonNullable<AcquireOptions["format"]>,
  reply: RefusedAcquireReply,
): Error {
  if (reply.outcome === "held") return createHeldError(key, reply);
  if (reply.outcome === "lost") return createLostError(key, undefined);
  if (reply.outcome === "queue_full") return createQueueFullError(key, reply.waiting);
  return createRefusalError(key, format, reply);
}
