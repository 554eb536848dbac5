import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort, startTestRedis, type TestRedis, testBinary } from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, until } from "../../test/support/test-server.ts";

/** The promise to whoever ends the process. */
const STOP_MS = 2000;

describe("a server whose Redis hangs", () => {
  it("starts, works on the other target and ends in time, with one frozen before and one after the start", async () => {
    const [before, after] = await Promise.all([startTestRedis(), startTestRedis()]);
    onTestFinished(async () => {
      for (const redis of [before, after]) redis.thaw();
      await Promise.all([before.stop(), after.stop()]);
    });
    before.freeze();
    const startedAt = performance.now();
    const server = await startTestServer({
      environment: { LOCKKEEPER_LOG: "silent" },
      file: (url) => ({
        targets: [
          { name: "main", redis: url },
          { name: "before", redis: before.url },
          { name: "after", redis: after.url },
        ],
      }),
    });
    let isStopped = false;
    onTestFinished(async () => (isStopped ? undefined : await server.stop()));
    expect(performance.now() - startedAt).toBeLessThan(4000);
    await until(async () => (await server.call("/locks?target=after")).status === 200);
    after.freeze();
    const asked = performance.now();
    expect((await server.call("/locks/lock%3Aa/acquire", { body: { owner: "me" } })).status).toBe(200);
    expect((await server.call("/locks?target=before")).status).toBe(503);
    expect(performance.now() - asked).toBeLessThan(1000);
    const waiting = server.call("/locks/lock%3Aa/acquire?target=after", { body: { owner: "me" } });
    const stoppedAt = performance.now();
    isStopped = true;
    await Promise.all([server.stop(), waiting.catch(() => undefined)]);
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS);
  });
});

describe("a home store that is away at the start", () => {
  let home: TestRedis;
  let server: TestServer;

  beforeAll(async () => {
    home = await startTestRedis();
    await home.kill();
    server = await startTestServer({
      waitFor: "nothing",
      environment: { LOCKKEEPER_HOME_URL: home.url, LOCKKEEPER_LOG: "silent", LOCKKEEPER_ROOT_KEY: "" },
    });
  });
  afterAll(async () => {
    await server.stop();
    await home.stop();
  });

  it("keeps no target from being looked at, and is used as soon as it is there", async () => {
    const withKey = (key: string) => server.call("/locks", { headers: { authorization: `Bearer ${key}` } });
    expect(server.runtime.readiness).toEqual({ ready: false, state: "home store down" });
    expect((await withKey(ROOT_KEY)).body).toMatchObject({ code: "unavailable" });
    expect(await server.runtime.makeLink()).toBeUndefined();
    await home.restart();
    await until(() => server.runtime.readiness.ready);
    expect(await server.runtime.makeLink()).toMatch(/./);
    await until(() => server.said.some((line) => line.includes("API key, shown only now: lk_")));
    const [key = ""] = server.said.join("\n").match(/lk_\S+/) ?? [];
    expect((await withKey(key)).status).toBe(200);
    expect((await withKey(`${key}x`)).status).toBe(401);
    expect(await server.redis.client().keys("{lockkeeper}:*")).toEqual([]);
  });

  it("when it goes away, apps go on locking", async () => {
    const [key = ""] = server.said.join("\n").match(/lk_\S+/) ?? [];
    await home.kill();
    await until(() => !server.runtime.readiness.ready);
    const headers = { authorization: `Bearer ${key}` };
    const taken = await server.call("/locks/lock%3Aa/acquire", { body: { owner: "me" }, headers });
    expect(taken.status).toBe(200);
    await home.restart();
    await until(() => server.runtime.readiness.ready);
  });
});

it("a first target that is only read keeps nothing of ours: the embedded Redis does", async () => {
  const cache = await mkdtemp(join(tmpdir(), "lockkeeper-own-"));
  // What was unpacked for the tests is unpacked here, too.
  await testBinary();
  await symlink(resolve(".cache/redis-server"), join(cache, "redis-server"));
  onTestFinished(() => rm(cache, { recursive: true, force: true }));
  const own = { LOCKKEEPER_REDIS_PORT: String(await freePort()) };
  const server = await startTestServer({
    environment: { LOCKKEEPER_LOG: "silent", LOCKKEEPER_CACHE_DIR: cache, ...own },
    file: (url) => ({ targets: [{ name: "only", redis: url, readOnly: true }] }),
  });
  onTestFinished(() => server.stop());
  expect(await server.runtime.makeLink()).toMatch(/./);
  expect(await server.redis.client().keys("*")).toEqual([]);
});
