import { fileURLToPath } from "node:url";
import { StartupError } from "../server/errors/startup-error.ts";
import { findRedisServer } from "../server/redis/embedded/server-binary.ts";

// Finds or downloads a Redis server, so that test files that run concurrently do not do so at the same time.
try {
  const explicitPath = process.env.REDIS_SERVER_BIN;
  const { version, path } = await findRedisServer({
    cacheDir: fileURLToPath(new URL("../.cache", import.meta.url)),
    ...(explicitPath ? { explicitPath } : {}),
    onProgress: (line) => console.log(line),
  });
  console.log(`Redis server ${version} (${path})`);
} catch (error) {
  if (!(error instanceof StartupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
