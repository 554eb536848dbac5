import { encodeKey, isBinaryKey, type Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { buildRedissonKey, buildRedissonSuffixKey } from "../keys.ts";

export const buildSemaphoreChannel = (key: Key) => buildRedissonKey("redisson_sc", key);

/**
 * Returns the channel of a latch. Unlike other names in Redisson, the name of this channel has additional braces even
 * if the key contains braces.
 */
export function buildLatchChannel(key: Key): RedisArgument {
  const prefix = "redisson_countdownlatch__channel__{";
  if (!isBinaryKey(key)) return `${prefix}${key}}`;
  return Buffer.concat([Buffer.from(prefix), encodeKey(key), Buffer.from("}")]);
}

export const buildPermitsKey = (key: Key) => buildRedissonSuffixKey(key, ":timeout");

/** Builds the lease keys of one reader, one for each time that the reader has acquired the lock. */
export function buildReadLeaseKeys(key: Key, reader: string, count: number): RedisArgument[] {
  return Array.from({ length: count }, (_, at) =>
    buildRedissonSuffixKey(key, `:${reader}:rwlock_timeout:${at + 1}`),
  );
}
