import type { FormatName } from "../contract/format.ts";

/**
 * Formats whose lock stands at several keys, all of which a force-release frees: their client can neither renew nor
 * release what is left, or keeps the lock by a majority of the keys.
 */
export const RELEASED_TOGETHER: ReadonlySet<FormatName> = new Set(["bsm-redislock", "rueidislock"]);
