import { createLoginToken } from "../../support/test-browser.ts";
import { findFreePort, startTestRedis } from "../../support/test-redis.ts";
import { ROOT_KEY, startTestServer } from "../../support/test-server.ts";
import { addCleanUp } from "../children.ts";
import { startInstance } from "../proxy/instance.ts";
import { startNginx } from "../proxy/nginx-server.ts";
import {
  proveAddress,
  proveKeys,
  proveLimits,
  provePages,
  proveStream,
  proveWaiting,
} from "../proxy/proofs.ts";
import type { Client, ClientContext } from "./client.ts";

const UNKNOWN_MAX = 3;
const SETTINGS = {
  LOCKKEEPER_TRUSTED_PROXIES: "127.0.0.1",
  LOCKKEEPER_RATE_LIMIT_UNAUTHENTICATED: `0.01/${UNKNOWN_MAX}`,
};

/** Tests the API behind docs/nginx/at-the-root.conf. */
const atTheRoot: Client = {
  name: "nginx at the root",
  needs: ["nginx"],
  async run({ tools, note }) {
    const server = await startTestServer({ environment: SETTINGS });
    const stop = addCleanUp(() => server.stop());
    const nginx = await startNginx(tools.nginx, "at-the-root", [Number(new URL(server.url).port)]);
    try {
      const seen = { url: nginx.url, redis: server.redis.createClient() };
      const keys = await proveKeys(seen);
      await proveWaiting(seen);
      const ms = await proveStream(seen);
      await proveLimits(seen);
      await proveAddress(seen, UNKNOWN_MAX);
      note(`${keys} keys under their own names, an event after ${ms.toFixed(0)} ms`);
    } finally {
      await nginx.stop();
      await stop();
    }
  },
};

/** Tests the API, the streams and the pages behind docs/nginx/below-a-path.conf. */
const belowAPath: Client = {
  name: "nginx below a path",
  needs: ["nginx", "consoleBelow"],
  async run(bench) {
    for (const adapter of ["node", "next"] as const) await proveBelow(bench, adapter);
  },
};

async function proveBelow({ tools, note }: ClientContext, adapter: "node" | "next"): Promise<void> {
  const redis = await startTestRedis();
  const stop = addCleanUp(() => redis.stop());
  const { basePath } = tools.consoleBelow;
  const port = await findFreePort();
  const lockkeeper = await startInstance(tools.consoleBelow.dir, {
    ...SETTINGS,
    PORT: String(port),
    REDIS_URL: redis.url,
    LOCKKEEPER_ROOT_KEY: ROOT_KEY,
    LOCKKEEPER_BASE_PATH: basePath,
    LOCKKEEPER_HTTP_ADAPTER: adapter,
  });
  const nginx = await startNginx(tools.nginx, "below-a-path", [port]);
  try {
    const seen = { url: nginx.url + basePath, redis: redis.createClient() };
    const keys = await proveKeys(seen);
    await proveWaiting(seen);
    const ms = await proveStream(seen);
    await proveLimits(seen);
    const loaded = await provePages(seen, await createLoginToken({ redis }, "mei", { "*": "admin" }));
    await proveAddress(seen, UNKNOWN_MAX);
    note(
      `${adapter} adapter: ${keys} keys, an event after ${ms.toFixed(0)} ms, a page with all ${loaded} files`,
    );
  } finally {
    await nginx.stop();
    lockkeeper.kill();
    await stop();
  }
}

export const nginxClients: readonly Client[] = [atTheRoot, belowAPath];
