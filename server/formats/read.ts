import type { Redis } from "ioredis";
import type { Key } from "../../lib/contract/key.ts";
import type { Commands } from "../redis/commands.ts";
import { failureOf, isPassing } from "../redis/failure.ts";
import { Script } from "../redis/script.ts";
import { type Companion, companionOf, holderOf } from "./companion.ts";
import { type Pair, pairOf } from "./keys.ts";
import type { HeldObservation, Observation } from "./observation.ts";
import { holdersOf as redissonHoldersOf } from "./redisson/holders.ts";
import { remainingOf } from "./reply.ts";
import { endOf, unitMsOf } from "./timestamp/deadline.ts";

/** A larger hash and a longer string are somebody's data and are not read. */
const FIELDS_MAX = 64;
const VALUE_BYTES_MAX = 1024;

const readScript = new Script<Pair, [number, number], (key: Key) => Observation>(
  new URL("read.lua", import.meta.url),
  (reply) => {
    return (key) => observationOf(key, reply as ReadReply);
  },
);

/** Looks at one key, of a cluster too. */
export async function readOne(redis: Commands, key: Key): Promise<Observation> {
  return (await readScript.run(redis, pairOf(key), [FIELDS_MAX, VALUE_BYTES_MAX]))(key);
}

/** Looks at many keys in one round trip. */
export async function read(redis: Redis, keys: readonly Key[]): Promise<Observation[]> {
  const replies = await readScript.readMany(
    redis,
    keys.map((key) => ({ keys: pairOf(key), arguments: [FIELDS_MAX, VALUE_BYTES_MAX] })),
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

type ReadReply = [
  now: string,
  type: string,
  remaining: string,
  size: number,
  content: string[],
  companion: string,
];

type Found = Pick<HeldObservation, "format" | "holders" | "remainingMs">;

function observationOf(key: Key, [now, type, remaining, size, content, companion]: ReadReply): Observation {
  const asOf = Number(now);
  if (type === "none") return { state: "free", key, asOf };
  const told = companionOf(companion);
  const remainingMs = remainingOf(Number(remaining));
  const found =
    type === "hash" && size === content.length / 2
      ? hashLockOf(content, told, remainingMs)
      : type === "string" && size <= VALUE_BYTES_MAX
        ? stringLockOf(content[0] ?? "", told, remainingMs, asOf)
        : undefined;
  if (found === undefined) return { state: "not_a_lock", key, asOf, type };
  if (found === "free") return { state: "free", key, asOf };
  return { state: "held", key, asOf, kind: "lock", confidence: "certain", ...found };
}

function hashLockOf(
  fields: readonly string[],
  told: Companion | undefined,
  remainingMs: number | null,
): Found | undefined {
  const [first, ...rest] = redissonHoldersOf(fields, told?.format === "redisson" ? told : undefined);
  return first && { format: "redisson", holders: [first, ...rest], remainingMs };
}

/** A string is a lock for certain only while our companion tells of it: anything else may be somebody's data. */
function stringLockOf(
  value: string,
  told: Companion | undefined,
  remainingMs: number | null,
  asOf: number,
): Found | "free" | undefined {
  if (told === undefined || told.format === "redisson" || told.value !== value) return undefined;
  const { format } = told;
  const holder = holderOf(told.owner, told.count, told);
  if (format === "token") return { format, holders: [holder], remainingMs };
  const unitMs = unitMsOf(value) ?? 0;
  const leftMs = (endOf(value) ?? 0) - asOf;
  if (leftMs <= 0) return "free";
  return { format, holders: [{ ...holder, marginMs: holder.marginMs + 2 * unitMs }], remainingMs: leftMs };
}
