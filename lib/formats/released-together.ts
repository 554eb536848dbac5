import type { FormatName } from "../contract/format.ts";

/**
 * Formats whose lock consists of several keys. A force-release releases all keys of the lock. If it released only one
 * key, the client could neither renew nor release the other keys, or would still hold a majority of the keys and
 * therefore the lock.
 */
export const RELEASED_TOGETHER: ReadonlySet<FormatName> = new Set(["bsm-redislock", "rueidislock"]);
