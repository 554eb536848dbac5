import type { TimestampUnit, WritableFormat } from "../../lib/contract/format.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../redis/commands.ts";
import { Script, toRedisArgument } from "../redis/script.ts";
import {
  buildCompanionKey,
  buildFencedCounterKey,
  buildLockKeyPair,
  buildWaitersKey,
  buildWakeChannel,
} from "./keys.ts";
import {
  type AcquireReply,
  type ExtendReply,
  type ForceReleaseReply,
  isAgreedReply,
  parseAcquireReply,
  parseExtendReply,
  parseForceReleaseReply,
  parseReleaseReply,
  parseRenewManyReply,
  parseRenewReply,
  type ReleaseReply,
  type RenewReply,
} from "./script-replies.ts";

export interface LockRequest {
  /** Who asks, by an id that stays. Only it renews, releases and enters again what it acquired; undefined: anybody. */
  readonly principal?: string | undefined;
  /** 1 to 128 visible ASCII characters; the same id is carried out once. */
  readonly id: string;
  /** Tells two different requests with one id apart. */
  readonly digest: string;
  /** How long ago it was sent first; undefined on the first try. */
  readonly retryMs?: number | undefined;
}

/** A request that will wait when it is refused, so that it can be counted and shown. */
export interface WaitRequest {
  readonly waitMs: number;
  /** Since when, as the first refusal told (its `asOf`); undefined at first. */
  readonly sinceMs: number | undefined;
  /** How many may wait for one key. */
  readonly waitersMax: number;
}

export interface AcquireRequest extends LockRequest {
  readonly owner: string;
  readonly leaseMs: number;
  readonly reentrant: boolean;
  readonly record: OwnerRecord | undefined;
  /** For how long the lock stays taken after a lease that ran out. */
  readonly graceMs: number;
  /** For how long the lock stays taken at least, also when it is released before. */
  readonly minHoldMs: number;
  /** What `timestamp` writes its deadline in. */
  readonly unit: TimestampUnit;
}

export interface RenewRequest extends LockRequest {
  readonly owner: string;
  readonly leaseMs: number;
}

/** Nobody may take the lock for a while; the reserved owner has it. */
export interface Reservation {
  readonly owner: string;
  readonly reservedMs: number;
}

export interface ReleaseRequest extends LockRequest {
  readonly owner: string;
  /** Take back what this acquire took, also should it arrive only later. */
  readonly acquiredBy?: string;
  /** End this very hold, whatever its count. */
  readonly fence?: string;
  readonly reservation?: Reservation | undefined;
}

export interface ForceReleaseRequest {
  readonly owner: string;
  readonly fence: string | null;
  readonly by: string;
  readonly reason: string;
  readonly reservation?: Reservation | undefined;
}

export interface ExtendRequest {
  readonly owner: Key;
  readonly fence: string | null;
  readonly leaseMs: number;
  readonly by: string;
  readonly reason: string;
}

export interface OwnHold {
  readonly key: Key;
  readonly owner: string;
  readonly fence: string | null;
  readonly leaseMs: number;
  readonly principal?: string | undefined;
}

export interface AgreedHold {
  readonly owner: string;
  /** The fence as the node gave it. */
  readonly from: string;
  readonly fence: string;
  readonly count: number;
}

/** As in companion.lua. */
const COMPANION_MS_MIN = 600_000;

type Keys = RedisArgument[];

/**
 * How a family of libraries writes a lock, and the verbs on it. A verb is one Lua file for all formats; what the key
 * holds, and what is done to it, is the format's `storage.lua`.
 */
export class LockWriter {
  readonly #acquire: Script<Keys, Keys, AcquireReply>;
  readonly #renew: Script<Keys, Keys, RenewReply>;
  readonly #renewMany: Script<Keys, Keys, (number | null | undefined)[]>;
  readonly #release: Script<Keys, Keys, ReleaseReply>;
  readonly #forceRelease: Script<Keys, Keys, ForceReleaseReply>;
  readonly #extend: Script<Keys, Keys, ExtendReply>;
  readonly #agree: Script<Keys, Keys, boolean>;

  constructor(readonly name: WritableFormat) {
    const folder = new URL(`${name}/`, import.meta.url);
    const script = <Reply>(verb: string, decode: (reply: unknown) => Reply) =>
      new Script<Keys, Keys, Reply>(new URL(`${verb}.lua`, import.meta.url), decode, folder);
    this.#acquire = script("acquire", parseAcquireReply);
    this.#renew = script("renew", parseRenewReply);
    this.#renewMany = script("renew-many", parseRenewManyReply);
    this.#release = script("release", parseReleaseReply);
    this.#forceRelease = script("force-release", parseForceReleaseReply);
    this.#extend = script("extend", parseExtendReply);
    this.#agree = script("agree", isAgreedReply);
  }

  acquire(
    redis: Commands,
    channel: string,
    key: Key,
    ask: AcquireRequest,
    waiting?: WaitRequest,
  ): Promise<AcquireReply> {
    const { owner, leaseMs, id, digest, reentrant } = ask;
    const keys = [toRedisArgument(key), buildCompanionKey(key), buildFencedCounterKey(key)];
    const request = [
      owner,
      leaseMs,
      id,
      digest,
      reentrant ? "1" : "0",
      formatRecordLine(ask),
      channel,
      leaseMs + Math.max(COMPANION_MS_MIN, 2 * leaseMs),
    ];
    if (hasFastPath(ask) && waiting === undefined) return this.#acquire.run(redis, keys, request);
    keys.push(buildWaitersKey(key));
    request.push(waiting?.waitMs ?? "", waiting?.sinceMs ?? "", waiting?.waitersMax ?? "");
    request.push(ask.retryMs ?? "", ask.graceMs, ask.minHoldMs, ask.unit);
    return this.#acquire.run(redis, keys, request);
  }

  renew(redis: Commands, channel: string, key: Key, ask: RenewRequest): Promise<RenewReply> {
    return this.#renew.run(redis, buildLockKeyPair(key), [
      ask.owner,
      ask.leaseMs,
      ask.id,
      ask.digest,
      channel,
      ask.retryMs ?? "",
      ask.principal ?? "",
    ]);
  }

  /**
   * Renews up to a hundred holds of one slot in one call. Gives what remains of each in ms, null where the hold is
   * gone, undefined where that cannot be told.
   */
  renewMany(
    redis: Commands,
    channel: string,
    holds: readonly OwnHold[],
  ): Promise<(number | null | undefined)[]> {
    return this.#renewMany.run(
      redis,
      holds.flatMap(({ key }) => buildLockKeyPair(key)),
      [channel, ...holds.flatMap(toRenewArguments)],
    );
  }

  release(redis: Commands, channel: string, key: Key, ask: ReleaseRequest): Promise<ReleaseReply> {
    const { owner, id, digest, principal, acquiredBy, fence, retryMs, reservation } = ask;
    const request = [owner, id, digest, buildWakeChannel(key), channel];
    const isPlainRelease = [acquiredBy, fence, retryMs, reservation].every((each) => each === undefined);
    const isWhole = !isPlainRelease || redis.publishesSharded;
    if (isWhole || principal !== undefined) request.push(principal ?? "");
    if (isWhole) {
      request.push(acquiredBy ?? "", retryMs ?? "", reservation?.reservedMs ?? "", reservation?.owner ?? "");
      request.push(redis.publishesSharded ? "1" : "", fence ?? "");
    }
    return this.#release.run(redis, buildLockKeyPair(key), request);
  }

  /** @param queue of Redisson's fair lock, whose head is woken and keeps its place */
  forceRelease(
    redis: Commands,
    channel: string,
    key: Key,
    ask: ForceReleaseRequest,
    queue: readonly RedisArgument[] = [],
  ): Promise<ForceReleaseReply> {
    return this.#forceRelease.run(
      redis,
      [...buildLockKeyPair(key), ...queue],
      [
        ask.owner,
        ask.fence ?? "",
        JSON.stringify({ by: ask.by, reason: ask.reason }),
        buildWakeChannel(key),
        channel,
        ask.reservation?.reservedMs ?? "",
        ask.reservation?.owner ?? "",
        redis.publishesSharded ? "1" : "",
      ],
    );
  }

  /** Also of a hold that was taken without us, where its end is its key's. */
  extend(redis: Commands, channel: string, key: Key, ask: ExtendRequest): Promise<ExtendReply> {
    const { owner, fence, leaseMs, by, reason } = ask;
    return this.#extend.run(redis, buildLockKeyPair(key), [
      toRedisArgument(owner),
      fence ?? "",
      leaseMs,
      JSON.stringify({ by, reason }),
      channel,
    ]);
  }

  /** Gives a hold what the majority of a quorum agreed on. false: that hold has ended. */
  agree(redis: Commands, key: Key, { owner, from, fence, count }: AgreedHold): Promise<boolean> {
    return this.#agree.run(redis, buildLockKeyPair(key), [owner, from, fence, count]);
  }
}

/** As companion.lua keeps them. */
function formatRecordLine({ record, principal }: AcquireRequest): string {
  const json = record === undefined ? "" : JSON.stringify(record);
  return principal === undefined ? json : `${json}\t${principal}`;
}

function toRenewArguments({ owner, fence, leaseMs, principal }: OwnHold): Keys {
  return [owner, fence ?? "", leaseMs, principal ?? ""];
}

/** What the scripts take for granted when the rest of their arguments is left out. */
function hasFastPath({ retryMs, graceMs, minHoldMs, unit }: AcquireRequest): boolean {
  return retryMs === undefined && graceMs === 0 && minHoldMs === 0 && unit === "ms";
}

/** Every format that is spoken, not only read. */
export const LOCK_WRITERS: Readonly<Record<WritableFormat, LockWriter>> = {
  redisson: new LockWriter("redisson"),
  token: new LockWriter("token"),
  timestamp: new LockWriter("timestamp"),
};
