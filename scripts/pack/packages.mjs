import { packClient } from "./client-package.mjs";
import { packLockkeeper } from "./lockkeeper-package.mjs";
import { packRedisLibrary } from "./redis-package.mjs";

/**
 * The packages that are published, by the name of their folder in `packages`.
 *
 * @type {Record<string, () => Promise<import("./package-files.mjs").Packed>>}
 */
export const PACKAGES = { redis: packRedisLibrary, client: packClient, lockkeeper: packLockkeeper };
