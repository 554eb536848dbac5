import type { Logger } from "pino";
import { type Config, getEmbeddedRedisDir } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import type { RedisLocation } from "./locks/backends/open-backend.ts";
import { readEmbeddedUrl } from "./redis/embedded/embedded-credentials.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import { findRedisServer } from "./redis/embedded/server-binary.ts";

/** Whether a Redis of our own is needed: as a target, or as the store of our own facts. */
export function needsEmbeddedRedis(config: Config): boolean {
  return config.targets.some(({ where }) => where === undefined) || findHomeLocation(config) === undefined;
}

/** Where our own facts are kept; undefined: in the embedded Redis. A target that is only read keeps none. */
export function findHomeLocation({ home, targets: [first] }: Config): Config["home"] {
  if (home !== undefined) return home;
  const { where, policy } = first;
  const isFit =
    !policy.readOnly && (where === undefined || typeof where === "string" || !("quorum" in where));
  return isFit ? where : undefined;
}

/** @throws StartupError in one line */
export async function startConfiguredRedis(
  config: Config,
  { onProgress, log }: { onProgress: (line: string) => void; log: Logger },
): Promise<EmbeddedRedis> {
  const binary = await findRedisServer({
    explicitPath: config.redisServerBin,
    cacheDir: config.cacheDir,
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
 * Where a command line tool finds the home store of the Lockkeeper that runs with the same settings.
 *
 * @throws StartupError if it keeps its facts in the embedded Redis, and that cannot be used from here
 */
export async function locateHomeStore(config: Config): Promise<RedisLocation> {
  const location = findHomeLocation(config);
  if (location !== undefined) return location;
  const dir = getEmbeddedRedisDir(config);
  const url = await readEmbeddedUrl(dir, "lockkeeper").catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      `The password of the embedded Redis in ${dir} cannot be read (${error.code}); run this as the account that runs Lockkeeper.`,
    );
  });
  if (url !== undefined) return url;
  throw new StartupError("Lockkeeper has not run here yet; start it with `npm start`.");
}
