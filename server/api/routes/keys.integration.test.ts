import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import {
  createBearerHeader,
  startTestServer,
  type TestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";

interface WantedKey {
  verbs?: string[];
  keys?: string[];
  expiresAt?: number;
}

let createdCount = 0;

const it = serverTest().extend(
  "createKey",
  { scope: "file" },
  ({ server }) =>
    async (wanted: WantedKey = {}, by: Record<string, string> = {}) => {
      const body = { name: `app-${++createdCount}`, verbs: ["read", "lock"], ...wanted };
      return await server.call("/keys", { body, headers: by });
    },
);

const readStatus = async (at: TestServer, secret: string) =>
  (await at.call("/locks", { headers: createBearerHeader(secret) })).status;

describe("API keys", () => {
  it("an API key is shown once, stored as a hash and valid at once on every instance", async ({
    server,
    other,
    direct,
    createKey,
  }) => {
    const { status, headers, body } = await createKey();
    expect([status, body.secret]).toEqual([201, expect.stringMatching(/^lk_[0-9a-f]{16}_[\w-]{43}$/)]);
    expect(headers.get("location")).toBe(`/api/v1/keys/${body.id}`);
    expect(await readStatus(other, body.secret)).toBe(200);
    expect(await readStatus(server, body.secret)).toBe(200);
    const { secret: _, ...shown } = body;
    const listed = (await server.call(`/keys/${body.id}`)).body;
    expect(listed).toEqual({ ...shown, lastUsedAt: expect.any(Number) });
    const stored = await direct.hgetall("{lockkeeper}:accounts");
    expect(JSON.stringify([stored, (await server.call("/keys")).body])).not.toContain(body.secret.slice(20));
  });

  it("an API key is limited to its verbs and key patterns", async ({ server, createKey }) => {
    const { secret } = (await createKey({ verbs: ["read", "lock"], keys: ["lock:mine:*"] })).body;
    const call = async (path: string, body?: object) =>
      (await server.call(path, { ...(body && { body }), headers: createBearerHeader(secret) })).status;
    expect(await call("/locks/lock:mine:1/acquire", { owner: "app" })).toBe(201);
    expect(await call("/locks/lock:others:1/acquire", { owner: "app" })).toBe(403);
    expect(await call("/locks/lock:mine:1/force-release", { expectedVersion: "x" })).toBe(403);
    expect(await call("/keys")).toBe(403);
  });

  it("a revoked API key is rejected on every instance within 2 s with the reason", async ({
    server,
    other,
    createKey,
  }) => {
    const { id, secret } = (await createKey()).body;
    expect(await readStatus(other, secret)).toBe(200);
    const stream = await fetch(`${other.url}/api/v1/live`, { headers: createBearerHeader(secret) });
    const streamed = stream.text();
    expect((await server.call(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    const revokedAt = performance.now();
    expect(await readStatus(server, secret)).toBe(401);
    await waitUntil(async () => (await readStatus(other, secret)) === 401, 2500);
    await streamed;
    expect(performance.now() - revokedAt).toBeLessThan(2000);
    const { body } = await other.call("/locks", { headers: createBearerHeader(secret) });
    expect(body).toMatchObject({ code: "unauthenticated", detail: expect.stringContaining("revoked") });
    expect((await server.call(`/keys/${id}`)).body.state).toBe("revoked");
  });

  it("an expired API key is rejected with the reason", async ({ server, createKey }) => {
    const { id, secret } = (await createKey({ expiresAt: Date.now() + 3000 })).body;
    expect(await readStatus(server, secret)).toBe(200);
    await waitUntil(async () => (await readStatus(server, secret)) === 401);
    const { body } = await server.call("/locks", { headers: createBearerHeader(secret) });
    expect(body.detail).toContain("expired");
    expect((await server.call(`/keys/${id}`)).body.state).toBe("expired");
    expect((await server.call(`/keys/${id}/rotate`, { body: {} })).body.code).toBe("api_key_inactive");
    expect((await createKey({ expiresAt: Date.now() - 1 })).body.code).toBe("invalid");
  });

  it("a rotated API key keeps its id, and its old secret for the requested overlap", async ({
    server,
    other,
    createKey,
  }) => {
    const { id, secret, name } = (await createKey()).body;
    const { body } = await server.call(`/keys/${id}/rotate`, { body: { overlapMs: 3000 } });
    expect(body).toMatchObject({ id, name, state: "active", oldSecretUntil: expect.any(Number) });
    expect(body.secret).not.toBe(secret);
    expect([await readStatus(other, body.secret), await readStatus(server, secret)]).toEqual([200, 200]);
    await waitUntil(async () => (await readStatus(server, secret)) === 401);
    const late = await server.call("/locks", { headers: createBearerHeader(secret) });
    expect(late.body.detail).toContain("rotated");
    expect(await readStatus(server, body.secret)).toBe(200);
    await server.call(`/keys/${id}/rotate`, { body: {} });
    expect(await readStatus(server, body.secret)).toBe(401);
  });

  it("an API key cannot grant more than it has itself", async ({ server, createKey }) => {
    const ends = Date.now() + 60_000;
    const limited = (await createKey({ verbs: ["admin", "read"], expiresAt: ends })).body;
    const by = createBearerHeader(limited.secret);
    expect((await createKey({ verbs: ["read"], expiresAt: ends - 1 }, by)).status).toBe(201);
    expect((await createKey({ verbs: ["lock"], expiresAt: ends - 1 }, by)).body.code).toBe("forbidden");
    expect((await createKey({ verbs: ["read"] }, by)).body.code).toBe("forbidden");
    const strong = (await createKey({ verbs: ["force"] })).body;
    const rotated = await server.call(`/keys/${strong.id}/rotate`, { body: {}, headers: by });
    expect(rotated.body.code).toBe("forbidden");
  });

  it("an API key with a taken name or an unknown target is rejected", async ({ server, createKey }) => {
    const name = (await createKey()).body.name;
    const again = await server.call("/keys", { body: { name, verbs: ["read"] } });
    expect(again).toMatchObject({ status: 409, body: { code: "already_exists", field: "name" } });
    const nowhere = await server.call("/keys", {
      body: { name: "x", verbs: ["read"], targets: ["nowhere"] },
    });
    expect(nowhere.body).toMatchObject({ code: "invalid", detail: expect.stringContaining("default") });
    expect((await server.call("/keys/none")).status).toBe(404);
  });
});

describe("wrong API keys", () => {
  it("wrong API keys cost only a few store reads per second, however many arrive", async ({
    server,
    direct,
  }) => {
    const calls = async () =>
      Number(/cmdstat_hmget:calls=(\d+)/.exec(await direct.info("commandstats"))?.[1] ?? 0);
    const before = await calls();
    const begun = performance.now();
    const wrong = `lk_${"0".repeat(16)}_${"x".repeat(43)}`;
    const replies = await Promise.all(Array.from({ length: 300 }, () => readStatus(server, wrong)));
    const seconds = (performance.now() - begun) / 1000;
    expect(new Set(replies)).toEqual(new Set([401]));
    expect((await calls()) - before).toBeLessThan(10 + 15 * seconds);
  });
});

describe("home store outage", () => {
  it("known API keys work while the home store is down and are written back to an empty store", async () => {
    const away = await startTestServer({
      hasOwnHome: true,
      file: (url) => ({ targets: [{ name: "default", redis: url }] }),
    });
    const make = async (verbs: string[]) =>
      (await away.call("/keys", { body: { name: verbs.join("-"), verbs } })).body;
    const app = await make(["read", "lock"]);
    const admin = await make(["admin", "force"]);
    const revoked = await make(["read"]);
    await away.call(`/keys/${revoked.id}`, { method: "DELETE" });
    await away.home.kill();
    const headers = createBearerHeader(app.secret);
    await waitUntil(
      async () => (await away.call("/keys", { headers: createBearerHeader(admin.secret) })).status === 503,
    );
    const lock = async () =>
      (await away.call(`/locks/lock:${randomUUID()}/acquire`, { body: { owner: "app" }, headers })).status;
    expect([await lock(), await readStatus(away, app.secret)]).toEqual([201, 200]);
    expect(await readStatus(away, `lk_${"0".repeat(16)}_${"x".repeat(43)}`)).toBe(503);
    await away.home.restart();
    await waitUntil(
      async () => (await away.call("/keys", { headers: createBearerHeader(admin.secret) })).status === 200,
    );
    expect([await lock(), await readStatus(away, revoked.secret)]).toEqual([201, 401]);
    await waitUntil(async () => (await away.home.createClient().hlen("{lockkeeper}:accounts")) >= 4);
    await away.stop();
  });
});
