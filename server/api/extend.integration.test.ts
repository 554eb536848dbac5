import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT_KEY, startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  server = await startTestServer();
  direct = server.redis.createClient();
});
afterAll(async () => await server.stop());

const createTestKey = () => `lock:${randomUUID()}`;
const readLock = async (key: string) => (await server.call(`/locks/${key}`)).body;

async function extend(key: string, more: object = {}) {
  const { version } = await readLock(key);
  const body = { expect: version, leaseMs: 600_000, reason: "the migration takes longer", ...more };
  return await server.call(`/locks/${key}/extend`, { body });
}

const waitUntilListed = (key: string) =>
  waitUntil(async () => (await server.call(`/locks?filter=key:${key}`)).body.total === 1);

async function createRedissonLock(): Promise<string> {
  const key = createTestKey();
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 30_000).exec();
  await waitUntilListed(key);
  return key;
}

describe.each(["redisson", "token", "timestamp"])(
  "extension of a Lockkeeper hold in the format %s",
  (format) => {
    it("an extended hold keeps its token, and its owner can still renew and release it", async () => {
      const key = createTestKey();
      const take = { owner: "w1", leaseMs: 20_000, graceMs: 1000, format };
      const { body: grant } = await server.call(`/locks/${key}/acquire`, { body: take });
      const { status, body } = await extend(key);
      expect([status, body.outcome, body.lasts, body.by]).toEqual([
        200,
        "extended",
        "to_its_end",
        "key:root",
      ]);
      expect(body.remainingMs).toBeGreaterThan(590_000);
      const again = await extend(key, { leaseMs: 30_000 });
      expect(again.body.outcome).toBe("enough");
      expect(again.body.remainingMs).toBeGreaterThan(590_000);
      const renewed = await server.call(`/locks/${key}/renew`, { body: { owner: "w1", format } });
      expect([renewed.status, renewed.body.fence]).toEqual([200, grant.fence]);
      expect(renewed.body.remainingMs).toBeGreaterThan(590_000);
      const released = await server.call(`/locks/${key}/release`, { body: { owner: "w1", format } });
      expect(released.body.outcome).toBe("released");
    });

    it("a hold that was replaced by another one is not extended", async () => {
      const key = createTestKey();
      await server.call(`/locks/${key}/acquire`, { body: { owner: "w1", format } });
      const { version } = await readLock(key);
      await server.call(`/locks/${key}/release`, { body: { owner: "w1", format } });
      const gone = await extend(key, { expect: version });
      expect([gone.status, gone.body.code]).toEqual([409, "lost"]);
      expect(await direct.exists(key)).toBe(0);
      await server.call(`/locks/${key}/acquire`, { body: { owner: "w1", leaseMs: 20_000, format } });
      const before = await direct.get(key).catch(() => "hash");
      const { status, body } = await extend(key, { expect: version });
      expect([status, body.code]).toEqual([409, "changed"]);
      expect(await direct.pttl(key)).toBeLessThan(30_000);
      expect(await direct.get(key).catch(() => "hash")).toBe(before);
    });
  },
);

it.each(["ours", "another library's"])(
  "extensions of a lock that is %s appear in its history once, with who and why",
  async (whose) => {
    const key = whose === "ours" ? createTestKey() : await createRedissonLock();
    if (whose === "ours") await server.call(`/locks/${key}/acquire`, { body: { owner: "w1" } });
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
  it("a foreign hold is extended until its library renews it, and does not count as alive by it", async () => {
    const key = await createRedissonLock();
    const { body } = await extend(key);
    expect([body.outcome, body.lasts]).toEqual(["extended", "unknown"]);
    expect(await direct.pttl(key)).toBeGreaterThan(590_000);
    await waitUntil(async () => (await readLock(key)).remainingMs > 590_000);
    expect((await readLock(key)).verdict).toMatchObject({ renewals: 0, lastRenewalAt: null });
    // As its watchdog does.
    await direct.pexpire(key, 30_000);
    await waitUntil(async () => (await readLock(key)).remainingMs <= 30_000);
  });

  it("a string lock is extended only while its value is unchanged", async () => {
    const key = createTestKey();
    await direct.set(key, randomUUID(), "PX", 30_000);
    await waitUntilListed(key);
    const { version } = await readLock(key);
    expect((await extend(key)).body.outcome).toBe("extended");
    expect(await direct.pttl(key)).toBeGreaterThan(590_000);
    await direct.set(key, randomUUID(), "PX", 30_000);
    expect((await extend(key, { expect: version })).body.code).toBe("changed");
    expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
  });

  it("a hold whose expiry is not that of its key alone is not extended, with the reason", async () => {
    const [deadline, readers] = [createTestKey(), createTestKey()];
    await direct.set(deadline, String(Date.now() + 30_000), "PX", 30_000);
    await direct.hset(readers, "mode", "read", `${randomUUID()}:7`, 1);
    await direct.pexpire(readers, 30_000);
    for (const key of [deadline, readers]) {
      await waitUntilListed(key);
      const { status, body } = await extend(key, { ifUnsure: "extend" });
      expect([status, body.code, typeof body.why]).toEqual([403, "read_only", "string"]);
      expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
    }
  });

  it("an unwatched hold is extended only with ifUnsure, which the refusal names", async () => {
    const key = `elsewhere:${randomUUID()}`;
    await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 30_000).exec();
    const refused = await extend(key);
    expect([refused.status, refused.body.code]).toEqual([409, "unsure"]);
    expect(refused.body.detail).toMatch(/Nothing was prolonged.*"ifUnsure": "extend"/);
    expect(await direct.pttl(key)).toBeLessThanOrEqual(30_000);
    expect((await extend(key, { ifUnsure: "extend" })).body.outcome).toBe("extended");
  });

  it("an extension of a hold without TTL leaves it without TTL", async () => {
    const key = createTestKey();
    await direct.hset(key, `${randomUUID()}:7`, 1);
    await waitUntilListed(key);
    expect((await extend(key)).body).toMatchObject({ outcome: "enough", remainingMs: null });
    expect(await direct.pttl(key)).toBe(-1);
  });
});

it("an extension requires a reason, and its event names who and why once", async () => {
  const key = await createRedissonLock();
  expect((await extend(key, { reason: " " })).body.code).toBe("reason_required");
  const stopped = new AbortController();
  const heard: string[] = [];
  const response = await fetch(`${server.url}/api/v1/events?key=${key}&type=renewed`, {
    headers: { authorization: `Bearer ${ROOT_KEY}` },
    signal: stopped.signal,
  });
  const reading = (async () => {
    for await (const chunk of response.body ?? []) heard.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  await waitUntil(() => heard.join("").includes("hello"));
  await extend(key);
  const told = () =>
    heard
      .join("")
      .split("\n")
      .filter((line) => line.includes('"type":"renewed"'));
  await waitUntil(() => told().length > 0);
  await waitUntil(async () => (await readLock(key)).remainingMs > 590_000);
  expect(told()).toHaveLength(1);
  expect(told()[0]).toContain('"by":"key:root","reason":"the migration takes longer"');
  stopped.abort();
  await reading;
});
