import { expect, test } from "vitest";
import { startTestRedis } from "../test/support/test-redis.ts";
import { readConfig } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { ServerProcess } from "./server-process.ts";

const it = test
  .extend("redis", async ({}, { onCleanup }) => {
    const redis = await startTestRedis();
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("service", ({ redis }, { onCleanup }) => {
    const config = readConfig({ REDIS_URL: redis.url, PORT: "0", LOCKKEEPER_LOG: "silent" }, []);
    const service = new ServerProcess(config);
    onCleanup(() => service.stop());
    return service;
  });

it("startup fails with one line when the Redis user may not access Lockkeeper's own keys", async ({
  redis,
  service,
}) => {
  await redis.createClient().call("ACL", "SETUSER", "default", "resetkeys", "~lock:*");
  const error = await service
    .start({ hasTerminal: false, printLine: () => undefined })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/\{lockkeeper\}: \(NOPERM .*\)\. Check the permissions/);
});

it("startup fails with one line when Redis refuses writes", async ({ redis, service }) => {
  await redis.createClient().config("SET", "min-replicas-to-write", "1");
  const error = await service
    .start({ hasTerminal: false, printLine: () => undefined })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/refuses writes \(NOREPLICAS .*\)\. .* once Redis accepts writes\./);
});

it("startup fails with one line when one of Lockkeeper's own keys has the wrong type", async ({
  redis,
  service,
}) => {
  await redis.createClient().lpush("{lockkeeper}:home", "anything");
  const error = await service
    .start({ hasTerminal: false, printLine: () => undefined })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/WRONGTYPE/);
});

it("startup continues without a login link while the home store does not respond", async ({
  redis,
  service,
}) => {
  try {
    const { runtime } = await service.start({ hasTerminal: false, printLine: () => undefined });
    redis.freeze();
    expect(await runtime.createLoginLink()).toBeUndefined();
  } finally {
    redis.thaw();
  }
});
