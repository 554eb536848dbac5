import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { HeldError, InvalidError, LostError } from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest()
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend("client", ({ proxy }) => new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY }))
  .extend("keys", () => ["b", "a"].map((name) => createTestKey(`lock:${name}`)));

const catchError = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (error: unknown) => error,
  );

describe("LockkeeperClient.acquireAll", () => {
  it("returns one group, which is renewed beyond its lease and released together", async ({
    client,
    direct,
    keys,
  }) => {
    const group = await client.acquireAll(keys, { leaseMs: 1500 });
    expect(group.holds.map(({ key, count }) => [key, count])).toEqual(keys.map((key) => [key, 1]));
    const firstDeadline = performance.now() + 1500;
    await waitUntil(async () => performance.now() > firstDeadline + 200);
    group.assertHeld();
    expect(await group.release()).toMatchObject([{ outcome: "released" }, { outcome: "released" }]);
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("a held lock refuses all and is named, and is waited for with waitMs", async ({
    client,
    direct,
    keys,
  }) => {
    const [first = "", second = ""] = keys;
    const hold = await client.acquire(second);
    const error = await catchError(client.acquireAll(keys));
    expect(error).toBeInstanceOf(HeldError);
    expect(error).toMatchObject({ facts: { key: second } });
    expect(await direct.exists(first)).toBe(0);
    const waiting = client.acquireAll(keys, { waitMs: 20_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${second}}`)) === 1);
    await hold.release();
    const group = await waiting;
    expect(group.remainingMs()).toBeGreaterThan(25_000);
    await group.release();
  });

  it("an aborted wait leaves nothing held", async ({ server, direct, keys }) => {
    const [, second = ""] = keys;
    const client = new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY });
    const hold = await client.acquire(second);
    const stop = new AbortController();
    const waiting = catchError(client.acquireAll(keys, { waitMs: 20_000, signal: stop.signal }));
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${second}}`)) === 1);
    stop.abort();
    expect(await waiting).toMatchObject({ code: "aborted" });
    await hold.release();
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
    const group = await client.acquireAll(keys, { waitMs: 5000 });
    await group.release();
  });

  it("wrong arguments are refused before a request is sent", async ({ client, key }) => {
    const wrong: unknown[] = ["lock:a", [key, 7]];
    for (const keys of wrong)
      expect(await catchError(client.acquireAll(keys as string[]))).toBeInstanceOf(InvalidError);
    expect(await catchError(client.acquireAll([key, key]))).toBeInstanceOf(InvalidError);
  });
});

describe("LockkeeperClient.withLocks", () => {
  it("releases all locks after the work, also if it fails", async ({ client, direct, keys }) => {
    expect(await client.withLocks(keys, () => direct.exists(...keys))).toBe(2);
    expect(await direct.exists(...keys)).toBe(0);
    const failure = new Error("mine");
    const failing = client.withLocks(keys, { leaseMs: 5000 }, () => Promise.reject(failure));
    expect(await catchError(failing)).toBe(failure);
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("rejects with the loss if one hold was lost", async ({ client, direct, keys }) => {
    const lost = client.withLocks(keys, { leaseMs: 600 }, async ({ signal }) => {
      await direct.del(keys[1] ?? "");
      await waitUntil(async () => signal.aborted);
    });
    expect(await catchError(lost)).toBeInstanceOf(LostError);
    expect(await direct.exists(...keys)).toBe(0);
  });
});
