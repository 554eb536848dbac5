import type { FormatName } from "../contract/format.ts";

/**
 * Formats whose lock consists of several keys. A force-release releases all of them, because otherwise the client
 * could neither renew nor release the rest, or would keep the lock by a majority of the keys.
 */
export const RELEASED_TOGETHER: ReadonlySet<FormatName> = new Set(["bsm-redislock", "rueidislock"]);
