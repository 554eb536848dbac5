import type { Logger } from "pino";
import { type Config, getEmbeddedRedisDir } from "./config/config.ts";
import { formatStartCommand } from "./config/launcher-commands.ts";
import { StartupError } from "./errors/startup-error.ts";
import type { RedisLocation } from "./locks/backends/open-backend.ts";
import { readEmbeddedUrl } from "./redis/embedded/embedded-credentials.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import { findRedisServer } from "./redis/embedded/server-binary.ts";

/** Returns whether the embedded Redis is needed, as a target or as the home store. */
export function needsEmbeddedRedis(config: Config): boolean {
  return config.targets.some(({ where }) => where === undefined) || findHomeLocation(config) === undefined;
}

/**
 * Returns the location of the home store: the configured home store, or otherwise the first target, unless that target
 * is read-only or a quorum. Returns `undefined` for the embedded Redis.
 */
export function findHomeLocation({ home, targets: [first] }: Config): Config["home"] {
  if (home !== undefined) return home;
  const { where, policy } = first;
  const isFit =
    !policy.readOnly && (where === undefined || typeof where === "string" || !("quorum" in where));
  return isFit ? where : undefined;
}

/** Starts the embedded Redis. @throws StartupError with a one-line message */
export async function startConfiguredRedis(
  config: Config,
  { onProgress, log }: { onProgress: (line: string) => void; log: Logger },
): Promise<EmbeddedRedis> {
  const binary = await findRedisServer({
    explicitPath: config.redisServerBin,
    cacheDir: config.dataDir,
    onProgress,
  });
  return await startEmbeddedRedis({
    binary,
    dataDir: getEmbeddedRedisDir(config),
    preferredPort: config.embeddedRedisPort,
    onProgress,
    onUnexpectedEnd: (line) => log.warn(line),
  });
}

/**
 * Finds the home store of the Lockkeeper instance that runs with the same settings, for command line tools.
 *
 * @throws StartupError if the home store is the embedded Redis and its password cannot be read
 */
export async function locateHomeStore(config: Config): Promise<RedisLocation> {
  const location = findHomeLocation(config);
  if (location !== undefined) return location;
  const dir = getEmbeddedRedisDir(config);
  const url = await readEmbeddedUrl(dir, "lockkeeper").catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      `Could not read the password of the embedded Redis in ${dir} (${error.code}). Run this command as the account that runs Lockkeeper.`,
    );
  });
  if (url !== undefined) return url;
  throw new StartupError(`Lockkeeper has not been started here. Run \`${formatStartCommand(config)}\`.`);
}
