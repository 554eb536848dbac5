import type { Redis } from "ioredis";
import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { classifyFailure, isTimeout, isTransient, ReadTimeoutError } from "../../redis/failure.ts";
import type { SlotRouting } from "../../redis/master.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { type FormatRules, NO_RULES } from "../format-rules.ts";
import { buildAuxiliaryKeys, buildLockKeyPair, isOwnKey } from "../keys.ts";
import type { Observation, SeenWaiters } from "../observation.ts";
import type { ReadCommand } from "../queue-reader.ts";
import {
  addAuxiliaryReplies,
  COMPANION_BYTES_MAX,
  CONTENT_BYTES_MAX,
  FIELDS_MAX,
  findExcessSize,
  MEMBERS_MAX,
  parseRawReply,
  type RawKey,
  type RawReply,
  VALUE_BYTES_MAX,
} from "../raw-key.ts";
import { detectLock } from "./detect-lock.ts";
import { readDetails } from "./read-details.ts";
import { runReadCommands } from "./run-commands.ts";

/**
 * Maximum size in bytes of a key's content in the reply to the first script call. A second call reads larger content.
 * Replies to a batch of keys therefore stay small, regardless of what the keys contain.
 */
const FIRST_CONTENT_BYTES_MAX = 16 * 1024;
/**
 * Maximum total size in bytes of the content that the second calls of one round trip read. A single larger key is still
 * read.
 */
const SECOND_CALLS_BYTES_MAX = CONTENT_BYTES_MAX;

const buildLimits = (contentBytesMax: number) => [
  FIELDS_MAX,
  VALUE_BYTES_MAX,
  MEMBERS_MAX,
  contentBytesMax,
  COMPANION_BYTES_MAX,
];
const FIRST_LIMITS = buildLimits(FIRST_CONTENT_BYTES_MAX);
const LIMITS = buildLimits(CONTENT_BYTES_MAX);
const readScript = new Script<RedisArgument[], number[], RawReply>(
  new URL("read.lua", import.meta.url),
  parseRawReply,
);

const readManyScript = new Script<RedisArgument[], number[], (RawReply | Error)[]>(
  new URL("read-many.lua", import.meta.url),
  parseRawReplies,
);
/**
 * Number of keys per call. More keys would block Redis for longer. One call per key would cost more than reading the
 * keys.
 */
const CALL_KEYS = 16;

function parseRawReplies(replies: unknown): (RawReply | Error)[] {
  return (replies as unknown[]).map((reply) => (reply instanceof Error ? reply : parseRawReply(reply)));
}

/** Looks up the format rule for a key and, optionally, whether the API is allowed to acquire the key. */
export type FormatLookup = Pick<FormatRules, "findFormat"> & Partial<Pick<FormatRules, "findReach">>;

/** The lookup for keys that the verbs read, all of which the API may acquire. */
const LOCKABLE: FormatLookup = { findFormat: () => undefined, findReach: () => "lockable" };

/**
 * Reads one key over the connection for the verbs, which can be a cluster connection. Assumes that the API is allowed
 * to acquire the key. Uses no format rules and reads no additional format-specific data.
 */
export async function readKey(redis: Commands, key: Key): Promise<Observation> {
  return toObservation(key, await readScript.run(redis, buildLockKeyPair(key), LIMITS), LOCKABLE);
}

/**
 * Reads many keys, and then the additional data for some formats. Keys with small content are read in one round trip.
 *
 * @param routing locates keys that have moved to another master
 * @returns one observation per key. Keys that have moved are omitted, and `routing` records their new masters
 * @throws ReadTimeoutError if Redis does not reply in time; the error from Redis if it is transient
 */
export async function readKeys(
  redis: Redis,
  keys: readonly Key[],
  rules: FormatLookup = NO_RULES,
  routing?: SlotRouting,
): Promise<Observation[]> {
  const replies = await fetchReplies(redis, keys, routing === undefined ? "together" : "one_by_one");
  const seen = keys.map(async (key, index): Promise<Observation | undefined> => {
    const reply = replies[index];
    if (reply === undefined) throw new Error("read.lua returned fewer replies than keys");
    if (!(reply instanceof Error)) return toObservation(key, reply, rules);
    const where = routing?.handleRedirect(key, reply);
    if (where === "moved") return undefined;
    if (routing !== undefined && where === "apart") {
      return toObservation(key, await readKeyIndividually(redis, routing, key), rules);
    }
    // Replies arrive in order, so the first missing reply belongs to the call that Redis did not finish.
    if (isTimeout(reply))
      throw new ReadTimeoutError(routing === undefined ? listCallKeys(keys, index) : [key]);
    // One unreadable key must not hide other keys. After a transient error, the caller reads all keys again.
    if (classifyFailure(reply) !== "fault" && isTransient(reply)) throw reply;
    const reason = isForbidden(reply) ? "forbidden" : "error";
    return { state: "unreadable", key, reason, why: reply.message };
  });
  const here = (await Promise.all(seen)).filter((observation) => observation !== undefined);
  return await readDetails(redis, here, routing);
}

/** The content of a key, and the observation based on it. */
export interface RawKeyReading {
  readonly reply: RawReply;
  readonly observation: Observation;
}

/** Reads one key. Returns the reply from read.lua and the observation based on it. @throws any error from Redis */
export async function readRawKey(
  redis: Redis,
  key: Key,
  rules: FormatLookup,
  routing?: SlotRouting,
): Promise<RawKeyReading> {
  const [reply] =
    routing === undefined
      ? await fetchReplies(redis, [key], "one_by_one")
      : [await readKeyIndividually(redis, routing, key)];
  if (reply === undefined) throw new Error("read.lua gave no reply");
  if (reply instanceof Error) throw reply;
  return { reply, observation: toObservation(key, reply, rules) };
}

/** Reads one key from its current master. During a slot migration, Redis refuses scripts with several keys. */
async function readKeyIndividually(redis: Redis, routing: SlotRouting, key: Key): Promise<RawReply> {
  const [, companion] = buildLockKeyPair(key);
  const [waiters = "", counter = "", queue = "", permits = "", heartbeats = "", plainPermits = ""] =
    buildAuxiliaryKeys(key);
  const reply = await readScript.run(routing.scripts, [toRedisArgument(key)], LIMITS);
  const asOf = reply.type === "read" ? reply.raw.asOf : reply.asOf;
  const commands: ReadCommand[] = [
    ["GETRANGE", companion, 0, COMPANION_BYTES_MAX],
    ["ZCOUNT", waiters, asOf, "+inf"],
    ["GETRANGE", counter, 0, 31],
    ["LLEN", queue],
    ["ZRANGE", permits, 0, MEMBERS_MAX - 1],
    ["ZCARD", heartbeats],
    ["ZCOUNT", heartbeats, 0, asOf],
    ["ZRANGE", plainPermits, 0, MEMBERS_MAX - 1],
  ];
  const [stored, waiting, fence, queued, out, beats, dead, plain] = await runReadCommands(
    redis,
    commands,
    routing,
  );
  const isQueue = Number(queued) > 0;
  return addAuxiliaryReplies(reply, {
    companion: stored,
    waiting: isQueue ? Math.max(0, Number(waiting) - toCount(beats)) : waiting,
    fence,
    queued: isQueue ? Math.max(0, Number(queued) - toCount(dead)) : queued,
    permits: out,
    plainPermits: plain,
  });
}

const toCount = (answer: unknown) => Number(answer ?? 0) || 0;

/** How keys are grouped into calls. On a cluster, all keys of a call must be in one slot. */
type Grouping = "together" | "one_by_one";

async function fetchReplies(
  redis: Redis,
  keys: readonly Key[],
  grouping: Grouping,
): Promise<(RawReply | Error)[]> {
  const replies =
    grouping === "together" ? await fetchTogether(redis, keys) : await fetchWithin(redis, keys, FIRST_LIMITS);
  for (const group of groupLargeKeys(keys, replies)) {
    const larger = await fetchWithin(
      redis,
      group.map(({ key }) => key),
      LIMITS,
    );
    for (const [at, { index }] of group.entries())
      replies[index] = larger[at] ?? replies[index] ?? new Error();
  }
  return replies;
}

/** Returns the keys that are read in the same call as the key at `index`. */
function listCallKeys(keys: readonly Key[], index: number): readonly Key[] {
  const from = index - (index % CALL_KEYS);
  return keys.slice(from, from + CALL_KEYS);
}

async function fetchTogether(redis: Redis, keys: readonly Key[]): Promise<(RawReply | Error)[]> {
  const groups = Array.from({ length: Math.ceil(keys.length / CALL_KEYS) }, (_, n) =>
    keys.slice(n * CALL_KEYS, (n + 1) * CALL_KEYS),
  );
  const calls = groups.map((group) => ({
    keys: group.flatMap((key) => [...buildLockKeyPair(key), ...buildAuxiliaryKeys(key)]),
    arguments: FIRST_LIMITS,
  }));
  const replies = await readManyScript.readMany(redis, calls);
  const fetched = groups.map(async (group, n) => {
    const reply = replies[n];
    if (reply === undefined) throw new Error("read-many.lua returned fewer replies than calls");
    if (!(reply instanceof Error)) return reply;
    // Redis checks the permissions for all keys before it runs a call. A single key that the Redis user may not read
    // therefore fails the whole call.
    if (isForbidden(reply)) return await fetchWithin(redis, group, FIRST_LIMITS);
    return group.map(() => reply);
  });
  return (await Promise.all(fetched)).flat();
}

interface LargeKey {
  readonly key: Key;
  readonly index: number;
}

/** Groups the keys whose content the first call omitted. Limits the total size of each group. */
function groupLargeKeys(keys: readonly Key[], replies: readonly (RawReply | Error)[]): LargeKey[][] {
  const groups: LargeKey[][] = [];
  let left = 0;
  for (const [index, key] of keys.entries()) {
    const reply = replies[index];
    if (reply === undefined || reply instanceof Error || reply.type !== "read") continue;
    const { bytes } = reply.raw;
    if (bytes <= FIRST_CONTENT_BYTES_MAX || bytes > CONTENT_BYTES_MAX) continue;
    left -= bytes;
    if (left < 0) {
      groups.push([]);
      left = SECOND_CALLS_BYTES_MAX - bytes;
    }
    groups.at(-1)?.push({ key, index });
  }
  return groups;
}

async function fetchWithin(
  redis: Redis,
  keys: readonly Key[],
  limits: number[],
): Promise<(RawReply | Error)[]> {
  const calls = (which: readonly Key[], besides: (key: Key) => RedisArgument[]) =>
    which.map((key) => ({ keys: [...buildLockKeyPair(key), ...besides(key)], arguments: limits }));
  const replies = await readScript.readMany(redis, calls(keys, buildAuxiliaryKeys));
  // If the Redis user may read only the locks, they are read without Redisson's auxiliary keys.
  const refused = keys.filter((_, index) => isForbidden(replies[index]));
  if (refused.length === 0) return replies;
  const narrow = await readScript.readMany(
    redis,
    calls(refused, () => []),
  );
  return replies.map((reply) => (isForbidden(reply) ? (narrow.shift() ?? reply) : reply));
}

function isForbidden(reply: RawReply | Error | undefined): boolean {
  return reply instanceof Error && reply.message.includes("NOPERM");
}

function toObservation(key: Key, reply: RawReply, rules: FormatLookup): Observation {
  const { type } = reply;
  const asOf = type === "read" ? reply.raw.asOf : reply.asOf;
  if (isOwnKey(key)) return { state: "not_a_lock", key, asOf, type: "unknown" };
  if (type === "other") return { state: "not_a_lock", key, asOf, type: reply.name };
  if (type === "unmeasured") {
    return { state: "unreadable", key, reason: "forbidden", why: `${UNMEASURED} (a ${reply.name})` };
  }
  if (type === "none") {
    const { waiting, queued } = reply;
    const libraryWaiters = queued === 0 ? undefined : ({ count: queued, known: "exact" } as const);
    return { state: "free", key, asOf, ...mergeWaiters(waiting, libraryWaiters) };
  }
  const raw = { key, ...reply.raw };
  const unread = findExcessSize(raw);
  if (unread !== undefined) return { state: "not_a_lock", key, asOf, type: raw.type, unread };
  const rule = rules.findFormat(key);
  if (isIdleSemaphore(raw, rule))
    return { state: "free", key, asOf, ...mergeWaiters(raw.waiting, undefined) };
  const found = detectLock(raw, rule, rules.findReach?.(key));
  if (found === undefined) return { state: "not_a_lock", key, asOf, type: raw.type };
  const isEnded = found.remainingMs !== null && found.remainingMs <= 0;
  const state = isEnded ? "ended" : "held";
  return { state, key, asOf, type: raw.type, ...found, ...mergeWaiters(raw.waiting, found.waiters) };
}

/**
 * Whether the key is a semaphore of which no permits are known to be acquired. Without this check, the number in the
 * key would look like an owner. Redisson clients may have permits of a plain semaphore, so a plain semaphore is still
 * shown if a format rule matches its key.
 */
function isIdleSemaphore({ namedKind, permits, content }: RawKey, rule: FormatName | undefined): boolean {
  if (namedKind === undefined || namedKind === "latch" || permits.length > 0) return false;
  if (namedKind === "plain_semaphore" && rule !== undefined) return false;
  return /^-?\d{1,9}$/.test(String(content[0] ?? ""));
}

/** The reason that is reported if a hash, set or sorted set of unknown size is not read. */
const UNMEASURED = "the Redis user may not run MEMORY USAGE; grant +memory|usage";

/** Adds the number of waiters of Lockkeeper's verbs to the waiters of the library. */
function mergeWaiters(ownCount: number, libraryWaiters: SeenWaiters | undefined): { waiters?: SeenWaiters } {
  if (libraryWaiters?.count != null)
    return { waiters: { ...libraryWaiters, count: libraryWaiters.count + ownCount } };
  if (ownCount === 0) return libraryWaiters === undefined ? {} : { waiters: libraryWaiters };
  return { waiters: { count: ownCount, known: libraryWaiters?.known ?? "unknown" } };
}
