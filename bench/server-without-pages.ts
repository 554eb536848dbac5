import { readConfig } from "../server/config.ts";
import { Front } from "../server/front.ts";
import { createLog } from "../server/log.ts";
import { Runtime } from "../server/runtime.ts";
import { openTargetRedis } from "../server/targets/target-redis.ts";

/** Our server in this process, without Next. Gives its port once the picture is whole. */
export async function serveWithoutPages(environment: Readonly<Record<string, string | undefined>>) {
  const config = readConfig({ ...environment, LOCKKEEPER_LOG: "error" }, []);
  const front = new Front(config);
  const port = await front.listen();
  const redis = await openTargetRedis(config, () => undefined);
  const runtime = await Runtime.start(config, redis, () => port, createLog(config));
  front.serve(runtime);
  while (!runtime.readiness.ready) await new Promise((resolve) => setTimeout(resolve, 10));
  return port;
}
