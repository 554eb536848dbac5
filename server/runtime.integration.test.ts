import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../test/support/test-redis.ts";
import { readConfig } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { Service } from "./server-process.ts";

let redis: TestRedis;
beforeEach(async () => {
  redis = await startTestRedis();
});
afterEach(async () => await redis.stop());

async function start(): Promise<unknown> {
  const service = new Service(readConfig({ REDIS_URL: redis.url, PORT: "0", LOCKKEEPER_LOG: "silent" }, []));
  try {
    return await service.start(() => undefined);
  } catch (error) {
    return error;
  } finally {
    await service.stop();
  }
}

it("startup fails with one line when the Redis user may not access Lockkeeper's own keys", async () => {
  await redis.client().call("ACL", "SETUSER", "default", "resetkeys", "~lock:*");
  const error = await start();
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/\{lockkeeper\}: \(NOPERM .*\)\.$/);
});

it("startup fails with one line when one of Lockkeeper's own keys has the wrong type", async () => {
  await redis.client().lpush("{lockkeeper}:home", "anything");
  const error = await start();
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/WRONGTYPE/);
});

it("startup continues without a login link while the home store does not respond", async () => {
  const service = new Service(readConfig({ REDIS_URL: redis.url, PORT: "0", LOCKKEEPER_LOG: "silent" }, []));
  try {
    const { runtime } = await service.start(() => undefined);
    redis.freeze();
    expect(await runtime.makeLink()).toBeUndefined();
  } finally {
    redis.thaw();
    await service.stop();
  }
});
