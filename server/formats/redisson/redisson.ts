import type { Redis } from "ioredis";
import type { Key } from "../../../lib/contract/key.ts";
import { OwnerRecord } from "../../../lib/contract/lock.ts";
import { failureOf, isPassing } from "../../redis/failure.ts";
import { type RedisArgument, Script } from "../../redis/script.ts";
import { argumentOf, companionKeyOf, fencedCounterKeyOf, waitersKeyOf, wakeChannelOf } from "../keys.ts";
import type { Observation, SeenHolder } from "../observation.ts";

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

export interface Granted {
  readonly outcome: "granted";
  readonly asOf: number;
  readonly count: number;
  readonly fence: string | null;
  readonly remainingMs: number;
}

export type Refused =
  | { readonly outcome: "request_id_reused" }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "not_a_lock"; readonly type: string };

/** Who holds the lock instead. */
export interface Elsewhere {
  readonly asOf: number;
  readonly remainingMs: number | null;
  readonly holders: readonly SeenHolder[];
}

export type AcquireReply =
  | Granted
  | Refused
  | ({ outcome: "held" } & Elsewhere)
  | { outcome: "lost"; asOf: number }
  | { outcome: "queue_full"; waiting: number };
export type RenewReply = Granted | Refused | ({ outcome: "lost" } & Elsewhere);
export type ReleaseReply =
  | Refused
  | { outcome: "released"; asOf: number; count: number }
  | { outcome: "not_held"; asOf: number };
export type ForceReleaseReply =
  | { outcome: "released" | "gone" | "changed"; asOf: number }
  | { outcome: "not_a_lock"; type: string };

type Two = [RedisArgument, RedisArgument];
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

const renewScript = new Script<Two, RedisArgument[], RenewReply>(file("renew.lua"), (reply) => {
  const words = wordsOf(reply);
  if (words[0] === "granted") return grantOf(words);
  if (words[0] === "lost") return { outcome: "lost", ...elsewhereOf(words) };
  return refusalOf(words);
});

const releaseScript = new Script<Two, RedisArgument[], ReleaseReply>(file("release.lua"), (reply) => {
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

const forceReleaseScript = new Script<Two, RedisArgument[], ForceReleaseReply>(
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

const readScript = new Script<Two, [], (key: Key) => Observation>(file("read.lua"), (reply) => {
  return (key) => observationOf(key, reply as ReadReply);
});

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

/** Looks at many keys in one round trip. */
export async function read(redis: Redis, keys: readonly Key[]): Promise<Observation[]> {
  const replies = await readScript.readMany(
    redis,
    keys.map((key) => ({ keys: pairOf(key), arguments: [] })),
  );
  return keys.map((key, index) => {
    const observe = replies[index];
    if (observe === undefined) throw new Error("read.lua gave fewer replies than keys");
    if (typeof observe === "function") return observe(key);
    // One key that cannot be read must not hide the others; what passes by itself is tried again with all.
    if (failureOf(observe) !== "fault" && isPassing(observe)) throw observe;
    return { state: "unreadable", key, why: observe.message };
  });
}

function pairOf(key: Key): Two {
  return [argumentOf(key), companionKeyOf(key)];
}

type ReadReply = [string, string, string, number, string[], string, string, string, string, string, string];

function observationOf(key: Key, reply: ReadReply): Observation {
  const [now, type, remaining, size, fields, owner, fence, since, lease, record, seq] = reply;
  const asOf = Number(now);
  if (type === "none") return { state: "free", key, asOf };
  const told = { owner, fence, since, lease, record, seq };
  const [first, ...rest] = size === fields.length / 2 ? holdersOf(fields, told) : [];
  if (first === undefined) return { state: "not_a_lock", key, asOf, type };
  return {
    state: "held",
    key,
    asOf,
    format: "redisson",
    kind: "lock",
    confidence: "certain",
    holders: [first, ...rest],
    remainingMs: remainingOf(Number(remaining)),
  };
}

interface Told {
  owner: string;
  fence: string;
  since: string;
  lease?: string;
  record: string;
  seq?: string;
}

/** As in shape.lua: what is a lock goes to every open page. */
const OWNER_BYTES_MAX = 1024;
const REDISSON_OWNER = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:\d+$/i;

/** Empty when the hash is not a lock of this kind: a read/write lock has a `mode`, somebody's data other fields. */
function holdersOf(fields: readonly string[], told: Told): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const owner = fields[at] ?? "";
    const count = fields[at + 1] ?? "";
    const ours = owner === told.owner && told.owner !== "";
    const isOwner = ours || (owner.length <= OWNER_BYTES_MAX && REDISSON_OWNER.test(owner));
    if (!/^[1-9]\d{0,14}$/.test(count) || !isOwner) return [];
    holders.push(holderOf(owner, Number(count), ours ? told : undefined));
  }
  return holders;
}

function holderOf(owner: string, count: number, told: Told | undefined): SeenHolder {
  return {
    owner,
    count,
    fence: told !== undefined && /^\d{1,16}$/.test(told.fence) ? told.fence : null,
    sinceMs: wholeOf(told?.since),
    leaseMs: wholeOf(told?.lease),
    record: recordOf(told?.record),
    seq: wholeOf(told?.seq) ?? 0,
  };
}

function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

function recordOf(json: string | undefined): OwnerRecord | undefined {
  if (!json) return undefined;
  try {
    return OwnerRecord.parse(JSON.parse(json));
  } catch {
    // Anyone can write to Redis; a record that is not one is no record.
    return undefined;
  }
}

function grantOf([, asOf, count, fence, remaining]: readonly string[]): Granted {
  return {
    outcome: "granted",
    asOf: Number(asOf),
    count: Number(count),
    fence: fence || null,
    remainingMs: Number(remaining),
  };
}

function elsewhereOf([
  ,
  asOf,
  remaining,
  owner = "",
  fence = "",
  since = "",
  record = "",
  ...fields
]: readonly string[]) {
  const told = { owner, fence, since, record };
  return {
    asOf: Number(asOf),
    remainingMs: remainingOf(Number(remaining)),
    holders: everyHolderOf(fields, told),
  };
}

/** As `holdersOf`, but also of a read/write lock: who stands in the way is told whatever kind it is. */
function everyHolderOf(fields: readonly string[], told: Told): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const owner = fields[at] ?? "";
    if (owner === "mode") continue;
    holders.push(holderOf(owner, Number(fields[at + 1]), owner === told.owner ? told : undefined));
  }
  return holders;
}

function refusalOf(words: readonly string[]): Refused {
  if (words[0] === "request_id_reused" || words[0] === "unknown") return { outcome: words[0] };
  if (words[0] === "not_a_lock") return { outcome: "not_a_lock", type: words[1] ?? "" };
  throw new Error(`A script answered ${JSON.stringify(words[0])}`);
}

function remainingOf(milliseconds: number): number | null {
  return milliseconds < 0 ? null : milliseconds;
}

function wordsOf(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String);
  throw new Error(`A script answered ${typeof reply} where a list was expected`);
}
