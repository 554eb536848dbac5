import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { createTestKey } from "../../../../test/support/test-locks.ts";
import { createBearerHeader, type TestServer, waitUntil } from "../../../../test/support/test-server.ts";

const it = serverTest().extend("keys", () => ["b", "a"].map((name) => createTestKey(`lock:${name}`)));

const acquireAll = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
  server.call("/locks/acquire", { body, headers });

let applications = 0;

async function createApplication(server: TestServer, more: object): Promise<Record<string, string>> {
  const body = { name: `group-${++applications}`, verbs: ["read", "lock"], ...more };
  return createBearerHeader((await server.call("/keys", { body })).body.secret);
}

describe("POST /locks/acquire", () => {
  it("returns the holds in the order of the keys, each of which is renewed and released on its own", async ({
    server,
    keys,
  }) => {
    const { status, body } = await acquireAll(server, { keys, leaseMs: 20_000, owner: "me" });
    expect(status).toBe(201);
    expect(body.holds).toMatchObject(keys.map((key) => ({ key, owner: "me", count: 1, leaseMs: 20_000 })));
    expect(body.remainingMs).toBeLessThanOrEqual(20_000);
    expect(body.asOf).toBe(Math.min(...(body.holds as Hold[]).map(({ asOf }) => asOf)));
    for (const hold of body.holds as Hold[]) {
      expect((await server.callHold(hold, "renew")).status).toBe(200);
      expect((await server.callHold(hold, "release")).body.outcome).toBe("released");
    }
  });

  it("names the lock that is held, and acquires none", async ({ server, direct, keys }) => {
    const [key = "", other = ""] = keys;
    await server.acquire(other, { owner: "you" });
    const { status, body } = await acquireAll(server, { keys });
    expect({ status, body }).toMatchObject({ status: 409, body: { code: "held", key: other } });
    expect(await direct.exists(key)).toBe(0);
  });

  it("waits until the lock is released, and states how long", async ({ server, direct, keys }) => {
    const [, other = ""] = keys;
    const held = await server.acquire(other, { owner: "you" });
    const waiting = acquireAll(server, { keys, waitMs: 20_000 });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${other}}`)) === 1);
    await server.callHold(held, "release");
    const { status, body } = await waiting;
    expect(status).toBe(201);
    expect(body.holds).toHaveLength(2);
    expect(body.waitedMs).toBeGreaterThanOrEqual(0);
  });

  it("returns the same holds for the same Idempotency-Key", async ({ server, keys }) => {
    const headers = { "idempotency-key": randomUUID() };
    const first = await acquireAll(server, { keys }, headers);
    const again = await server.fetch("/locks/acquire", { body: { keys }, headers });
    expect(first.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const toIds = (holds: readonly Hold[]) => holds.map(({ holdId }) => holdId);
    expect(toIds(((await again.json()) as { holds: Hold[] }).holds)).toEqual(toIds(first.body.holds));
  });

  it("a client that disconnects while it waits acquires nothing", async ({ server, direct, keys }) => {
    const [key = "", other = ""] = keys;
    const held = await server.acquire(other, { owner: "you" });
    const leave = new AbortController();
    const gone = server
      .call("/locks/acquire", { body: { keys, waitMs: 20_000 }, signal: leave.signal })
      .catch(() => "gone");
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${other}}`)) === 1);
    leave.abort();
    expect(await gone).toBe("gone");
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${other}}`)) === 0);
    await server.callHold(held, "release");
    expect(await direct.exists(key, other)).toBe(0);
  });
});

describe("refused requests for several locks", () => {
  it("duplicate keys, no keys, too many keys and unknown fields are invalid", async ({
    server,
    direct,
    key,
  }) => {
    const many = Array.from({ length: 33 }, () => createTestKey());
    for (const body of [
      { keys: [key, key] },
      { keys: [] },
      { keys: many },
      { keys: [key, ""] },
      { keys: [key], reenter: "h1.x" },
      { keys: [key], unit: "s" },
    ])
      expect(await acquireAll(server, body)).toMatchObject({ status: 400, body: { code: "invalid" } });
    expect(await direct.exists(key, ...many)).toBe(0);
  });

  it("an API key needs access to every lock", async ({ server, direct, keys }) => {
    const headers = await createApplication(server, { keys: ["lock:a:*"] });
    expect(await acquireAll(server, { keys }, headers)).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect(await direct.exists(...keys)).toBe(0);
    expect((await acquireAll(server, { keys: keys.slice(1) }, headers)).status).toBe(201);
  });

  it("the quota must allow all locks, and a refused request leaves it unchanged", async ({
    server,
    direct,
    keys,
  }) => {
    const headers = await createApplication(server, { holdsMax: 2 });
    const three = [...keys, createTestKey()];
    expect(await acquireAll(server, { keys: three }, headers)).toMatchObject({
      body: { code: "quota_exceeded", used: 2 },
    });
    expect(await direct.exists(...three)).toBe(0);
    expect((await acquireAll(server, { keys }, headers)).status).toBe(201);
  });
});
