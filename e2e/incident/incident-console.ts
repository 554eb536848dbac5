import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort, startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { type Console, startConsole } from "../console.ts";
import { fillSettings, startIncident } from "./incident-workload.ts";

export interface IncidentConsole {
  lockkeeper: Console;
  redis: TestRedis;
  stop(): Promise<void>;
}

/** A production target, one that nobody uses yet, and one that is not there. */
export async function startIncidentConsole(): Promise<IncidentConsole> {
  const redis = await startTestRedis();
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-incident-"));
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
  const incident = await startIncident(lockkeeper, redis.createClient());
  return {
    lockkeeper,
    redis,
    async stop() {
      const ended = incident.end();
      await lockkeeper.stop();
      await ended;
      await redis.stop();
      await rm(dir, { recursive: true });
    },
  };
}
