import type { WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import { buildFairKeys, buildWaitersKey, buildWakeChannel, buildWritersKey } from "./keys.ts";
import { buildKindWakeChannel, formatWaiterId } from "./kind-keys.ts";
import type { AcquireRequest } from "./lock-requests.ts";
import { parseStopWaitingReply, type StopWaitingReply } from "./script-replies.ts";

/** Formats the owner of a waiter for the list of waiters. The declaration, if any, follows after a tab. */
export function formatListedOwner({ owner, declared }: Pick<AcquireRequest, "owner" | "declared">): string {
  return declared === undefined ? owner : `${owner}\t${declared}`;
}

export interface StopWaitingRequest {
  readonly requestId: string;
  /** When the client began to wait, in Unix ms. `undefined` if no reply contained this time. */
  readonly sinceMs: number | undefined;
  /** The owner and the declaration, as `formatListedOwner` returns them. */
  readonly owner: string;
  /** How long, in ms, the waiter stays in the list for a repeated request; 0 to remove the waiter immediately. */
  readonly keepMs: number;
  /** The kind of the lock; `lock` by default. */
  readonly kind?: WritableKind | undefined;
}

const stopWaitingScript = new Script<RedisArgument[], RedisArgument[], void>(
  new URL("stop-waiting.lua", import.meta.url),
  () => undefined,
);

/** A waiter that leaves the queue of a fair lock. */
export interface QueueDeparture {
  /** The id of the waiter in the queue. */
  readonly waiterId: string;
  /** When the client began to wait, in Unix ms. `undefined` if no reply contained this time. */
  readonly sinceMs: number | undefined;
  /** The owner and the declaration, as `formatListedOwner` returns them. */
  readonly owner: string;
  /** How long, in ms, the waiter keeps its place in the queue; 0 to remove the waiter immediately. */
  readonly keepMs: number;
  /** Whether an earlier call has already let the waiter keep its place. */
  readonly isKept: boolean;
  /**
   * Time of the waiter's last attempt, in Unix ms on the Redis clock. Set if another client may use the same id. The
   * call changes nothing if that client has renewed the waiter since then.
   */
  readonly seenMs: number | undefined;
  readonly fairWaitMs: number;
}

const leaveQueueScript = new Script<RedisArgument[], RedisArgument[], StopWaitingReply>(
  new URL("redisson/fair/stop-waiting.lua", import.meta.url),
  parseStopWaitingReply,
);

/**
 * Removes a waiter from the queue of a fair lock and, if the lock is free, wakes the next waiter. If `keepMs` is above
 * 0, the waiter stays in the queue for that time, or until the lock is free and the waiter is first.
 */
export function leaveFairQueue(
  redis: Commands,
  channel: string,
  key: Key,
  { waiterId, sinceMs, owner, keepMs, isKept, seenMs, fairWaitMs }: QueueDeparture,
): Promise<StopWaitingReply> {
  return leaveQueueScript.run(
    redis,
    [buildWaitersKey(key), toRedisArgument(key), ...buildFairKeys(key)],
    [
      ...[waiterId, sinceMs ?? "", owner, keepMs, channel, toRedisArgument(key), fairWaitMs],
      ...[buildWakeChannel(key), redis.publishesSharded ? "1" : "", seenMs ?? "", isKept ? "1" : ""],
    ],
  );
}

/**
 * Removes a waiter from the list of waiters, or keeps it in the list for `keepMs` if its `sinceMs` is known. Works for
 * every format, because the list is stored in a separate key.
 */
export function stopWaiting(
  redis: Commands,
  channel: string,
  key: Key,
  waiter: StopWaitingRequest,
): Promise<void> {
  return stopWaitingScript.run(
    redis,
    waiter.kind === "write" ? [buildWaitersKey(key), buildWritersKey(key)] : [buildWaitersKey(key)],
    [
      ...[formatWaiterId(waiter.kind, waiter.requestId), waiter.sinceMs ?? "", waiter.owner, waiter.keepMs],
      ...[channel, toRedisArgument(key), buildKindWakeChannel(waiter.kind, key)],
      redis.publishesSharded ? "1" : "",
    ],
  );
}
