import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  findFreePort,
  findTestBinary,
  startTestRedis,
  type TestRedis,
} from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

/** The promise to whoever ends the process. */
const STOP_MS = 2000;

describe("hanging target", () => {
  it("a server with one target frozen before and one after its start serves the others and stops within 2 s", async () => {
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
    await waitUntil(async () => (await server.call("/locks?target=after")).status === 200);
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

describe("home store down at startup", () => {
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

  it("targets are watched while the home store is down, and the store is used once it is reachable", async () => {
    const withKey = (key: string) => server.call("/locks", { headers: { authorization: `Bearer ${key}` } });
    expect(server.runtime.readiness).toEqual({ ready: false, state: "home store down" });
    expect((await withKey(ROOT_KEY)).body).toMatchObject({ code: "unavailable" });
    expect(await server.runtime.createLoginLink()).toBeUndefined();
    await home.restart();
    await waitUntil(() => server.runtime.readiness.ready);
    expect(await server.runtime.createLoginLink()).toMatch(/./);
    await waitUntil(() => server.terminalLines.some((line) => line.includes("API key, shown only now: lk_")));
    const [key = ""] = server.terminalLines.join("\n").match(/lk_\S+/) ?? [];
    expect((await withKey(key)).status).toBe(200);
    expect((await withKey(`${key}x`)).status).toBe(401);
    expect(await server.redis.createClient().keys("{lockkeeper}:*")).toEqual([]);
  });

  it("clients can acquire locks while the home store is down", async () => {
    const [key = ""] = server.terminalLines.join("\n").match(/lk_\S+/) ?? [];
    await home.kill();
    await waitUntil(() => !server.runtime.readiness.ready);
    const headers = { authorization: `Bearer ${key}` };
    const taken = await server.call("/locks/lock%3Aa/acquire", { body: { owner: "me" }, headers });
    expect(taken.status).toBe(200);
    await home.restart();
    await waitUntil(() => server.runtime.readiness.ready);
  });
});

it("with a read-only first target, Lockkeeper stores its own data in the embedded Redis", async () => {
  const cache = await mkdtemp(join(tmpdir(), "lockkeeper-own-"));
  // What was unpacked for the tests is unpacked here, too.
  await findTestBinary();
  await symlink(resolve(".cache/redis-server"), join(cache, "redis-server"));
  onTestFinished(() => rm(cache, { recursive: true, force: true }));
  const own = { LOCKKEEPER_REDIS_PORT: String(await findFreePort()) };
  const server = await startTestServer({
    environment: { LOCKKEEPER_LOG: "silent", LOCKKEEPER_CACHE_DIR: cache, ...own },
    file: (url) => ({ targets: [{ name: "only", redis: url, readOnly: true }] }),
  });
  onTestFinished(() => server.stop());
  expect(await server.runtime.createLoginLink()).toMatch(/./);
  expect(await server.redis.createClient().keys("*")).toEqual([]);
});
