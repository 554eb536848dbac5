import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { serverTest } from "../../support/fixtures.ts";
import { createTestKey } from "../../support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../support/test-server.ts";
import { HttpClient } from "./http-client.ts";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));

const it = serverTest()
  .extend("client", { scope: "file" }, ({ server }) =>
    HttpClient.open({ via: "http", core: PROJECT, urls: [server.url], apiKey: ROOT_KEY }),
  )
  .extend(
    "acquire",
    { scope: "file" },
    ({ client }) =>
      (lock: string, more: { waitMs?: number; renew?: boolean } = {}) => {
        const wish = { owner: "me", leaseMs: LEASE_MS, waitMs: 0, renew: false, ...more };
        return client.acquire(lock, { ...wish, format: "redisson", signal: new AbortController().signal });
      },
  );

/**
 * Returns the maximum time in milliseconds by which the local deadline of a hold can be later than the end of its lease
 * in Redis.
 */
async function measureLateMs(direct: Redis, lock: string, hold: { remainingMs(): number }): Promise<number> {
  const leftMs = await direct.pttl(lock);
  return hold.remainingMs() - leftMs;
}

const LEASE_MS = 2000;
describe("holds over HTTP", () => {
  it("a hold over HTTP ends no later than its lease, even after a wait, and signals the loss itself", async ({
    direct,
    acquire,
  }) => {
    const lock = createTestKey();
    await direct.hset(lock, `${randomUUID()}:1`, 1);
    await direct.pexpire(lock, 500);
    const waited = await acquire(lock, { waitMs: 5000 });
    expect(await measureLateMs(direct, lock, waited)).toBeLessThanOrEqual(1);
    expect(waited.remainingMs()).toBeGreaterThan(LEASE_MS / 2);
    waited.assertHeld();
    await waitUntil(() => waited.signal.aborted);
    expect(() => waited.assertHeld()).toThrow("has ended");
    await waited.release();
  });

  it("a hold over HTTP is renewed until it is released", async ({ acquire, direct }) => {
    const lock = createTestKey();
    const hold = await acquire(lock, { renew: true });
    const takenAt = performance.now();
    await waitUntil(() => performance.now() > takenAt + 1.2 * LEASE_MS);
    expect(hold.state).toBe("held");
    expect(await measureLateMs(direct, lock, hold)).toBeLessThanOrEqual(1);
    expect(await hold.release()).toMatchObject({ outcome: "released", count: 0 });
    expect(await direct.exists(lock)).toBe(0);
  });

  it("a hold over HTTP detects an earlier loss when it renews", async ({ acquire, direct }) => {
    const lock = createTestKey();
    const hold = await acquire(lock, { renew: true });
    await direct.del(lock, `lockkeeper:hold:{${lock}}`);
    const takenAt = performance.now();
    await waitUntil(() => hold.signal.aborted);
    expect(performance.now() - takenAt).toBeLessThan(0.8 * LEASE_MS);
    expect(hold.state).toBe("lost");
  });

  it("a hold over HTTP detects a loss on verify", async ({ acquire, direct }) => {
    const lock = createTestKey();
    const hold = await acquire(lock);
    await hold.verify?.();
    await direct.del(lock, `lockkeeper:hold:{${lock}}`);
    await expect(hold.verify?.()).rejects.toMatchObject({ code: "lost" });
    expect(hold.state).toBe("lost");
  });

  it("a hold over HTTP can be reentered and counts", async ({ acquire, direct }) => {
    const lock = createTestKey();
    const outer = await acquire(lock);
    const inner = await outer.reenter();
    expect([inner.count, inner.fence, inner.token]).toEqual([2, outer.fence, outer.token]);
    expect(await direct.hgetall(lock)).toEqual({ [outer.token]: "2" });
    expect(await inner.release()).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await outer.release()).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a hold over HTTP that was lost cannot be reentered", async ({ acquire, direct }) => {
    const lock = createTestKey();
    const hold = await acquire(lock);
    await direct.del(lock, `lockkeeper:hold:{${lock}}`);
    await expect(hold.reenter()).rejects.toMatchObject({ code: "lost", asked: 1 });
    expect(hold.state).toBe("lost");
  });

  it("a refused acquire over HTTP fails with the code of the response", async ({ acquire }) => {
    const lock = createTestKey();
    await acquire(lock);
    await expect(acquire(lock)).rejects.toMatchObject({ code: "held", asked: 1 });
    await expect(acquire(lock, { waitMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  });
});
