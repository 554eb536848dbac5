import type { Redis } from "ioredis";
import { getPermitsKey } from "../leftovers-of-kinds.ts";
import { type LockUnderTest, PERMIT_LIMIT } from "../locks-under-test.ts";
import type { Fault } from "./fault.ts";

const FILLER = Array.from({ length: 48 }, (_, n) => `chaos:filler:${n}`);
const FILLER_BYTES = 32 * 1024;
/** TTL of the filler keys in seconds. Longer than every lease, so that the policy `volatile-ttl` evicts locks first. */
const FILLER_S = 3600;
/**
 * Free memory in bytes at the start of the fault. Less than the filler needs, so that its last keys and every later
 * write evict data.
 */
const ROOM_BYTES = (FILLER.length / 2) * FILLER_BYTES;

const onServer = { on: "server", lasts: "a_while" } as const;

export const MEMORY_FAULTS: readonly Fault[] = [
  {
    ...onServer,
    name: "evict",
    loses: "data",
    async begin({ topology }, { target, chance }) {
      const redis = topology.getConnection(target);
      await limitMemory(
        redis,
        (await readUsedBytes(redis)) + ROOM_BYTES,
        chance < 0.5 ? "allkeys-lru" : "volatile-ttl",
      );
      const content = "x".repeat(FILLER_BYTES);
      for (const key of FILLER) await redis.set(key, content, "EX", FILLER_S).catch(ignoreIfFull);
    },
    async end({ topology, locks }, { target }) {
      const redis = topology.getConnection(target);
      await limitMemory(redis, 0, "noeviction");
      await redis.unlink(...FILLER);
      for (const lock of locks) await deleteUnlessWhole(redis, lock);
    },
  },
  {
    ...onServer,
    name: "full-memory",
    loses: "nothing",
    begin: ({ topology }, { target }) => limitMemory(topology.getConnection(target), 1, "noeviction"),
    end: ({ topology }, { target }) => limitMemory(topology.getConnection(target), 0, "noeviction"),
  },
];

/**
 * Deletes the number of available permits of a semaphore whose acquired permits were evicted. Otherwise, clients would
 * refuse a semaphore with expiring permits because the number contradicts its limit, and a plain semaphore would lose
 * permits. The next acquire creates the number again. Runs as one script, so that no client can acquire a permit
 * between the check and the deletion.
 */
async function deleteUnlessWhole(redis: Redis, lock: LockUnderTest): Promise<void> {
  const permitsKey = getPermitsKey(lock);
  if (permitsKey === undefined) return;
  const script = `local number = redis.call('GET', KEYS[1])
if number and tonumber(number) + redis.call('ZCARD', KEYS[2]) ~= tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end`;
  await redis.eval(script, 2, lock.key, permitsKey, PERMIT_LIMIT);
}

/**
 * Ignores the error of a server that has evicted all possible keys. Data without a TTL and connections also use memory
 * and cannot be evicted.
 */
function ignoreIfFull(error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith("OOM ")) throw error;
}

type Policy = "allkeys-lru" | "volatile-ttl" | "noeviction";

async function limitMemory(redis: Redis, bytes: number, policy: Policy): Promise<void> {
  await redis.config("SET", "maxmemory-policy", policy);
  await redis.config("SET", "maxmemory-samples", "32");
  await redis.config("SET", "maxmemory", String(bytes));
}

async function readUsedBytes(redis: Redis): Promise<number> {
  const used = /^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1];
  if (used === undefined) throw new Error("Redis does not say how much memory it uses");
  return Number(used);
}
