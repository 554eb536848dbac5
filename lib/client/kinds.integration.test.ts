import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { HeldError, InvalidError } from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest()
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend("client", ({ proxy }) => new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY }));

describe("kinds of lock", () => {
  it("holds of a semaphore share its permits", async ({ client, key }) => {
    const semaphore = { kind: "semaphore", limit: 3 } as const;
    const two = await client.acquire(key, { ...semaphore, permits: 2 });
    const one = await client.acquire(key, semaphore);
    expect([two.kind, two.count, one.count]).toEqual(["semaphore", 2, 1]);
    await expect(client.acquire(key, semaphore)).rejects.toBeInstanceOf(HeldError);
    await expect(client.acquire(key, { ...semaphore, limit: 4 })).rejects.toMatchObject({
      code: "limit_conflict",
      facts: { limit: 3 },
    });
    for (const hold of [one, two]) expect(await hold.release()).toMatchObject({ outcome: "released" });
  });

  it("holds of a plain semaphore share the permits that are available", async ({ client, direct, key }) => {
    await direct.set(key, "3");
    const hold = await client.acquire(key, { kind: "plain_semaphore", permits: 2 });
    expect([hold.kind, hold.count]).toEqual(["plain_semaphore", 2]);
    const refusal = client.acquire(key, { kind: "plain_semaphore", permits: 2 });
    await expect(refusal).rejects.toBeInstanceOf(HeldError);
    await hold.renew();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    expect(await direct.get(key)).toBe("3");
  });

  it("the limit of a semaphore is set, and a refusal names its permits", async ({ client, key }) => {
    expect(await client.setLimit(key, 2)).toEqual({ limit: 2, available: 2, acquired: 0 });
    const hold = await client.acquire(key, { kind: "semaphore", permits: 2 });
    expect(await client.setLimit(key, 1)).toEqual({ limit: 1, available: -1, acquired: 2 });
    for (const waitMs of [0, 30])
      await expect(client.acquire(key, { kind: "semaphore", waitMs })).rejects.toMatchObject({
        facts: { permits: { available: -1, total: 1 } },
      });
    await expect(client.acquire(key)).rejects.toMatchObject({ code: "kind_conflict" });
    await expect(client.setLimit(key, 0)).rejects.toBeInstanceOf(InvalidError);
    await hold.release();
  });

  it("a reader gives way to a waiting writer, unless it is asked not to", async ({ client, server, key }) => {
    const reader = await client.acquire(key, { kind: "read" });
    const writing = client.acquire(key, { kind: "write", waitMs: 10_000 });
    await waitUntil(async () => (await server.readLock(key)).waiters.count === 1);
    await expect(client.acquire(key, { kind: "read" })).rejects.toBeInstanceOf(HeldError);
    const second = await client.acquire(key, { kind: "read", yieldsToWriters: false });
    for (const hold of [reader, second]) await hold.release();
    const writer = await writing;
    expect(writer.kind).toBe("write");
    await writer.release();
  });

  it("several locks are plain locks", async ({ client, key }) => {
    for (const option of ["kind", "permits", "limit", "yieldsToWriters"]) {
      await expect(client.acquireAll([key], { [option]: 1 })).rejects.toBeInstanceOf(InvalidError);
    }
  });

  it("a downgraded hold is renewed and released as that of a reader", async ({ client, direct, key }) => {
    const hold = await client.acquire(key, { kind: "write", leaseMs: 900 });
    const { holdId, fence, signal } = hold;
    await hold.downgrade();
    expect(hold).toMatchObject({ kind: "read", fence, signal, state: "held" });
    expect(hold.holdId).not.toBe(holdId);
    const reader = await client.acquire(key, { kind: "read" });
    const downgradedAt = performance.now();
    await waitUntil(() => performance.now() > downgradedAt + 1200);
    await hold.verify();
    await hold.renew();
    await reader.release();
    expect(await hold.release()).toEqual({ outcome: "released", count: 0 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a downgrade whose response is lost is repeated with the same key", async ({
    client,
    proxy,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { kind: "write" });
    proxy.mode = "drop_replies";
    const downgrading = hold.downgrade();
    await waitUntil(async () => (await direct.hget(key, "mode")) === "read");
    proxy.mode = "pass";
    await downgrading;
    const keys = proxy.idempotencyKeys.slice(1);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect(await hold.release()).toMatchObject({ outcome: "released" });
  });

  it("a refused downgrade leaves the writer, which is renewed", async ({ client, key }) => {
    const hold = await client.acquire(key, { kind: "write", leaseMs: 900 });
    const inner = await hold.reenter();
    await expect(hold.downgrade()).rejects.toBeInstanceOf(HeldError);
    const refusedAt = performance.now();
    await waitUntil(() => performance.now() > refusedAt + 1200);
    hold.assertHeld();
    await inner.release();
    await hold.downgrade();
    expect(await hold.release()).toEqual({ outcome: "released", count: 0 });
  });
});
