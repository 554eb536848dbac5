import { bytesOfKey, isBinary, type Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { redissonNameOf, redissonSuffixOf } from "../keys.ts";

/** Whoever waits for a part of a read/write lock listens here. */
export const readWriteChannelOf = (key: Key) => redissonNameOf("redisson_rwlock", key);
export const semaphoreChannelOf = (key: Key) => redissonNameOf("redisson_sc", key);

/** In braces whatever the key has in it, unlike the others. */
export function latchChannelOf(key: Key): RedisArgument {
  const prefix = "redisson_countdownlatch__channel__{";
  if (!isBinary(key)) return `${prefix}${key}}`;
  return Buffer.concat([Buffer.from(prefix), bytesOfKey(key), Buffer.from("}")]);
}

/** Who waits for a fair lock in their order, and until when each is believed to be alive. */
export const fairQueueOf = (key: Key): [queue: RedisArgument, ends: RedisArgument] => [
  redissonNameOf("redisson_lock_queue", key),
  redissonNameOf("redisson_lock_timeout", key),
];

export const permitsKeyOf = (key: Key) => redissonSuffixOf(key, ":timeout");

/** The leases of one reader: each of its entries has one. */
export function readLeasesOf(key: Key, reader: string, count: number): RedisArgument[] {
  return Array.from({ length: count }, (_, at) =>
    redissonSuffixOf(key, `:${reader}:rwlock_timeout:${at + 1}`),
  );
}
