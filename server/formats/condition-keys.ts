import type { Key } from "../../lib/keys/key.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { buildColocatedKey, TARGET_PREFIX } from "./keys.ts";

const CONDITIONS = `${TARGET_PREFIX}conditions`;

/** Returns the name of the hash with one record for each condition waiter of a lock. */
export const buildConditionRecordsKey = (key: Key) => buildColocatedKey(`${CONDITIONS}:waiters`, key);

/** Builds the keys for a lock's conditions: the order, the records and the heartbeats of the waiters. */
export const buildConditionKeys = (key: Key): [RedisArgument, RedisArgument, RedisArgument] => [
  buildColocatedKey(CONDITIONS, key),
  buildConditionRecordsKey(key),
  buildConditionHeartbeatsKey(key),
];

const buildConditionHeartbeatsKey = (key: Key) => buildColocatedKey(`${CONDITIONS}:heartbeats`, key);

/** Builds the last two keys for a call to acquire.lua that restores a hold: the waiters' records and heartbeats. */
export const buildRestoreKeys = (key: Key): RedisArgument[] => [
  buildConditionRecordsKey(key),
  buildConditionHeartbeatsKey(key),
];

/** Returns the channel that notifies the clients waiting for a lock's conditions when they can re-acquire the lock. */
export const buildConditionChannel = (key: Key) => buildColocatedKey(CONDITIONS, key);
