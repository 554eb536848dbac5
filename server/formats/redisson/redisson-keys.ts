import { encodeKey, isBinaryKey, type Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { buildRedissonKey, buildRedissonSuffixKey } from "../keys.ts";

/** Whoever waits for a part of a read/write lock listens here. */
export const buildReadWriteChannel = (key: Key) => buildRedissonKey("redisson_rwlock", key);
export const buildSemaphoreChannel = (key: Key) => buildRedissonKey("redisson_sc", key);

/** In braces whatever the key has in it, unlike the others. */
export function buildLatchChannel(key: Key): RedisArgument {
  const prefix = "redisson_countdownlatch__channel__{";
  if (!isBinaryKey(key)) return `${prefix}${key}}`;
  return Buffer.concat([Buffer.from(prefix), encodeKey(key), Buffer.from("}")]);
}

/** Who waits for a fair lock in their order, and until when each is believed to be alive. */
export const buildFairQueueKeys = (key: Key): [queue: RedisArgument, ends: RedisArgument] => [
  buildRedissonKey("redisson_lock_queue", key),
  buildRedissonKey("redisson_lock_timeout", key),
];

export const buildPermitsKey = (key: Key) => buildRedissonSuffixKey(key, ":timeout");

/** The leases of one reader: each of its entries has one. */
export function buildReadLeaseKeys(key: Key, reader: string, count: number): RedisArgument[] {
  return Array.from({ length: count }, (_, at) =>
    buildRedissonSuffixKey(key, `:${reader}:rwlock_timeout:${at + 1}`),
  );
}
