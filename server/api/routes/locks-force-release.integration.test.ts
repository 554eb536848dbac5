import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const getKeys = (locks: { key: string }[]) => locks.map(({ key }) => key);

const it = serverTest({ environment: { LOCKKEEPER_WATCH: "lock:*,bull:*,app:*" } })
  // Force-releases the current hold, or the hold whose `expectedVersion` is passed in `more`.
  .extend("forceRelease", { scope: "file" }, ({ server }) => async (key: string, more: object = {}) => {
    const { version } = await server.readLock(key);
    return await server.callVerb(key, "force-release", {
      expectedVersion: version,
      reason: "stuck",
      ...more,
    });
  })
  .extend("waitUntilListed", { scope: "file" }, ({ server }) => async (...keys: string[]) => {
    for (const key of keys) await server.waitForLocks(`key:${key}`);
  })
  // Creates an ambiguous lock: its value is a token that several formats use.
  .extend("possible", ({ direct, waitUntilListed }) => async () => {
    const key = createTestKey("app");
    await direct.set(key, randomUUID(), "PX", 60_000);
    await waitUntilListed(key);
    return key;
  })
  .extend("semaphore", ({ direct, waitUntilListed }) => async (...owners: string[]) => {
    const key = createTestKey();
    for (const owner of owners) await direct.zadd(key, Date.now() + 30_000, owner);
    await direct.pexpire(key, 90_000);
    await waitUntilListed(key);
    return key;
  })
  // Creates `size` locks with the same token.
  .extend("group", ({ direct, waitUntilListed }) => async (token: string, size: number) => {
    const name = randomUUID();
    const keys = Array.from({ length: size }, (_, n) => `lock:${name}:${String(n).padStart(2, "0")}`);
    await Promise.all(keys.map((key) => direct.set(key, token, "PX", 60_000)));
    await waitUntilListed(...keys);
    return keys;
  });

describe("force-release of ambiguous locks", () => {
  it("an ambiguous lock is force-released only as one of its candidate formats", async ({
    server,
    direct,
    forceRelease,
    possible,
  }) => {
    const key = await possible();
    const { release, confidence } = await server.readLock(key);
    expect([confidence, release.may]).toEqual(["possible", "with_format"]);
    expect(release.formats).toContain("redlock-rb");
    const missing = await forceRelease(key);
    expect([missing.status, missing.body.code]).toEqual([422, "format_required"]);
    expect(missing.body.formats).toEqual(release.formats);
    expect(missing.body.detail).toContain("redlock-rb");
    const wrong = await forceRelease(key, { format: "laravel" });
    expect([wrong.status, wrong.body.code, wrong.body.field]).toEqual([400, "invalid", "format"]);
    expect(await direct.exists(key)).toBe(1);
    expect((await forceRelease(key, { format: "redlock-rb" })).body).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a force-release with an unknown format is rejected", async ({ forceRelease, possible }) => {
    const refused = await forceRelease(await possible(), { format: "redlock-go" });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
    expect(refused.body.detail).toMatch(/^Body, format: /);
  });

  it("an ambiguous lock that changed hands returns changed, whatever format is named", async ({
    server,
    direct,
    forceRelease,
    possible,
  }) => {
    const key = await possible();
    const { version } = await server.readLock(key);
    await direct.set(key, randomUUID(), "PX", 60_000);
    const { body } = await forceRelease(key, { expectedVersion: version, format: "redlock-rb" });
    expect(body.code).toBe("changed");
    expect(await direct.exists(key)).toBe(1);
  });
});

it("a force-release that would do harm is refused with the reason and an alternative", async ({
  server,
  direct,
  forceRelease,
  waitUntilListed,
}) => {
  const key = `bull:mails:${randomUUID()}:lock`;
  await direct.hset(
    key.slice(0, -":lock".length),
    "name",
    "mail",
    "data",
    "{}",
    "timestamp",
    1,
    "opts",
    "{}",
  );
  await direct.set(key, createRedissonOwner(3), "PX", 30_000);
  await waitUntilListed(key);
  expect((await server.readLock(key)).release).toMatchObject({
    may: "never",
    why: expect.stringContaining("in parallel"),
  });
  const { status, body } = await forceRelease(key, { format: "bullmq" });
  expect([status, body.code]).toEqual([403, "read_only"]);
  expect(body).toMatchObject({ why: expect.stringContaining("in parallel"), instead: expect.any(String) });
  expect(await direct.exists(key)).toBe(1);
});

describe("force-release without a reason", () => {
  it("without a reason, a lock that may be alive is not force-released and one without TTL is", async ({
    server,
    direct,
    key,
    forceRelease,
    waitUntilListed,
  }) => {
    await direct.multi().hset(key, createRedissonOwner(42), 1).pexpire(key, 60_000).exec();
    await waitUntilListed(key);
    expect((await server.readLock(key)).liveness.state).toBe("unknown");
    const refused = await forceRelease(key, { reason: " " });
    expect([refused.status, refused.body.code]).toEqual([422, "reason_required"]);
    expect(refused.body.detail).toContain("liveness of the holder is unknown");
    expect(await direct.exists(key)).toBe(1);
    await direct.persist(key);
    await waitUntil(async () => (await server.readLock(key)).liveness.state === "no_ttl");
    const { body } = await forceRelease(key, { reason: "" });
    expect(body).toMatchObject({ outcome: "released", heldMs: expect.any(Number) });
    const audited = async () => (await server.call(`/audit?key=${key}`)).body.items[0];
    // The response is sent before the outcome has been written to the audit log.
    await waitUntil(async () => (await audited()).outcome !== null);
    expect(await audited()).toMatchObject({ reason: "", outcome: { code: "released" } });
  });
});

describe("force-release of shared locks", () => {
  const id = () => `web-1_4711_${randomBytes(16).toString("hex")}`;

  it("one holder is force-released by its own version, and all holders by the lock's version", async ({
    server,
    direct,
    forceRelease,
    semaphore,
  }) => {
    const [one, two] = [id(), id()].sort() as [string, string];
    const key = await semaphore(one, two);
    const { holders, version, release } = await server.readLock(key);
    expect(release.oneHolder).toBe(true);
    expect(holders.map(({ owner }: { owner: string }) => owner)).toEqual([one, two]);
    expect(new Set([version, holders[0].version, holders[1].version]).size).toBe(3);
    expect((await forceRelease(key, { expectedVersion: holders[1].version })).body).toMatchObject({
      outcome: "released",
      owner: two,
    });
    expect(await direct.zrange(key, "0", "-1")).toEqual([one]);
    const late = await forceRelease(key, { expectedVersion: version });
    expect([late.body.code, late.body.holders.length]).toEqual(["changed", 1]);
    expect((await forceRelease(key)).body.outcome).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await waitUntil(async () => (await server.call(`/locks/${key}/history`)).body.items.length >= 4);
    const { items } = (await server.call(`/locks/${key}/history`)).body;
    const forced = items.filter(({ type }: { type: string }) => type === "force_released");
    expect(forced.map(({ owner, by }: Record<string, string>) => `${owner} ${by}`)).toEqual([
      `${one} key:root`,
      `${two} key:root`,
    ]);
  });

  it("a reservation is rejected for a format that cannot store it", async ({
    server,
    direct,
    forceRelease,
  }) => {
    const key = `uniquejobs:${randomBytes(16).toString("hex")}:LOCKED`;
    await direct.hset(key, randomBytes(12).toString("hex"), String(Date.now() / 1000));
    const { release } = await server.readLock(key);
    expect(release.reservable).toBe(false);
    const { status, body } = await forceRelease(key, { reservedMs: 60_000, onUnverified: "release" });
    expect([status, body.code, body.field]).toEqual([400, "invalid", "reservedMs"]);
    expect(await direct.exists(key)).toBe(1);
  });
});

describe("one token on several keys", () => {
  const bsm = () => randomBytes(16).toString("base64url");

  it("a token on several keys is shown at each with the other keys, at most twenty", async ({
    server,
    direct,
    group,
  }) => {
    const [first = "", ...others] = await group(randomBytes(16).toString("hex"), 3);
    expect(getKeys((await server.readLock(first)).sharedWith).sort()).toEqual(others);
    const [one = ""] = await group(randomBytes(16).toString("hex"), 25);
    expect((await server.readLock(one)).sharedWith).toHaveLength(20);
    await direct.del(others[0] ?? "");
    await waitUntil(async () => (await server.readLock(first)).sharedWith.length === 1);
  });

  it("a bsm/redislock lock is force-released on all its keys, which the response lists", async ({
    direct,
    forceRelease,
    group,
  }) => {
    const [first = "", ...others] = await group(bsm(), 3);
    const { body } = await forceRelease(first, { format: "bsm-redislock" });
    expect(body).toMatchObject({ key: first, outcome: "released" });
    expect(getKeys(body.together).sort()).toEqual(others);
    expect(body.together.every(({ outcome }: { outcome: string }) => outcome === "released")).toBe(true);
    expect(await direct.exists(first, ...others)).toBe(0);
  });

  it("a redlock lock is force-released on the one key only", async ({ direct, forceRelease, group }) => {
    const [first = "", ...others] = await group(randomBytes(16).toString("hex"), 2);
    const { body } = await forceRelease(first);
    expect(body.outcome).toBe("released");
    expect(body).not.toHaveProperty("together");
    expect(await direct.exists(...others)).toBe(1);
  });
});

describe("lock reads", () => {
  it("locks are found by format, candidate format and liveness", async ({
    server,
    direct,
    waitUntilListed,
  }) => {
    const name = randomUUID();
    const [named, hash, forever] = [`lock:${name}:a`, `lock:${name}:b`, `lock:${name}:c`];
    await direct.set(named, randomBytes(16).toString("hex"), "PX", 60_000);
    await direct.multi().hset(hash, createRedissonOwner(7), 1).pexpire(hash, 60_000).exec();
    await direct.hset(forever, "mode", "read", createRedissonOwner(7), 1);
    await waitUntilListed(named, hash, forever);
    const found = async (filter: string) => {
      const query = new URLSearchParams({ filter: `key:lock:${name}:* ${filter}` });
      return getKeys((await server.call(`/locks?${query}`)).body.items);
    };
    expect(await found("format:redlock")).toEqual([named]);
    expect(await found("format:redisson")).toEqual([hash, forever]);
    expect(await found("kind:read")).toEqual([forever]);
    expect(await found("liveness:no_ttl")).toEqual([forever]);
    expect(await found("liveness:unknown kind:lock")).toEqual([named, hash]);
  });

  it("a free key shows its waiters", async ({ server, direct, key }) => {
    await direct.rpush(`redisson_lock_queue:{${key}}`, createRedissonOwner(7), createRedissonOwner(8));
    const lock = await server.readLock(key);
    expect(lock).toMatchObject({ state: "free", waiters: { count: 2 } });
  });
});
