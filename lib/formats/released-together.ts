import type { FormatName } from "../contract/format.ts";

/**
 * Formats whose locks can consist of several keys. A force-release releases all keys of such a lock. If only one key
 * were released, a `bsm-redislock` client could neither renew nor release the other keys, and a `rueidislock` client
 * would still hold the lock with a majority of the keys.
 */
export const RELEASED_TOGETHER: ReadonlySet<FormatName> = new Set(["bsm-redislock", "rueidislock"]);
