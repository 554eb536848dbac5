import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findFreePort, findTestBinary, startTestRedis } from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { settlesWithin } from "../../test/support/timing.ts";

/** Documented maximum time in ms that a server takes to stop. */
const STOP_MS = 2000;

/** Provides `server`, which starts while its home store `home` is down. */
const it = test
  .extend("home", { scope: "file" }, async ({}, { onCleanup }) => {
    const home = await startTestRedis();
    onCleanup(() => home.stop());
    await home.kill();
    return home;
  })
  .extend("server", { scope: "file" }, async ({ home }, { onCleanup }) => {
    const server = await startTestServer({
      waitFor: "nothing",
      environment: { LOCKKEEPER_HOME_URL: home.url, LOCKKEEPER_LOG: "silent", LOCKKEEPER_ROOT_KEY: "" },
    });
    onCleanup(() => server.stop());
    return server;
  });

describe("hanging target", () => {
  it("a server with one target frozen before and one after its start serves the others and stops within 2 s", async () => {
    const [before, after] = await Promise.all([startTestRedis(), startTestRedis()]);
    onTestFinished(async () => {
      for (const redis of [before, after]) redis.thaw();
      await Promise.all([before.stop(), after.stop()]);
    });
    before.freeze();
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
    await waitUntil(async () => (await server.call("/locks?target=after")).status === 200);
    after.freeze();
    const replies = Promise.all([
      server.call("/locks/lock%3Aa/acquire", { body: { owner: "me" } }),
      server.call("/locks?target=before"),
    ]);
    expect(await settlesWithin(replies, 1000)).toBe(true);
    expect((await replies).map(({ status }) => status)).toEqual([201, 503]);
    const waiting = server.call("/locks/lock%3Aa/acquire?target=after", { body: { owner: "me" } });
    isStopped = true;
    const stopped = Promise.all([server.stop(), waiting.catch(() => undefined)]);
    expect(await settlesWithin(stopped, STOP_MS)).toBe(true);
    await stopped;
  });
});

describe("home store down at startup", () => {
  it("targets are watched while the home store is down, and the store is used once it is reachable", async ({
    home,
    server,
  }) => {
    const withKey = (key: string) => server.call("/locks", { headers: { authorization: `Bearer ${key}` } });
    expect(server.runtime.readiness).toMatchObject({ ready: false, state: "home store down" });
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

  it("clients can acquire locks while the home store is down", async ({ home, server }) => {
    const [key = ""] = server.terminalLines.join("\n").match(/lk_\S+/) ?? [];
    await home.kill();
    await waitUntil(() => !server.runtime.readiness.ready);
    const headers = { authorization: `Bearer ${key}` };
    const taken = await server.call("/locks/lock%3Aa/acquire", { body: { owner: "me" }, headers });
    expect(taken.status).toBe(201);
    await home.restart();
    await waitUntil(() => server.runtime.readiness.ready);
  });
});

it("with a read-only first target, Lockkeeper stores its own data in the embedded Redis", async () => {
  const cache = await mkdtemp(join(tmpdir(), "lockkeeper-own-"));
  // Unpacks the test Redis server if necessary.
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
