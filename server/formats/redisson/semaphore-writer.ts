import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { formatOwnerLines } from "../companion.ts";
import { buildColocatedKey, buildCompanionKey, buildWaitersKey, TARGET_PREFIX } from "../keys.ts";
import type { AcquireRequest, ReleaseRequest, WaitRequest } from "../lock-requests.ts";
import { LockWriter } from "../lock-writer.ts";
import {
  type AcquireReply,
  parseAcquireReply,
  parseReleaseReply,
  type ReleaseReply,
} from "../script-replies.ts";
import { type StopWaitingRequest, stopWaiting } from "../stop-waiting.ts";
import { buildPermitCompanionKey, computePermitId } from "./permit-ids.ts";
import { buildPermitsKey, buildSemaphoreChannel } from "./redisson-keys.ts";
import { parseSetLimitReply, type SetLimitReply } from "./set-limit-reply.ts";

type Keys = RedisArgument[];

const buildClaimKey = (key: Key) => buildColocatedKey(`${TARGET_PREFIX}turn`, key);
const formatShardedFlag = ({ publishesSharded }: Commands) => (publishesSharded ? "1" : "");

/**
 * Runs the verbs on semaphores. Separate scripts acquire and release permits; the other verbs use the scripts of all
 * locks, with the `storage.lua` of a semaphore.
 */
export class SemaphoreWriter extends LockWriter {
  readonly #take: Script<Keys, Keys, AcquireReply>;
  readonly #return: Script<Keys, Keys, ReleaseReply>;
  readonly #leaveTurn: Script<Keys, Keys, void>;
  readonly #setLimit: Script<Keys, Keys, SetLimitReply>;

  /** @param scripts as for `LockWriter` */
  constructor(scripts: URL = new URL("../", import.meta.url)) {
    super("redisson", "semaphore", scripts);
    const script = <Reply>(name: string, decode: (reply: unknown) => Reply) =>
      new Script<Keys, Keys, Reply>(new URL(`redisson/semaphore/${name}.lua`, scripts), decode);
    this.#take = script("acquire", parseAcquireReply);
    this.#return = script("release", parseReleaseReply);
    this.#leaveTurn = script("leave-turn", () => undefined);
    this.#setLimit = script("set-limit", parseSetLimitReply);
  }

  protected override buildKeys(key: Key, token: string): Keys {
    return [
      toRedisArgument(key),
      buildPermitCompanionKey(key, computePermitId(token, 1)),
      buildPermitsKey(key),
    ];
  }

  override buildWakeChannel(key: Key): RedisArgument {
    return buildSemaphoreChannel(key);
  }

  override acquire(
    redis: Commands,
    channel: string,
    key: Key,
    ask: AcquireRequest,
    waiting?: WaitRequest,
  ): Promise<AcquireReply> {
    const { token, leaseMs, id, digest, permits = 1, limit, retryMs } = ask;
    return this.#take.run(
      redis,
      [...this.buildKeys(key, token), buildWaitersKey(key), buildCompanionKey(key), buildClaimKey(key)],
      [
        ...[token, leaseMs, id, digest, channel, formatOwnerLines(ask), permits, limit ?? ""],
        ...[buildSemaphoreChannel(key), formatShardedFlag(redis), waiting?.waitMs ?? ""],
        ...[waiting?.sinceMs ?? "", waiting?.waitersMax ?? "", retryMs ?? ""],
      ],
    );
  }

  override release(redis: Commands, channel: string, key: Key, ask: ReleaseRequest): Promise<ReleaseReply> {
    const { token, fence, principal, id, digest, acquiredBy, retryMs } = ask;
    return this.#return.run(redis, this.buildKeys(key, token), [
      ...[token, fence ?? "", principal ?? "", id, digest, buildSemaphoreChannel(key), channel],
      ...[acquiredBy ?? "", retryMs ?? "", formatShardedFlag(redis)],
    ]);
  }

  override async stopWaiting(
    redis: Commands,
    channel: string,
    key: Key,
    waiter: StopWaitingRequest,
  ): Promise<void> {
    const { requestId, keepMs } = waiter;
    const request = [requestId, buildSemaphoreChannel(key), formatShardedFlag(redis)];
    // A client that may return keeps its claim until it expires.
    const leaving =
      keepMs > 0
        ? undefined
        : this.#leaveTurn.run(redis, [toRedisArgument(key), buildClaimKey(key)], request);
    await Promise.all([leaving, stopWaiting(redis, channel, key, waiter)]);
  }

  /** Sets the total number of permits; creates a missing semaphore. */
  setLimit(redis: Commands, key: Key, limit: number): Promise<SetLimitReply> {
    return this.#setLimit.run(
      redis,
      [toRedisArgument(key), buildCompanionKey(key), buildPermitsKey(key)],
      [limit, buildSemaphoreChannel(key), formatShardedFlag(redis)],
    );
  }
}

export const SEMAPHORE_WRITER = new SemaphoreWriter();
