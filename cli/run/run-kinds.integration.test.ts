import { expect } from "vitest";
import { LockClient } from "../../server/locks/client/lock-client.ts";
import { startRun } from "../../test/run/run-process.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { ROOT_KEY, startTestServer } from "../../test/support/test-server.ts";

const it = redisTest()
  .extend("client", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const client = await LockClient.open(redis.url);
    onCleanup(() => client.close());
    return client;
  })
  .extend("server", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const server = await startTestServer({ environment: { REDIS_URL: redis.url } });
    onCleanup(() => server.stop());
    return server;
  });

it("acquires permits of a plain semaphore, with a server and with a Redis", async ({
  direct,
  redis,
  server,
  key,
}) => {
  await direct.set(key, "2");
  const viaServer = { REDIS_URL: undefined, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY };
  const viaRedis = { REDIS_URL: redis.url, LOCKKEEPER_URL: undefined };
  const start = (environment: Record<string, string | undefined>, ...words: string[]) =>
    startRun([key, "--kind", "plain_semaphore", ...words, "--", "echo", "started"], environment).ended;
  const [one, two, ...refused] = [
    await start(viaServer),
    await start(viaRedis, "--permits", "2/9"),
    await start(viaServer, "--permits", "3/9"),
    await start(viaRedis, "--permits", "3/9"),
  ];
  for (const run of [one, two]) expect(run).toMatchObject({ code: 0, stdout: "started\n" });
  for (const { code, stderr } of refused) {
    expect(code).toBe(120);
    expect(stderr).toMatch(/^lockkeeper: \S+ has 2 permits available\.\n$/);
  }
  expect(await direct.get(key)).toBe("2");
}, 60_000);

it("shares a lock and the permits of a semaphore, with a server and with a Redis", async ({
  client,
  redis,
  server,
  key,
}) => {
  const semaphore = `${key}:semaphore`;
  const holds = [
    await client.acquire(key, { kind: "read" }),
    await client.acquire(semaphore, { kind: "semaphore", permits: 2, limit: 4 }),
  ];
  const viaServer = { REDIS_URL: undefined, LOCKKEEPER_URL: server.url, LOCKKEEPER_API_KEY: ROOT_KEY };
  const viaRedis = { REDIS_URL: redis.url, LOCKKEEPER_URL: undefined };
  const start = (environment: Record<string, string | undefined>, ...words: string[]) =>
    startRun([...words, "--", "echo", "started"], environment).ended;
  const [reading, fitting, ...refused] = await Promise.all([
    start(viaServer, key, "--shared"),
    start(viaRedis, semaphore, "--permits", "2/4"),
    start(viaServer, semaphore, "--permits", "3/4"),
    start(viaRedis, semaphore, "--permits", "3/4"),
  ]);
  for (const run of [reading, fitting]) expect(run).toMatchObject({ code: 0, stdout: "started\n" });
  for (const { code, stderr } of refused) {
    expect(code).toBe(120);
    expect(stderr).toMatch(/^lockkeeper: \S+:semaphore has [02] of 4 permits available\.\n$/);
  }
  for (const hold of holds) await hold.release();
}, 60_000);
