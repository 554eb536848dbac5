import type { FormatName } from "../contract/format.ts";

/** Formats whose client can neither renew nor release what is left of a lock over several keys: all of them are freed. */
export const RELEASED_TOGETHER: ReadonlySet<FormatName> = new Set(["bsm-redislock"]);
