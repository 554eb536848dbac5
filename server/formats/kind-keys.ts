import type { LockKind, WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { toRedisArgument } from "../redis/script.ts";
import {
  buildCompanionKey,
  buildHolderCompanionKey,
  buildLockKeyPair,
  buildReadWriteChannel,
  buildWakeChannel,
  buildWritersKey,
  type LockKeyPair,
} from "./keys.ts";

/** The suffix of a writer's token, which is its field in Redisson's read/write lock. */
export const WRITE_SUFFIX = ":write";

export function isReadWrite(kind: LockKind | undefined): kind is "read" | "write" {
  return kind === "read" || kind === "write";
}

/**
 * Returns the keys of a lock and of the companion of one hold. Each of several holds that share a lock has its own
 * companion.
 */
export function buildHoldKeyPair(kind: WritableKind, key: Key, token: string): LockKeyPair {
  return kind === "read"
    ? [toRedisArgument(key), buildHolderCompanionKey(key, token)]
    : buildLockKeyPair(key);
}

/** Returns the channel on which the waiters of a lock listen. */
export function buildKindWakeChannel(kind: WritableKind | undefined, key: Key): RedisArgument {
  return isReadWrite(kind) ? buildReadWriteChannel(key) : buildWakeChannel(key);
}

/** Returns the keys that acquire.lua needs for a read/write lock in addition to the first four. */
export function buildReadWriteKeys(key: Key): RedisArgument[] {
  return [buildWritersKey(key), buildCompanionKey(key)];
}

/** Returns the id of a waiter in the list of waiters. */
export function formatWaiterId(kind: WritableKind | undefined, requestId: string): string {
  // The role is part of the name, because no field of the list contains it. No request id ends with it.
  return kind === "write" ? `${requestId}~write` : requestId;
}
