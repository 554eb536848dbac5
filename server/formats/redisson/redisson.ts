import type { Redis } from "ioredis";
import type { Key } from "../../../lib/contract/key.ts";
import type { OwnerRecord } from "../../../lib/contract/lock.ts";
import { type RedisArgument, Script } from "../../redis/script.ts";
import {
  argumentOf,
  companionKeyOf,
  fencedCounterKeyOf,
  type Pair,
  pairOf,
  waitersKeyOf,
  wakeChannelOf,
} from "../keys.ts";
import {
  type AcquireReply,
  elsewhereOf,
  type ForceReleaseReply,
  grantOf,
  type ReleaseReply,
  type RenewReply,
  refusalOf,
  remainingOf,
  wordsOf,
} from "./reply.ts";

/**
 * The format of Redisson's RLock: a hash at the lock's name, one field a holder, its value the re-entrancy
 * count. What Redisson does not keep stands in a companion hash of the same slot.
 */

export interface Request {
  /** 1 to 128 visible ASCII characters; the same id is carried out once. */
  readonly id: string;
  /** Tells two different requests with one id apart. */
  readonly digest: string;
  /** How long ago it was sent first; undefined on the first try. */
  readonly retryMs?: number | undefined;
}

type Four = [RedisArgument, RedisArgument, RedisArgument, RedisArgument];

const file = (name: string) => new URL(name, import.meta.url);

const acquireScript = new Script<Four, RedisArgument[], AcquireReply>(file("acquire.lua"), (reply) => {
  const words = wordsOf(reply);
  const [outcome] = words;
  if (outcome === "granted") return grantOf(words);
  if (outcome === "held") return { outcome, ...elsewhereOf(words) };
  if (outcome === "lost") return { outcome, asOf: Number(words[1]) };
  if (outcome === "queue_full") return { outcome, waiting: Number(words[2]) };
  return refusalOf(words);
});

const renewScript = new Script<Pair, RedisArgument[], RenewReply>(file("renew.lua"), (reply) => {
  const words = wordsOf(reply);
  if (words[0] === "granted") return grantOf(words);
  if (words[0] === "lost") return { outcome: "lost", ...elsewhereOf(words) };
  return refusalOf(words);
});

const releaseScript = new Script<Pair, RedisArgument[], ReleaseReply>(file("release.lua"), (reply) => {
  const words = wordsOf(reply);
  const asOf = Number(words[1]);
  if (words[0] === "released") return { outcome: "released", asOf, count: Number(words[2]) };
  if (words[0] === "not_held") return { outcome: "not_held", asOf };
  return refusalOf(words);
});

const renewManyScript = new Script<RedisArgument[], RedisArgument[], (number | null)[]>(
  file("renew-many.lua"),
  (reply) =>
    wordsOf(reply)
      .slice(1)
      .map((word) => remainingOf(Number(word))),
);

const stopWaitingScript = new Script<[RedisArgument], RedisArgument[], void>(
  file("stop-waiting.lua"),
  () => undefined,
);

const forceReleaseScript = new Script<Pair, RedisArgument[], ForceReleaseReply>(
  file("force-release.lua"),
  (reply) => {
    const words = wordsOf(reply);
    const [outcome] = words;
    if (outcome === "not_a_lock") return { outcome, type: words[1] ?? "" };
    if (outcome === "released" || outcome === "gone" || outcome === "changed")
      return { outcome, asOf: Number(words[1]) };
    throw new Error(`force-release.lua answered ${JSON.stringify(outcome)}`);
  },
);

/** A request that will wait when it is refused, so that it can be counted and shown. */
export interface Waiting {
  readonly waitMs: number;
  /** Since when, as the first refusal told (its `asOf`); undefined at first. */
  readonly sinceMs: number | undefined;
  /** How many may wait for one key. */
  readonly waitersMax: number;
}

export interface AcquireRequest extends Request {
  readonly owner: string;
  readonly leaseMs: number;
  readonly reentrant: boolean;
  readonly record: OwnerRecord | undefined;
}

export function acquire(
  redis: Redis,
  channel: string,
  key: Key,
  ask: AcquireRequest,
  waiting?: Waiting,
): Promise<AcquireReply> {
  return acquireScript.run(
    redis,
    [argumentOf(key), companionKeyOf(key), fencedCounterKeyOf(key), waitersKeyOf(key)],
    [
      ask.owner,
      ask.leaseMs,
      ask.id,
      ask.digest,
      ask.reentrant ? "1" : "0",
      ask.record === undefined ? "" : JSON.stringify(ask.record),
      channel,
      argumentOf(key),
      waiting?.waitMs ?? "",
      waiting?.sinceMs ?? "",
      waiting?.waitersMax ?? "",
      ask.retryMs ?? "",
    ],
  );
}

export interface StoppedWaiting {
  readonly requestId: string;
  readonly sinceMs: number;
  readonly owner: string;
  /** How long its place is kept for the same request id; 0: not at all. */
  readonly keepMs: number;
}

export function stopWaiting(redis: Redis, channel: string, key: Key, waiter: StoppedWaiting): Promise<void> {
  return stopWaitingScript.run(
    redis,
    [waitersKeyOf(key)],
    [waiter.requestId, waiter.sinceMs, waiter.owner, waiter.keepMs, channel, argumentOf(key)],
  );
}

export interface RenewRequest extends Request {
  readonly owner: string;
  readonly leaseMs: number;
}

export function renew(redis: Redis, channel: string, key: Key, ask: RenewRequest): Promise<RenewReply> {
  return renewScript.run(redis, pairOf(key), [
    ask.owner,
    ask.leaseMs,
    ask.id,
    ask.digest,
    channel,
    argumentOf(key),
    ask.retryMs ?? "",
  ]);
}

export interface HeldByUs {
  readonly key: Key;
  readonly owner: string;
  readonly fence: string | null;
  readonly leaseMs: number;
}

/** Renews up to a hundred holds in one call. Gives what remains of each in ms, null where the hold is gone. */
export function renewMany(
  redis: Redis,
  channel: string,
  holds: readonly HeldByUs[],
): Promise<(number | null)[]> {
  return renewManyScript.run(
    redis,
    holds.flatMap(({ key }) => pairOf(key)),
    [
      channel,
      ...holds.flatMap(({ key, owner, fence, leaseMs }) => [owner, fence ?? "", leaseMs, argumentOf(key)]),
    ],
  );
}

export interface ReleaseRequest extends Request {
  readonly owner: string;
  /** Release only what this acquire took. */
  readonly acquiredBy?: string;
}

export function release(redis: Redis, channel: string, key: Key, ask: ReleaseRequest): Promise<ReleaseReply> {
  return releaseScript.run(redis, pairOf(key), [
    ask.owner,
    ask.id,
    ask.digest,
    ask.acquiredBy ?? "",
    wakeChannelOf(key),
    channel,
    argumentOf(key),
    ask.retryMs ?? "",
  ]);
}

export interface ForceReleaseRequest {
  readonly owner: string;
  readonly fence: string | null;
  readonly by: string;
  readonly reason: string;
}

export function forceRelease(
  redis: Redis,
  channel: string,
  key: Key,
  ask: ForceReleaseRequest,
): Promise<ForceReleaseReply> {
  const who = JSON.stringify({ by: ask.by, reason: ask.reason });
  return forceReleaseScript.run(redis, pairOf(key), [
    ask.owner,
    ask.fence ?? "",
    who,
    wakeChannelOf(key),
    channel,
    argumentOf(key),
  ]);
}
