import { packClient } from "./client-package.mjs";
import { packLockkeeper } from "./lockkeeper-package.mjs";
import { packRedisLibrary } from "./redis-package.mjs";

/**
 * The functions that pack the published npm packages, by the name of the package's folder in `packages`.
 *
 * @type {Record<string, () => Promise<import("./package-files.mjs").Packed>>}
 */
export const PACKAGES = { redis: packRedisLibrary, client: packClient, lockkeeper: packLockkeeper };
