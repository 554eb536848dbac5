import type { Config } from "../config.ts";
import { embeddedRedisDir } from "../config.ts";
import { checkServer, type ServerFacts } from "../redis/check.ts";
import { addressOf, type RedisAddress } from "../redis/connect.ts";
import { type EmbeddedRedis, startEmbeddedRedis } from "../redis/embedded.ts";
import { findRedisServer } from "../redis/server-binary.ts";

/** The Redis that holds the locks of a target. */
export interface TargetRedis {
  readonly address: RedisAddress;
  readonly server: ServerFacts;
  /** Present when it is ours to start and stop. */
  readonly embedded: EmbeddedRedis | undefined;
}

/** @throws StartupError in one line */
export async function openTargetRedis(
  config: Config,
  onProgress: (line: string) => void,
): Promise<TargetRedis> {
  if (config.redisUrl !== undefined) {
    const address = addressOf(config.redisUrl);
    return { address, server: await checkServer(address), embedded: undefined };
  }
  const binary = await findRedisServer({
    explicitPath: config.redisServerBin,
    cacheDir: config.cacheDir,
    onProgress,
  });
  const embedded = await startEmbeddedRedis({
    binary,
    dataDir: embeddedRedisDir(config),
    preferredPort: config.embeddedRedisPort,
    onProgress,
  });
  try {
    const address = addressOf(embedded.url);
    return { address, server: await checkServer(address), embedded };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}
