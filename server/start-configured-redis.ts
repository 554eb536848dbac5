import { type Config, getEmbeddedRedisDir } from "./config/config.ts";
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
  onProgress: (line: string) => void,
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
  });
}
