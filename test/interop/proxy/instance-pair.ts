import { findFreePort, startTestRedis, type TestRedis } from "../../support/test-redis.ts";
import { ROOT_KEY } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import type { Tools } from "../prepared.ts";
import { type Instance, startInstance } from "./instance.ts";
import { startNginx } from "./nginx-server.ts";

/**
 * Maximum time in ms for which nginx skips an instance after a failed request. With `fail_timeout=1s`, it can be up to
 * two seconds, because nginx compares whole seconds. In this time, nginx responds with 502 if the other instance fails
 * as well.
 */
export const SKIPPED_AFTER_FAILURE_MS = 2100;

/** Two instances with one home store behind docs/nginx/two-instances.conf. */
export interface InstancePair {
  /** URL of the console through nginx, including the base path. */
  readonly url: string;
  readonly redis: TestRedis;
  /** Kills an instance with SIGKILL. */
  kill(which: 0 | 1): void;
  /** Stops an instance with SIGTERM and waits until it has exited. */
  stopInstance(which: 0 | 1): Promise<void>;
  /** Starts a stopped instance and waits until it is ready. */
  start(which: 0 | 1): Promise<void>;
  stop(): Promise<void>;
}

export async function startInstancePair({
  nginx: tool,
  consoleBelow,
}: Pick<Tools, "nginx" | "consoleBelow">): Promise<InstancePair> {
  const { dir, basePath } = consoleBelow;
  const redis = await startTestRedis();
  const stopRedis = addCleanUp(() => redis.stop());
  const ports = [await findFreePort(), await findFreePort()] as const;
  const startOne = (which: 0 | 1): Promise<Instance> =>
    startInstance(dir, {
      PORT: String(ports[which]),
      REDIS_URL: redis.url,
      LOCKKEEPER_ROOT_KEY: ROOT_KEY,
      LOCKKEEPER_BASE_PATH: basePath,
      LOCKKEEPER_TRUSTED_PROXIES: "127.0.0.1",
      LOCKKEEPER_DRAIN_MS: "1000",
      LOCKKEEPER_LOG: "error",
    });
  const instances = await Promise.all([startOne(0), startOne(1)]);
  const nginx = await startNginx(tool, "two-instances", ports, basePath);
  return {
    url: nginx.url + basePath,
    redis,
    kill: (which) => instances[which].kill(),
    stopInstance: (which) => instances[which].stop(),
    async start(which) {
      instances[which] = await startOne(which);
    },
    async stop() {
      await nginx.stop();
      for (const instance of instances) instance.kill();
      await stopRedis();
    },
  };
}
