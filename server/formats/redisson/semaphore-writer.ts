import type { SemaphoreKind } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { type Script, toRedisArgument } from "../../redis/script.ts";
import { formatOwnerLines } from "../companion.ts";
import {
  buildColocatedKey,
  buildCompanionKey,
  buildPlainPermitsKey,
  buildWaitersKey,
  TARGET_PREFIX,
} from "../keys.ts";
import type { AcquireRequest, ReleaseRequest, WaitRequest } from "../lock-requests.ts";
import { formatShardedFlag, LockWriter } from "../lock-writer.ts";
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
const buildTurnsKey = (key: Key) => buildColocatedKey(`${TARGET_PREFIX}turns`, key);

/** For each kind of semaphore, the functions that build the permits key of this kind and that of the other kind. */
const PERMITS_KEYS = {
  semaphore: { own: buildPermitsKey, other: buildPlainPermitsKey },
  plain_semaphore: { own: buildPlainPermitsKey, other: buildPermitsKey },
} as const;

/**
 * Runs the verbs on semaphores of one kind. Acquire and release have their own scripts. Other verbs use the scripts
 * that all kinds share, with the `storage.lua` for semaphores.
 */
export class SemaphoreWriter extends LockWriter {
  readonly #permitsKeys: (typeof PERMITS_KEYS)[SemaphoreKind];
  readonly #take: Script<Keys, Keys, AcquireReply>;
  readonly #return: Script<Keys, Keys, ReleaseReply>;
  readonly #leaveTurn: Script<Keys, Keys, void>;

  /** @param scripts as for `LockWriter` */
  constructor(kind: SemaphoreKind, scripts: URL = new URL("../", import.meta.url)) {
    super("redisson", kind, scripts);
    this.#permitsKeys = PERMITS_KEYS[kind];
    this.#take = this.loadVerb("redisson/semaphore/acquire", parseAcquireReply);
    this.#return = this.loadVerb("redisson/semaphore/release", parseReleaseReply);
    this.#leaveTurn = this.loadVerb("redisson/semaphore/leave-turn", () => undefined);
  }

  protected override buildKeys(key: Key, token: string): Keys {
    return [
      toRedisArgument(key),
      buildPermitCompanionKey(key, computePermitId(token, 1)),
      this.#permitsKeys.own(key),
    ];
  }

  override get isShared(): boolean {
    return true;
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
      [
        ...[...this.buildKeys(key, token), buildWaitersKey(key), buildCompanionKey(key)],
        ...[buildClaimKey(key), this.#permitsKeys.other(key), buildTurnsKey(key)],
      ],
      [
        ...[token, leaseMs, id, digest, channel, formatOwnerLines(ask), permits, limit ?? ""],
        ...[buildSemaphoreChannel(key), formatShardedFlag(redis), waiting?.waitMs ?? ""],
        ...[waiting?.sinceMs ?? "", waiting?.waitersMax ?? "", retryMs ?? "", waiting?.clientId ?? ""],
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
    const keeps = keepMs > 0 ? "1" : "";
    const request = [requestId, buildSemaphoreChannel(key), formatShardedFlag(redis), keeps];
    const keys = [toRedisArgument(key), buildClaimKey(key), buildTurnsKey(key)];
    await Promise.all([this.#leaveTurn.run(redis, keys, request), stopWaiting(redis, channel, key, waiter)]);
  }
}

/** Runs the verbs on plain semaphores. */
export class PlainSemaphoreWriter extends SemaphoreWriter {
  readonly #reclaim: Script<Keys, Keys, number | undefined>;

  /** @param scripts as for `LockWriter` */
  constructor(scripts?: URL) {
    super("plain_semaphore", scripts);
    this.#reclaim = this.loadVerb("redisson/semaphore/reclaim", parseNextExpiry);
  }

  /**
   * Makes the expired permits of Lockkeeper's holds available again, and wakes waiters. Returns the time in ms until
   * the next permit expires; `undefined` if no Lockkeeper hold has permits, or if the key is not a semaphore.
   */
  reclaim(redis: Commands, key: Key): Promise<number | undefined> {
    const keys = [toRedisArgument(key), buildCompanionKey(key), buildPlainPermitsKey(key)];
    return this.#reclaim.run(redis, keys, [buildSemaphoreChannel(key), formatShardedFlag(redis)]);
  }
}

/**
 * Parses the reply of reclaim.lua. Returns `undefined` if no permits are acquired, or if the key is not a semaphore.
 */
function parseNextExpiry(reply: unknown): number | undefined {
  const ms = Number(reply);
  return ms >= 0 ? ms : undefined;
}

/** Runs the verbs on semaphores with expirable permits. */
export class ExpirableSemaphoreWriter extends SemaphoreWriter {
  readonly #setLimit: Script<Keys, Keys, SetLimitReply>;

  /** @param scripts as for `LockWriter` */
  constructor(scripts?: URL) {
    super("semaphore", scripts);
    this.#setLimit = this.loadVerb("redisson/semaphore/set-limit", parseSetLimitReply);
  }

  /** Sets the total number of permits, and creates the semaphore if it does not exist. */
  setLimit(redis: Commands, key: Key, limit: number): Promise<SetLimitReply> {
    return this.#setLimit.run(
      redis,
      [toRedisArgument(key), buildCompanionKey(key), buildPermitsKey(key), buildPlainPermitsKey(key)],
      [limit, buildSemaphoreChannel(key), formatShardedFlag(redis)],
    );
  }
}

export const PLAIN_SEMAPHORE_WRITER = new PlainSemaphoreWriter();
export const SEMAPHORE_WRITER = new ExpirableSemaphoreWriter();
