import type { Redis } from "ioredis";
import type { SemaphoreKind } from "../../lib/contract/format.ts";
import { buildPlainPermitsKey } from "../../server/formats/keys.ts";
import { buildPermitsKey } from "../../server/formats/redisson/redisson-keys.ts";

const PERMITS_KEYS = { semaphore: buildPermitsKey, plain_semaphore: buildPlainPermitsKey } as const;

/**
 * Reads the number of available permits and the acquired permits of a semaphore in Redis. For a plain semaphore, only
 * the permits of Lockkeeper's holds are stored.
 */
export async function readSemaphore(redis: Redis, key: string, kind: SemaphoreKind = "semaphore") {
  return { available: await redis.get(key), acquired: await redis.zcard(String(PERMITS_KEYS[kind](key))) };
}
