import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort, startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { type Console, startConsole } from "../console.ts";
import { beginNight, fillSettings } from "./night.ts";

export interface NightConsole {
  lockkeeper: Console;
  redis: TestRedis;
  stop(): Promise<void>;
}

/** A production target, one that nobody uses yet, and one that is not there. */
export async function startNight(): Promise<NightConsole> {
  const redis = await startTestRedis();
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-night-"));
  const path = join(dir, "lockkeeper.config.json");
  const runbooks = [{ pattern: "lock:orders:*", url: "https://wiki.example/runbooks/orders?lock={key}" }];
  const targets = [
    { name: "orders", label: "Orders", environment: "production", redis: redis.url, runbooks },
    { name: "staging", label: "Staging", environment: "staging", redis: `${redis.url}/1` },
    { name: "sandbox", label: "Sandbox", redis: `redis://127.0.0.1:${await findFreePort()}` },
  ];
  await writeFile(path, JSON.stringify({ targets }));
  const lockkeeper = await startConsole({ REDIS_URL: "", LOCKKEEPER_RUNBOOKS: "", LOCKKEEPER_CONFIG: path });
  await fillSettings(lockkeeper);
  const night = await beginNight(lockkeeper, redis.createClient());
  return {
    lockkeeper,
    redis,
    async stop() {
      const ended = night.end();
      await lockkeeper.stop();
      await ended;
      await redis.stop();
      await rm(dir, { recursive: true });
    },
  };
}
