import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { TestStream } from "../../../test/support/test-stream.ts";

const it = serverTest()
  .extend("extend", { scope: "file" }, ({ server }) => async (key: string, more: object = {}) => {
    const { version } = await server.readLock(key);
    const body = {
      expectedVersion: version,
      leaseMs: 600_000,
      reason: "the migration takes longer",
      ...more,
    };
    return await server.callVerb(key, "extend", body);
  })
  .extend("createRedissonLock", { scope: "file" }, ({ server, direct }) => async () => {
    const key = createTestKey();
    await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 30_000).exec();
    await server.waitForLocks(`key:${key}`);
    return key;
  });

describe.each(["redisson", "token", "timestamp"])(
  "extension of a Lockkeeper hold in the format %s",
  (format) => {
    it("an extended hold keeps its token, and its owner can still renew and release it", async ({
      server,
      key,
      extend,
    }) => {
      const take = { owner: "w1", leaseMs: 20_000, graceMs: 1000, format };
      const hold = await server.acquire(key, take);
      const { status, body } = await extend(key);
      expect([status, body.outcome, body.lasts, body.by]).toEqual([
        200,
        "extended",
        "to_its_end",
        "key:root",
      ]);
      expect(body.remainingMs).toBeGreaterThan(590_000);
      const again = await extend(key, { leaseMs: 30_000 });
      expect(again.body.outcome).toBe("unchanged");
      expect(again.body.remainingMs).toBeGreaterThan(590_000);
      const renewed = await server.callHold(hold, "renew");
      expect([renewed.status, renewed.body.fence]).toEqual([200, hold.fence]);
      expect(renewed.body.remainingMs).toBeGreaterThan(590_000);
      const released = await server.callHold(hold, "release");
      expect(released.body.outcome).toBe("released");
    });

    it("a hold that was replaced by another one is not extended", async ({ server, direct, key, extend }) => {
      const hold = await server.acquire(key, { owner: "w1", format });
      const { version } = await server.readLock(key);
      await server.callHold(hold, "release");
      const gone = await extend(key, { expectedVersion: version });
      expect([gone.status, gone.body.code]).toEqual([410, "lost"]);
      expect(await direct.exists(key)).toBe(0);
      await server.callVerb(key, "acquire", { owner: "w1", leaseMs: 20_000, format });
      const before = await direct.get(key).catch(() => "hash");
      const { status, body } = await extend(key, { expectedVersion: version });
      expect([status, body.code]).toEqual([409, "changed"]);
      expect(body.detail).toMatch(/Nothing was changed\.$/);
      expect(await direct.pttl(key)).toBeLessThan(30_000);
      expect(await direct.get(key).catch(() => "hash")).toBe(before);
    });
  },
);

it.for(["ours", "another library's"])(
  "extensions of a lock that is %s appear in its history once, with who and why",
  async (whose, { server, extend, createRedissonLock }) => {
    const key = whose === "ours" ? createTestKey() : await createRedissonLock();
    if (whose === "ours") await server.callVerb(key, "acquire", { owner: "w1" });
    await extend(key);
    await extend(key, { leaseMs: 700_000, reason: "still not done" });
    const prolonged = async () => {
      const { items } = (await server.call(`/locks/${key}/history`)).body;
      return items.filter(({ type }: { type: string }) => type === "renewed");
    };
    await waitUntil(async () => (await prolonged()).length === 2);
    expect(await prolonged()).toMatchObject([
      { by: "key:root", reason: "still not done" },
      { by: "key:root", reason: "the migration takes longer" },
    ]);
  },
);

describe("extension of a hold of another library", () => {
  it("a foreign hold is extended until its library renews it, and does not count as alive by it", async ({
    server,
    direct,
    extend,
    createRedissonLock,
  }) => {
    const key = await createRedissonLock();
    const { body } = await extend(key);
    expect([body.outcome, body.lasts]).toEqual(["extended", "unknown"]);
    expect(await direct.pttl(key)).toBeGreaterThan(590_000);
    await waitUntil(async () => (await server.readLock(key)).remainingMs > 590_000);
    expect((await server.readLock(key)).liveness).toMatchObject({ renewals: 0, lastRenewalAt: null });
    // Renews the lock as the client's watchdog would.
    await direct.pexpire(key, 30_000);
    await waitUntil(async () => (await server.readLock(key)).remainingMs <= 30_000);
  });

  it("a string lock is extended only while its value is unchanged", async ({
    server,
    direct,
    key,
    extend,
  }) => {
    await direct.set(key, randomUUID(), "PX", 30_000);
    await server.waitForLocks(`key:${key}`);
    const { version } = await server.readLock(key);
    expect((await extend(key)).body.outcome).toBe("extended");
    expect(await direct.pttl(key)).toBeGreaterThan(590_000);
    await direct.set(key, randomUUID(), "PX", 30_000);
    expect((await extend(key, { expectedVersion: version })).body.code).toBe("changed");
    expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
  });

  it("a hold whose expiry is not that of its key alone is not extended, with the reason", async ({
    server,
    direct,
    extend,
  }) => {
    const [deadline, readers] = [createTestKey(), createTestKey()];
    await direct.set(deadline, String(Date.now() + 30_000), "PX", 30_000);
    await direct.hset(readers, "mode", "read", createRedissonOwner(), 1);
    await direct.pexpire(readers, 30_000);
    for (const key of [deadline, readers]) {
      await server.waitForLocks(`key:${key}`);
      const { status, body } = await extend(key, { onUnverified: "extend" });
      expect([status, body.code, typeof body.why]).toEqual([403, "read_only", "string"]);
      expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
    }
  });

  it("an unwatched hold is extended only with onUnverified, which the refusal names", async ({
    direct,
    extend,
  }) => {
    const key = `elsewhere:${randomUUID()}:mutex`;
    await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 30_000).exec();
    const refused = await extend(key);
    expect([refused.status, refused.body.code]).toEqual([409, "unverified"]);
    expect(refused.body.detail).toMatch(/Nothing was extended.*"onUnverified": "extend"/);
    expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
    expect((await extend(key, { onUnverified: "extend" })).body.outcome).toBe("extended");
  });

  it("an extension of a hold without TTL leaves it without TTL", async ({ server, direct, key, extend }) => {
    await direct.hset(key, createRedissonOwner(), 1);
    await server.waitForLocks(`key:${key}`);
    expect((await extend(key)).body).toMatchObject({ outcome: "unchanged", remainingMs: null });
    expect(await direct.pttl(key)).toBe(-1);
  });
});

it("an extension requires a reason, and its event names who and why once", async ({
  server,
  extend,
  createRedissonLock,
}) => {
  const key = await createRedissonLock();
  expect((await extend(key, { reason: " " })).body.code).toBe("reason_required");
  const stream = await TestStream.open(server, `/events?key=${key}&type=renewed`);
  await waitUntil(() => stream.text.includes("hello"));
  await extend(key);
  const listRenewals = () => stream.text.split("\n").filter((line) => line.includes('"type":"renewed"'));
  await waitUntil(() => listRenewals().length > 0);
  await waitUntil(async () => (await server.readLock(key)).remainingMs > 590_000);
  expect(listRenewals()).toHaveLength(1);
  expect(listRenewals()[0]).toContain('"by":"key:root","reason":"the migration takes longer"');
  stream.leave();
});
