import { findFreePort, startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { type Console, startConsoleOnTargets } from "../console.ts";
import { fillSettings, startIncident } from "./incident-workload.ts";

export interface IncidentConsole {
  lockkeeper: Console;
  redis: TestRedis;
  stop(): Promise<void>;
}

/** Starts a console with a production target, a target without locks and an unreachable target. */
export async function startIncidentConsole(): Promise<IncidentConsole> {
  const redis = await startTestRedis();
  const runbooks = [{ pattern: "lock:orders:*", url: "https://wiki.example/runbooks/orders?lock={key}" }];
  const targets = [
    { name: "orders", label: "Orders", environment: "production", redis: redis.url, runbooks },
    { name: "staging", label: "Staging", environment: "staging", redis: `${redis.url}/1` },
    { name: "sandbox", label: "Sandbox", redis: `redis://127.0.0.1:${await findFreePort()}` },
  ];
  const lockkeeper = await startConsoleOnTargets(targets);
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
    },
  };
}
