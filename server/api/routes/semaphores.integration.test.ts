import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { createBearerHeader, waitUntil } from "../../../test/support/test-server.ts";
import { buildLatchChannel } from "../../formats/redisson/redisson-keys.ts";

interface AuditItem {
  readonly outcome: object | null;
}

const it = serverTest();
const encode = encodeURIComponent;

describe("semaphores", () => {
  it("acquires permits, renews and verifies the hold by its holdId, and releases them", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { kind: "semaphore", permits: 2, limit: 3, owner: "me" });
    expect(hold).toMatchObject({ kind: "semaphore", count: 2, owner: "me" });
    const other = await server.acquire(key, { kind: "semaphore" });
    const refused = await server.call(`/locks/${encode(key)}/acquire`, { body: { kind: "semaphore" } });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "held", permits: { available: 0, total: 3 }, holders: [] },
    });
    expect((await server.callHold(hold, "renew")).body).toMatchObject({ kind: "semaphore", count: 2 });
    expect((await server.call(`/holds/${hold.holdId}`)).body).toMatchObject({ held: true, count: 2 });
    for (const each of [hold, other])
      expect((await server.callHold(each, "release")).body).toMatchObject({ outcome: "released" });
    expect(await direct.get(key)).toBe("3");
  });

  it("a repeated Idempotency-Key returns the same permits from any instance", async ({
    server,
    other,
    direct,
    key,
  }) => {
    const headers = { "idempotency-key": randomUUID() };
    const body = { kind: "semaphore", permits: 2, limit: 5 };
    const path = `/locks/${encode(key)}/acquire`;
    const [first, again] = [
      await server.call(path, { body, headers }),
      await other.call(path, { body, headers }),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.holdId).toBe(first.body.holdId);
    expect(await direct.get(key)).toBe("3");
  });

  it("the list shows the holds, and an operator force-releases one of them", async ({
    server,
    direct,
    key,
  }) => {
    const one = await server.acquire(key, { kind: "semaphore", permits: 2, limit: 3, owner: "one" });
    await server.acquire(key, { kind: "semaphore", owner: "two" });
    const path = `/locks/${encode(key)}`;
    await waitUntil(async () => (await server.call(path)).body.holders?.length === 2);
    const { body: lock } = await server.call(path);
    expect(lock).toMatchObject({ kind: "semaphore", permits: { available: 0, total: 3 } });
    const holder = lock.holders.find(({ owner }: { owner: string }) => owner === "one");
    expect(holder).toMatchObject({ holdId: one.holdId, count: 2, fence: one.fence });
    const body = { expectedVersion: holder.version, reason: "stuck" };
    expect(await server.call(`${path}/force-release`, { body })).toMatchObject({ status: 200 });
    expect(await direct.get(key)).toBe("2");
    expect(await server.callHold(one, "renew")).toMatchObject({ status: 410, body: { code: "lost" } });
  });

  it("a plain semaphore has holds with the same verbs, and no known total", async ({
    server,
    direct,
    key,
  }) => {
    await direct.set(key, "3");
    const kind = "plain_semaphore";
    const one = await server.acquire(key, { kind, permits: 2, owner: "one" });
    expect(one).toMatchObject({ kind, count: 2 });
    await server.acquire(key, { kind, owner: "two" });
    const path = `/locks/${encode(key)}`;
    expect(await server.call(`${path}/acquire`, { body: { kind } })).toMatchObject({
      status: 409,
      body: { code: "held", permits: { available: 0, total: null } },
    });
    await waitUntil(async () => (await server.call(path)).body.holders?.length === 2);
    const { body: lock } = await server.call(path);
    expect(lock).toMatchObject({ kind: "semaphore", permits: { available: 0, total: null } });
    const holder = lock.holders.find(({ owner }: { owner: string }) => owner === "one");
    expect(holder).toMatchObject({ holdId: one.holdId, count: 2, fence: one.fence });
    expect((await server.callHold(one, "renew")).body).toMatchObject({ kind, count: 2 });
    expect(await server.call(`${path}/acquire`, { body: { kind: "semaphore", limit: 3 } })).toMatchObject({
      status: 409,
      body: { code: "kind_conflict" },
    });
    expect(
      await server.call(`/semaphores/${encode(key)}`, { method: "PUT", body: { limit: 5 } }),
    ).toMatchObject({
      body: { code: "kind_conflict" },
    });
    const body = { expectedVersion: holder.version, reason: "stuck" };
    expect(await server.call(`${path}/force-release`, { body })).toMatchObject({ status: 200 });
    expect(await server.callHold(one, "renew")).toMatchObject({ status: 410, body: { code: "lost" } });
    expect(await direct.get(key)).toBe("2");
    await waitUntil(async () => (await server.call(path)).body.holders?.length === 1);
    const { version } = (await server.call(path)).body;
    const extension = { expectedVersion: version, leaseMs: 60_000, reason: "backup" };
    expect((await server.call(`${path}/extend`, { body: extension })).body.code).toBe("read_only");
  });

  it("each hold counts in the quota of its caller until it is released", async ({ server, key }) => {
    const application = { name: `quota-${randomUUID()}`, verbs: ["read", "lock"], holdsMax: 2 };
    const headers = createBearerHeader((await server.call("/keys", { body: application })).body.secret);
    const path = `/locks/${encode(key)}/acquire`;
    const acquire = () => server.call(path, { body: { kind: "semaphore", limit: 5 }, headers });
    const [one, two, three] = [await acquire(), await acquire(), await acquire()];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(three).toMatchObject({ status: 429, body: { code: "quota_exceeded", used: 2 } });
    // The quota counts each hold only once, both before and after the watcher has observed it.
    await waitUntil(async () => (await server.call(`/locks/${encode(key)}`)).body.holders?.length === 2);
    await server.call(`/holds/${one.body.holdId}/release`, { body: {}, headers });
    expect((await acquire()).status).toBe(201);
    expect((await acquire()).body.code).toBe("quota_exceeded");
  });

  it("the limit is set, and requests with a different limit are refused", async ({ server, key }) => {
    const put = (limit: unknown) =>
      server.call(`/semaphores/${encode(key)}`, { method: "PUT", body: { limit } });
    expect(await put(2)).toMatchObject({ status: 200, body: { key, limit: 2, available: 2, acquired: 0 } });
    await server.acquire(key, { kind: "semaphore", permits: 2 });
    expect((await put(1)).body).toMatchObject({ limit: 1, available: -1, acquired: 2 });
    const path = `/locks/${encode(key)}/acquire`;
    expect(await server.call(path, { body: { kind: "semaphore", limit: 2 } })).toMatchObject({
      status: 409,
      body: { code: "limit_conflict", limit: 1 },
    });
    for (const body of [{ permits: 2 }, { permits: 2, limit: 1 }])
      expect(await server.call(path, { body: { kind: "semaphore", ...body } })).toMatchObject({
        status: 409,
        body: { code: "limit_conflict", limit: 1 },
      });
    for (const limit of [0, 1.5, "2", 4097]) expect((await put(limit)).body.code).toBe("invalid");
    for (const body of [
      { permits: 2 },
      { limit: 2 },
      { kind: "semaphore", graceMs: 5 },
      { kind: "semaphore", format: "token" },
    ])
      expect((await server.call(path, { body })).body.code).toBe("invalid");
  });
});

describe("the audit log", () => {
  it("contains each change of a limit with the old and the new one", async ({ server, key }) => {
    const path = `/semaphores/${encode(key)}`;
    for (const limit of [2, 5]) await server.call(path, { method: "PUT", body: { limit } });
    const read = async () =>
      (await server.call(`/audit?key=${encode(key)}&action=set_semaphore_limit`)).body.items;
    await waitUntil(async () => (await read()).every(({ outcome }: AuditItem) => outcome !== null));
    const about = { target: "default", key, action: "set_semaphore_limit" };
    expect(await read()).toMatchObject([
      {
        ...about,
        details: { limit: 5 },
        outcome: { code: "done", details: { previousLimit: 2, available: 5 } },
      },
      { ...about, details: { limit: 2 }, outcome: { code: "done", details: { previousLimit: null } } },
    ]);
  });

  it("contains the count of a latch that was closed, and the refusal of a second one", async ({
    server,
    key,
  }) => {
    const path = `/latches/${encode(key)}`;
    for (const count of [3, 4]) await server.call(path, { method: "PUT", body: { count } });
    await server.call(`${path}/count-down`, { method: "POST" });
    const read = async () => (await server.call(`/audit?key=${encode(key)}`)).body.items;
    await waitUntil(async () => (await read()).every(({ outcome }: AuditItem) => outcome !== null));
    expect(await read()).toMatchObject([
      { action: "set_latch_count", details: { count: 4 }, outcome: { code: "already_exists" } },
      { action: "set_latch_count", details: { count: 3 }, outcome: { code: "done" } },
    ]);
  });
});

describe("latches", () => {
  it("a POST without fields accepts {} and refuses anything else", async ({ server, key }) => {
    const path = `/latches/${encode(key)}/count-down`;
    expect((await server.call(path, { body: {} })).status).toBe(200);
    for (const body of [{ count: 1 }, [], '"text"']) {
      const { status, body: problem } = await server.call(path, { body });
      expect([status, problem.code]).toEqual([400, "invalid"]);
    }
  });

  it("is listed as a latch with its count, and a force-release opens it", async ({ server, direct, key }) => {
    await server.call(`/latches/${encode(key)}`, { method: "PUT", body: { count: 3 } });
    const read = async () => (await server.call(`/locks/${encode(key)}`)).body;
    expect(await read()).toMatchObject({ kind: "latch", confidence: "certain", holders: [{ count: 3 }] });
    await waitUntil(async () => (await server.call(`/locks?filter=kind:latch key:${key}`)).body.total === 1);
    await server.call(`/latches/${encode(key)}/count-down`, { method: "POST" });
    await waitUntil(async () => (await read()).holders[0]?.count === 2);
    const { version } = await read();
    const { body } = await server.callVerb(key, "force-release", {
      expectedVersion: version,
      reason: "test",
    });
    expect(body.outcome).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    // Any client could have written the companion, so a companion alone does not turn other data into a latch.
    await direct.set(key, "three");
    expect(await read()).not.toMatchObject({ kind: "latch" });
  });

  it("is set once, counted down once per Idempotency-Key, and opens for clients that wait", async ({
    server,
    other,
    direct,
    key,
  }) => {
    const path = `/latches/${encode(key)}`;
    const put = (count: number) => server.call(path, { method: "PUT", body: { count } });
    expect(await put(2)).toMatchObject({ status: 201, body: { target: "default", key, count: 2 } });
    expect(await put(5)).toMatchObject({ status: 409, body: { code: "already_exists" } });
    const headers = { "idempotency-key": randomUUID() };
    for (const each of [server, other])
      expect(
        (await each.call(`${path}/count-down`, { body: undefined, method: "POST", headers })).body.count,
      ).toBe(1);
    expect((await server.call(`${path}?waitMs=20`)).body.count).toBe(1);
    const waiting = other.call(`${path}?waitMs=20000`);
    await waitUntil(async () => {
      const [, count] = (await direct.call("PUBSUB", "NUMSUB", String(buildLatchChannel(key)))) as [
        string,
        number,
      ];
      return count === 1;
    });
    expect((await server.call(`${path}/count-down`, { method: "POST" })).body.count).toBe(0);
    expect((await waiting).body.count).toBe(0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("an API key needs access to the key, and reading needs less than counting down", async ({
    server,
    direct,
  }) => {
    const names = ["a", "b"].map((name) => createTestKey(`lock:${name}`));
    const [key = "", foreign = ""] = names;
    const application = { name: `latch-${randomUUID()}`, verbs: ["read"], keys: ["lock:a:*"] };
    const headers = createBearerHeader((await server.call("/keys", { body: application })).body.secret);
    expect((await server.call(`/latches/${encode(key)}`, { headers })).body.count).toBe(0);
    for (const [method, path] of [
      ["GET", `/latches/${encode(foreign)}`],
      ["PUT", `/latches/${encode(key)}`],
      ["POST", `/latches/${encode(key)}/count-down`],
      ["PUT", `/semaphores/${encode(key)}`],
    ] as const) {
      const body = method === "PUT" ? (path.startsWith("/latches") ? { count: 1 } : { limit: 1 }) : undefined;
      expect(await server.call(path, { method, body, headers })).toMatchObject({ status: 403 });
    }
    expect(await direct.exists(...names)).toBe(0);
  });
});
