import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  server = await startTestServer({ environment: { LOCKKEEPER_WATCH: "lock:*,bull:*,app:*" } });
  direct = server.redis.createClient();
});
afterAll(async () => await server.stop());

const createTestKey = (prefix = "lock") => `${prefix}:${randomUUID()}`;
const readLock = async (key: string) => (await server.call(`/locks/${encodeKeyPath(key)}`)).body;
const listLocks = async (filter: string) =>
  (await server.call(`/locks?filter=${encodeURIComponent(filter)}`)).body.items;
const getKeys = (locks: { key: string }[]) => locks.map(({ key }) => key);

/** Frees what is there now, unless another version is given. */
async function forceRelease(key: string, more: Record<string, unknown> = {}) {
  const { version } = await readLock(key);
  const body = { expect: version, reason: "stuck", ...more };
  return await server.call(`/locks/${encodeKeyPath(key)}/force-release`, { body });
}

const waitUntilListed = async (...keys: string[]) =>
  await waitUntil(async () => {
    for (const key of keys) if ((await listLocks(`key:${key}`)).length === 0) return false;
    return true;
  });

describe("force-release of ambiguous locks", () => {
  const possible = async () => {
    const key = createTestKey("app");
    await direct.set(key, randomUUID(), "PX", 60_000);
    await waitUntilListed(key);
    return key;
  };

  it("an ambiguous lock is force-released only as one of its candidate formats", async () => {
    const key = await possible();
    const { release, confidence } = await readLock(key);
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

  it("a force-release with an unknown format is rejected", async () => {
    const refused = await forceRelease(await possible(), { format: "redlock-go" });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
    expect(refused.body.detail).toMatch(/^Body, format: /);
  });

  it("an ambiguous lock that changed hands returns changed, whatever format is named", async () => {
    const key = await possible();
    const { version } = await readLock(key);
    await direct.set(key, randomUUID(), "PX", 60_000);
    const { body } = await forceRelease(key, { expect: version, format: "redlock-rb" });
    expect(body.code).toBe("changed");
    expect(await direct.exists(key)).toBe(1);
  });
});

it("a force-release that would do harm is refused with the reason and an alternative", async () => {
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
  await direct.set(key, `${randomUUID()}:3`, "PX", 30_000);
  await waitUntilListed(key);
  expect((await readLock(key)).release).toMatchObject({
    may: "never",
    why: expect.stringContaining("second time"),
  });
  const { status, body } = await forceRelease(key, { format: "bullmq" });
  expect([status, body.code]).toEqual([403, "read_only"]);
  expect(body).toMatchObject({ why: expect.stringContaining("second time"), instead: expect.any(String) });
  expect(await direct.exists(key)).toBe(1);
});

describe("force-release without a reason", () => {
  it("without a reason, a lock that may be alive is not force-released and one without TTL is", async () => {
    const key = createTestKey();
    await direct.multi().hset(key, `${randomUUID()}:42`, 1).pexpire(key, 60_000).exec();
    await waitUntilListed(key);
    expect((await readLock(key)).verdict.state).toBe("unknown");
    const refused = await forceRelease(key, { reason: " " });
    expect([refused.status, refused.body.code]).toEqual([422, "reason_required"]);
    expect(await direct.exists(key)).toBe(1);
    await direct.persist(key);
    await waitUntil(async () => (await readLock(key)).verdict.state === "no-expiry");
    const { body } = await forceRelease(key, { reason: "" });
    expect(body).toMatchObject({ outcome: "released", heldMs: expect.any(Number) });
    const audited = async () => (await server.call(`/audit?key=${key}`)).body.items[0];
    // The answer does not wait for the outcome to be written.
    await waitUntil(async () => (await audited()).outcome !== null);
    expect(await audited()).toMatchObject({ reason: "", outcome: { code: "released" } });
  });
});

describe("force-release of shared locks", () => {
  const id = () => `web-1_4711_${randomBytes(16).toString("hex")}`;
  const semaphore = async (...owners: string[]) => {
    const key = createTestKey();
    for (const owner of owners) await direct.zadd(key, Date.now() + 30_000, owner);
    await direct.pexpire(key, 90_000);
    await waitUntilListed(key);
    return key;
  };

  it("one holder is force-released by its own version, and all holders by the lock's version", async () => {
    const [one, two] = [id(), id()].sort() as [string, string];
    const key = await semaphore(one, two);
    const { holders, version, release } = await readLock(key);
    expect(release.oneHolder).toBe(true);
    expect(holders.map(({ owner }: { owner: string }) => owner)).toEqual([one, two]);
    expect(new Set([version, holders[0].version, holders[1].version]).size).toBe(3);
    expect((await forceRelease(key, { expect: holders[1].version })).body).toMatchObject({
      outcome: "released",
      owner: two,
    });
    expect(await direct.zrange(key, "0", "-1")).toEqual([one]);
    const late = await forceRelease(key, { expect: version });
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

  it("a reservation is rejected for a format that cannot store it", async () => {
    const key = `uniquejobs:${randomBytes(16).toString("hex")}:LOCKED`;
    await direct.hset(key, randomBytes(12).toString("hex"), String(Date.now() / 1000));
    const { release } = await readLock(key);
    expect(release.holdOff).toBe(false);
    const { status, body } = await forceRelease(key, { holdOffMs: 60_000, ifUnsure: "release" });
    expect([status, body.code, body.field]).toEqual([400, "invalid", "holdOffMs"]);
    expect(await direct.exists(key)).toBe(1);
  });
});

describe("one token on several keys", () => {
  async function group(token: string, size: number): Promise<string[]> {
    const name = randomUUID();
    const keys = Array.from({ length: size }, (_, n) => `lock:${name}:${String(n).padStart(2, "0")}`);
    await Promise.all(keys.map((key) => direct.set(key, token, "PX", 60_000)));
    await waitUntilListed(...keys);
    return keys;
  }
  const bsm = () => randomBytes(16).toString("base64url");

  it("a token on several keys is shown at each with the other keys, at most twenty", async () => {
    const [first = "", ...others] = await group(randomBytes(16).toString("hex"), 3);
    expect(getKeys((await readLock(first)).sharedWith).sort()).toEqual(others);
    const [one = ""] = await group(randomBytes(16).toString("hex"), 25);
    expect((await readLock(one)).sharedWith).toHaveLength(20);
    await direct.del(others[0] ?? "");
    await waitUntil(async () => (await readLock(first)).sharedWith.length === 1);
  });

  it("a bsm/redislock lock is force-released on all its keys, which the response lists", async () => {
    const [first = "", ...others] = await group(bsm(), 3);
    const { body } = await forceRelease(first, { format: "bsm-redislock" });
    expect(body).toMatchObject({ key: first, outcome: "released" });
    expect(getKeys(body.together).sort()).toEqual(others);
    expect(body.together.every(({ outcome }: { outcome: string }) => outcome === "released")).toBe(true);
    expect(await direct.exists(first, ...others)).toBe(0);
  });

  it("a redlock lock is force-released on the one key only", async () => {
    const [first = "", ...others] = await group(randomBytes(16).toString("hex"), 2);
    const { body } = await forceRelease(first);
    expect(body.outcome).toBe("released");
    expect(body).not.toHaveProperty("together");
    expect(await direct.exists(...others)).toBe(1);
  });
});

describe("lock reads", () => {
  it("locks are found by format, candidate format and liveness", async () => {
    const name = randomUUID();
    const [named, hash, forever] = [`lock:${name}:a`, `lock:${name}:b`, `lock:${name}:c`];
    await direct.set(named, randomBytes(16).toString("hex"), "PX", 60_000);
    await direct.multi().hset(hash, `${randomUUID()}:7`, 1).pexpire(hash, 60_000).exec();
    await direct.hset(forever, "mode", "read", `${randomUUID()}:7`, 1);
    await waitUntilListed(named, hash, forever);
    const found = async (filter: string) => getKeys(await listLocks(`key:lock:${name}:* ${filter}`));
    expect(await found("format:redlock")).toEqual([named]);
    expect(await found("format:redisson")).toEqual([hash, forever]);
    expect(await found("kind:read")).toEqual([forever]);
    expect(await found("verdict:no-expiry")).toEqual([forever]);
    expect(await found("verdict:unknown kind:lock")).toEqual([named, hash]);
  });

  it("a free key shows its waiters", async () => {
    const key = createTestKey();
    await direct.rpush(`redisson_lock_queue:{${key}}`, `${randomUUID()}:7`, `${randomUUID()}:8`);
    const lock = await readLock(key);
    expect(lock).toMatchObject({ state: "free", waiters: { count: 2 } });
  });
});
