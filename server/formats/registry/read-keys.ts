import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { classifyFailure, isTransient } from "../../redis/failure.ts";
import type { SlotRouting } from "../../redis/master.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { type FormatRules, NO_RULES } from "../format-rules.ts";
import { buildAuxiliaryKeys, buildLockKeyPair } from "../keys.ts";
import type { Observation, SeenWaiters } from "../observation.ts";
import {
  addAuxiliaryReplies,
  FIELDS_MAX,
  findUnreadSize,
  MEMBERS_MAX,
  parseRawReply,
  type RawReply,
  VALUE_BYTES_MAX,
} from "../raw-key.ts";
import { detectLock } from "./detect-lock.ts";
import { readDetails } from "./read-details.ts";

const LIMITS = [FIELDS_MAX, VALUE_BYTES_MAX, MEMBERS_MAX];
const readScript = new Script<RedisArgument[], number[], RawReply>(
  new URL("read.lua", import.meta.url),
  parseRawReply,
);

type FormatLookup = Pick<FormatRules, "findFormat">;

/** Looks at one key by the connection of our verbs, of a cluster too. */
export async function readKey(redis: Commands, key: Key): Promise<Observation> {
  return toObservation(key, await readScript.run(redis, buildLockKeyPair(key), LIMITS), NO_RULES);
}

/**
 * Looks at many keys in one round trip, and in a second one at what some formats keep elsewhere.
 *
 * @param routing what tells where keys are that are not at this Redis any more
 * @returns one for each key, but for those that turned out to be at another master: `spread` knows where by now
 */
export async function readKeys(
  redis: Redis,
  keys: readonly Key[],
  rules: FormatLookup = NO_RULES,
  routing?: SlotRouting,
): Promise<Observation[]> {
  const replies = await fetchReplies(redis, keys);
  const seen = keys.map(async (key, index): Promise<Observation | undefined> => {
    const reply = replies[index];
    if (reply === undefined) throw new Error("read.lua gave fewer replies than keys");
    if (!(reply instanceof Error)) return toObservation(key, reply, rules);
    const where = routing?.handleRedirect(key, reply);
    if (where === "moved") return undefined;
    if (routing !== undefined && where === "apart") {
      return toObservation(key, await readKeyIndividually(routing, key), rules);
    }
    // One key that cannot be read must not hide the others; what passes by itself is tried again with all.
    if (classifyFailure(reply) !== "fault" && isTransient(reply)) throw reply;
    return { state: "unreadable", key, why: reply.message };
  });
  const here = (await Promise.all(seen)).filter((observation) => observation !== undefined);
  return await readDetails(redis, here, routing);
}

/** A key as it stands in Redis, and what it was recognised as. */
export interface RawKeyReading {
  readonly reply: RawReply;
  readonly observation: Observation;
}

/** Looks at one key, and gives what was read besides what it means. @throws what Redis refuses it with */
export async function readRawKey(
  redis: Redis,
  key: Key,
  rules: FormatLookup,
  routing?: SlotRouting,
): Promise<RawKeyReading> {
  const [reply] =
    routing === undefined ? await fetchReplies(redis, [key]) : [await readKeyIndividually(routing, key)];
  if (reply === undefined) throw new Error("read.lua gave no reply");
  if (reply instanceof Error) throw reply;
  return { reply, observation: toObservation(key, reply, rules) };
}

/** Each key by itself, wherever it is: a slot on its way answers no script on several keys. */
async function readKeyIndividually(routing: SlotRouting, key: Key): Promise<RawReply> {
  const [, companion] = buildLockKeyPair(key);
  const [waiters = "", counter = "", queue = "", permits = ""] = buildAuxiliaryKeys(key);
  const ask = async (command: string, at: RedisArgument, ...more: RedisArgument[]) =>
    await routing.callBuffer(command, at, ...more).catch((error) => {
      if (error instanceof Error && /^(WRONGTYPE|NOPERM)/.test(error.message)) return undefined;
      throw error;
    });
  const reply = await readScript.run(routing.scripts, [toRedisArgument(key)], LIMITS);
  return addAuxiliaryReplies(reply, {
    companion: await ask("GETRANGE", companion, 0, 4095),
    waiting: await ask("ZCOUNT", waiters, reply.type === "read" ? reply.raw.asOf : reply.asOf, "+inf"),
    fence: await ask("GETRANGE", counter, 0, 31),
    queued: await ask("LLEN", queue),
    permits: await ask("ZRANGE", permits, 0, MEMBERS_MAX - 1, "WITHSCORES"),
  });
}

async function fetchReplies(redis: Redis, keys: readonly Key[]): Promise<(RawReply | Error)[]> {
  const calls = (which: readonly Key[], besides: (key: Key) => RedisArgument[]) =>
    which.map((key) => ({
      keys: [...buildLockKeyPair(key), ...besides(key)],
      arguments: LIMITS,
    }));
  const replies = await readScript.readMany(redis, calls(keys, buildAuxiliaryKeys));
  // A user who may see the locks alone does without what Redisson keeps beside them.
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
  if (type === "other") return { state: "not_a_lock", key, asOf: reply.asOf, type: reply.name };
  if (type === "none") {
    const { asOf, waiting, queued } = reply;
    const theirs = queued === 0 ? undefined : ({ count: queued, known: "exact" } as const);
    return { state: "free", key, asOf, ...mergeWaiters(waiting, theirs) };
  }
  const raw = { ...reply.raw, key };
  const { asOf } = raw;
  const found = detectLock(raw, rules.findFormat(key));
  if (found === undefined) {
    const unread = findUnreadSize(raw);
    return { state: "not_a_lock", key, asOf, type: raw.type, ...(unread === undefined ? {} : { unread }) };
  }
  const isEnded = found.remainingMs !== null && found.remainingMs <= 0;
  const state = isEnded ? "ended" : "held";
  return { ...found, state, key, asOf, type: raw.type, ...mergeWaiters(raw.waiting, found.waiters) };
}

/** Those who wait by our verbs stand beside those who wait by the library's own. */
function mergeWaiters(ours: number, theirs: SeenWaiters | undefined): { waiters?: SeenWaiters } {
  if (theirs?.count != null) return { waiters: { ...theirs, count: theirs.count + ours } };
  if (ours === 0) return theirs === undefined ? {} : { waiters: theirs };
  return { waiters: { count: ours, known: theirs?.known ?? "unknown" } };
}
