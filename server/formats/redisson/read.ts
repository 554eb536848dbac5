import type { Redis } from "ioredis";
import type { Key } from "../../../lib/contract/key.ts";
import { failureOf, isPassing } from "../../redis/failure.ts";
import { Script } from "../../redis/script.ts";
import { type Pair, pairOf } from "../keys.ts";
import type { Observation, SeenHolder } from "../observation.ts";
import { holderOf, remainingOf, type Told } from "./reply.ts";

const readScript = new Script<Pair, [], (key: Key) => Observation>(
  new URL("read.lua", import.meta.url),
  (reply) => {
    return (key) => observationOf(key, reply as ReadReply);
  },
);

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
