import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../test/support/test-redis.ts";
import { readConfig } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { ServerProcess } from "./server-process.ts";

let redis: TestRedis;
beforeEach(async () => {
  redis = await startTestRedis();
});
afterEach(async () => await redis.stop());

async function startRuntime(): Promise<unknown> {
  const service = new ServerProcess(
    readConfig({ REDIS_URL: redis.url, PORT: "0", LOCKKEEPER_LOG: "silent" }, []),
  );
  try {
    return await service.start(() => undefined);
  } catch (error) {
    return error;
  } finally {
    await service.stop();
  }
}

it("startup fails with one line when the Redis user may not access Lockkeeper's own keys", async () => {
  await redis.createClient().call("ACL", "SETUSER", "default", "resetkeys", "~lock:*");
  const error = await startRuntime();
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/\{lockkeeper\}: \(NOPERM .*\)\.$/);
});

it("startup fails with one line when one of Lockkeeper's own keys has the wrong type", async () => {
  await redis.createClient().lpush("{lockkeeper}:home", "anything");
  const error = await startRuntime();
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/WRONGTYPE/);
});

it("startup continues without a login link while the home store does not respond", async () => {
  const service = new ServerProcess(
    readConfig({ REDIS_URL: redis.url, PORT: "0", LOCKKEEPER_LOG: "silent" }, []),
  );
  try {
    const { runtime } = await service.start(() => undefined);
    redis.freeze();
    expect(await runtime.createLoginLink()).toBeUndefined();
  } finally {
    redis.thaw();
    await service.stop();
  }
});
