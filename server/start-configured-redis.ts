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
 * Returns the location of the home store: the configured location, or the location of the first target if no location
 * is configured. Returns `undefined` if the home store is the embedded Redis. This is the case if no location is
 * configured and the first target is the embedded Redis, a read-only target or a quorum.
 */
export function findHomeLocation({ home, targets: [first] }: Config): Config["home"] {
  if (home !== undefined) return home;
  const { where, policy } = first;
  const isFit =
    !policy.readOnly && (where === undefined || typeof where === "string" || !("quorum" in where));
  return isFit ? where : undefined;
}

interface RedisStartOptions {
  readonly onProgress: (line: string) => void;
  readonly log: Logger;
  /** Aborting this signal cancels the start. */
  readonly signal: AbortSignal;
}

/** Starts the embedded Redis with the configured binary, port and data directory. @throws StartupError */
export async function startConfiguredRedis(
  config: Config,
  { onProgress, log, signal }: RedisStartOptions,
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
    signal,
    onUnexpectedEnd: (line) => log.warn(line),
  });
}

/**
 * Finds the home store of the Lockkeeper instance that runs with the same settings, for command line tools.
 *
 * @throws StartupError if the home store is the embedded Redis and its password cannot be read, or if that Redis has
 * never been started
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
