import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished } from "vitest";
import type { Hold } from "../../lib/contract/actions/verb.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestMasters } from "../../test/support/test-masters.ts";
import {
  createBearerHeader,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  waitUntil,
} from "../../test/support/test-server.ts";
import { buildCompanionKey } from "../formats/keys.ts";
import { estimateHoldBytes } from "./hold-bytes.ts";

const DAY_MS = 24 * 3_600_000;
const LONG_NAME = "n".repeat(1000);

interface Application {
  readonly id: string;
  readonly headers: Record<string, string>;
}

let createdCount = 0;

/** Creates an API key with quotas. */
async function createApplication(server: TestServer, quota: object = {}): Promise<Application> {
  const body = { name: `quota-${++createdCount}`, verbs: ["read", "lock"], ...quota };
  const { id, secret } = (await server.call("/keys", { body })).body;
  return { id, headers: createBearerHeader(secret) };
}

const acquire = (
  server: TestServer,
  { headers }: Application,
  key = createTestKey(),
  body: object = { leaseMs: 60_000 },
  requestId?: string,
) =>
  server.call(`/locks/${encodeKeyPath(key)}/acquire`, {
    body,
    headers: { ...headers, ...(requestId === undefined ? {} : { "idempotency-key": requestId }) },
  });

const readUsage = async (server: TestServer, { id }: Application) =>
  (await server.call(`/keys/${id}`)).body.usage ?? {};

const release = (server: TestServer, { headers }: Application, hold: Hold) =>
  server.callHold(hold, "release", {}, headers);

const REFUSED = { status: 429, body: { code: "quota_exceeded" } };

const it = serverTest();

describe("quotas of live holds", () => {
  it("a flood of 1 KB lock names with 24 h leases is refused at the quota, and other keys are not affected", async ({
    server,
  }) => {
    const flooding = await createApplication(server, { holdsMax: 40 });
    const other = await createApplication(server);
    const replies = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        acquire(server, flooding, `lock:${LONG_NAME}:${n}`, { leaseMs: DAY_MS }),
      ),
    );
    const granted = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status !== 201);
    expect([granted.length, refused.length]).toEqual([40, 80]);
    for (const reply of refused) {
      expect(reply).toMatchObject(REFUSED);
      expect(reply.body).toMatchObject({ quota: "holds", limit: 40, used: 40 });
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await acquire(server, other)).status).toBe(201);
    const direct = server.redis.createClient();
    expect((await direct.keys(`lock:${LONG_NAME}:*`)).length).toBe(40);
  });

  it("the quota in bytes refuses what a quota of holds would permit", async ({ server }) => {
    const application = await createApplication(server, { bytesMax: 10_000 });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await acquire(server, application, `lock:${LONG_NAME}:bytes:${n}`)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 429, 429]);
    const refused = await acquire(server, application, `lock:${LONG_NAME}:bytes:9`);
    expect(refused.body).toMatchObject({ code: "quota_exceeded", quota: "bytes", limit: 10_000 });
  });

  it("re-entry, renewal, verification, release and a repeated request work at the quota", async ({
    server,
  }) => {
    const application = await createApplication(server, { holdsMax: 1 });
    const [key, requestId] = [createTestKey(), randomUUID()];
    const { body: hold } = await acquire(server, application, key, { leaseMs: 60_000 }, requestId);
    expect(await acquire(server, application)).toMatchObject(REFUSED);
    const again = await acquire(server, application, key, { leaseMs: 60_000 }, requestId);
    expect([again.status, again.body.holdId]).toEqual([201, hold.holdId]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const reenter = { reenter: hold.holdId };
    expect((await acquire(server, application, key, reenter, randomUUID())).status).toBe(200);
    expect((await server.callHold(hold, "renew", {}, application.headers)).status).toBe(200);
    expect((await server.readHold(hold, application.headers)).body.held).toBe(true);
    const releases = [randomUUID(), randomUUID()].map((id) =>
      server.callHold(hold, "release", {}, { ...application.headers, "idempotency-key": id }),
    );
    expect((await Promise.all(releases)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("a release and an expiry give their room back", async ({ server }) => {
    const application = await createApplication(server, { holdsMax: 1 });
    const { body: first } = await acquire(server, application);
    expect(await acquire(server, application)).toMatchObject(REFUSED);
    await release(server, application, first);
    expect((await acquire(server, application, createTestKey(), { leaseMs: 200 })).status).toBe(201);
    await waitUntil(async () => (await acquire(server, application)).status === 201);
    const usage = await readUsage(server, application);
    expect(usage).toMatchObject({ holds: 1, holdsMax: 1 });
  });

  it("a force-release gives its room back", async ({ server }) => {
    const application = await createApplication(server, { holdsMax: 1 });
    const { body: hold } = await acquire(server, application);
    await server.waitForLocks(hold.key);
    const { version } = await server.readLock(hold.key);
    await server.callVerb(hold.key, "force-release", { expectedVersion: version, reason: "test" });
    await waitUntil(async () => (await readUsage(server, application)).holds === 0);
    expect((await acquire(server, application)).status).toBe(201);
  });

  it("an acquire that is refused with held or times out uses no room", async ({ server }) => {
    const [holder, application] = [
      await createApplication(server),
      await createApplication(server, { holdsMax: 1 }),
    ];
    const { body: held } = await acquire(server, holder);
    expect((await acquire(server, application, held.key)).body.code).toBe("held");
    const timedOut = await acquire(server, application, held.key, { leaseMs: 60_000, waitMs: 50 });
    expect(timedOut.body.code).toBe("timeout");
    expect((await readUsage(server, application)).holds).toBe(0);
    expect((await acquire(server, application)).status).toBe(201);
  });

  it("a waiting acquire is checked before it waits, and its grant is not refused", async ({ server }) => {
    const [holder, application] = [
      await createApplication(server),
      await createApplication(server, { holdsMax: 1 }),
    ];
    const { body: held } = await acquire(server, holder);
    const waiting = acquire(server, application, held.key, { leaseMs: 60_000, waitMs: 10_000 });
    await waitUntil(async () => (await server.readLock(held.key)).waiters?.count === 1);
    expect((await acquire(server, application)).status).toBe(201);
    expect(await acquire(server, application, held.key, { waitMs: 10_000 })).toMatchObject(REFUSED);
    await release(server, holder, held);
    expect((await waiting).status).toBe(201);
    expect((await readUsage(server, application)).holds).toBe(2);
  });

  it("a quota lowered below the usage refuses new holds only, and null restores the limit of the server", async ({
    server,
  }) => {
    const application = await createApplication(server);
    const { body: hold } = await acquire(server, application);
    await acquire(server, application);
    const change = (body: object) => server.call(`/keys/${application.id}`, { method: "PATCH", body });
    expect((await change({ holdsMax: 1 })).body).toMatchObject({
      holdsMax: 1,
      bytesMax: null,
      usage: { holds: 2, holdsMax: 1, bytesMax: 67_108_864 },
    });
    expect(await acquire(server, application)).toMatchObject(REFUSED);
    expect((await server.callHold(hold, "renew", {}, application.headers)).status).toBe(200);
    await change({ holdsMax: null });
    expect((await acquire(server, application)).status).toBe(201);
    expect((await change({ holdsMax: 0 })).status).toBe(400);
    expect((await server.call("/keys/0000000000000000", { method: "PATCH", body: {} })).status).toBe(404);
    const { items } = (await server.call("/audit?limit=20")).body;
    expect(JSON.stringify(items)).toContain("update_api_key");
  });

  it("each instance sees the holds that the other granted, and counts them again after a restart", async ({
    server,
    other,
  }) => {
    const application = await createApplication(server, { holdsMax: 2 });
    const { body: first } = await acquire(server, application);
    await acquire(other, application);
    for (const instance of [server, other]) {
      await waitUntil(async () => (await readUsage(instance, application)).holds === 2);
      expect(await acquire(instance, application)).toMatchObject(REFUSED);
    }
    await release(server, application, first);
    await waitUntil(async () => (await readUsage(other, application)).holds === 1);
    expect((await acquire(other, application)).status).toBe(201);
    const restarted = await startTestServer({ environment: { REDIS_URL: server.redis.url } });
    try {
      await waitUntil(async () => (await readUsage(restarted, application)).holds === 2);
      expect(await acquire(restarted, application)).toMatchObject(REFUSED);
    } finally {
      await restarted.stop();
    }
  });

  it.for([{ kind: "read" }, { kind: "semaphore", limit: 9, permits: 2 }] as const)(
    "holds of the kind $kind that share a key count separately, on every instance",
    async (options, { server, other }) => {
      const application = await createApplication(server, { holdsMax: 2 });
      const [key, requestId] = [createTestKey(), randomUUID()];
      const share = (instance: TestServer, id?: string) =>
        acquire(instance, application, key, { ...options, leaseMs: 60_000 }, id);
      const { body: first } = await share(server, requestId);
      expect((await share(server)).status).toBe(201);
      for (const instance of [server, other]) {
        await waitUntil(async () => (await readUsage(instance, application)).holds === 2);
        expect(await share(instance)).toMatchObject({ ...REFUSED, body: { quota: "holds", used: 2 } });
        const again = await share(instance, requestId);
        expect([again.status, again.body.holdId]).toEqual([201, first.holdId]);
      }
      await release(other, application, first);
      for (const instance of [other, server])
        await waitUntil(async () => (await readUsage(instance, application)).holds === 1);
      expect((await share(other)).status).toBe(201);
      expect(await share(other)).toMatchObject(REFUSED);
    },
  );

  it("a downgraded hold counts once, and its release gives its room back", async ({ server }) => {
    const application = await createApplication(server, { holdsMax: 1 });
    const { body: writer } = await acquire(server, application, createTestKey(), { kind: "write" });
    const { body: reader } = await server.callHold(writer, "downgrade", {}, application.headers);
    await waitUntil(async () => (await server.readLock(writer.key)).kind === "read");
    expect((await readUsage(server, application)).holds).toBe(1);
    expect(await acquire(server, application, writer.key, { kind: "read" })).toMatchObject(REFUSED);
    await release(server, application, reader);
    expect((await readUsage(server, application)).holds).toBe(0);
  });

  it("the estimate of a hold is near what Redis reports", async ({ server }) => {
    const application = await createApplication(server);
    const direct = server.redis.createClient();
    for (const [key, owner, record] of [
      ["lock:small", "o", undefined],
      [`lock:${LONG_NAME}:large`, "o".repeat(256), { host: "h".repeat(200), purpose: "锁".repeat(200) }],
    ] as const) {
      const reply = await acquire(server, application, key, {
        owner,
        ...(record && { record }),
        leaseMs: 60_000,
      });
      expect(reply.status).toBe(201);
      const sizes = await Promise.all(
        [key, String(buildCompanionKey(key))].map((each) => direct.call("MEMORY", "USAGE", each)),
      );
      const real = sizes.reduce((sum: number, size) => sum + Number(size), 0);
      const ratio = estimateHoldBytes({ key, owner, record }) / real;
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(2);
    }
  });
});

async function startServer(options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options);
  onTestFinished(() => server.stop());
  return server;
}

describe("quotas of other servers", () => {
  it("the limit of the server counts for every principal that has none of its own, the root key included", async () => {
    const server = await startServer({ environment: { LOCKKEEPER_HOLDS_PER_CALLER_MAX: "2" } });
    const acquireAsRoot = () => server.callVerb(createTestKey(), "acquire", {});
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await acquireAsRoot()).status);
    expect(statuses).toEqual([201, 201, 429]);
    const own = await createApplication(server, { holdsMax: 3 });
    const ownStatuses = [];
    for (let n = 0; n < 4; n++) ownStatuses.push((await acquire(server, own)).status);
    expect(ownStatuses).toEqual([201, 201, 201, 429]);
  });

  it("holds that the index leaves out count from the grants of this instance until they end", async () => {
    const server = await startServer({ environment: { LOCKKEEPER_LOCKS_MAX: "1" } });
    await server.acquire("lock:indexed");
    await server.waitForLocks("lock:indexed");
    const application = await createApplication(server, { holdsMax: 2 });
    const { body: hold } = await acquire(server, application);
    const { body: brief } = await acquire(server, application, createTestKey(), { leaseMs: 2000 });
    expect(await acquire(server, application)).toMatchObject(REFUSED);
    expect((await server.callHold(brief, "renew", { leaseMs: 2500 }, application.headers)).status).toBe(200);
    await release(server, application, hold);
    expect((await acquire(server, application)).status).toBe(201);
    await waitUntil(async () => (await acquire(server, application)).status === 201);
  });

  it("a quorum counts a hold once, on every instance", async () => {
    const masters = await startTestMasters(3);
    onTestFinished(() => masters.stop());
    const targets = [{ name: "locks", redis: { quorum: masters.urls } }];
    const server = await startServer({ file: (home) => ({ home, targets }) });
    const second = await startServer({ file: () => ({ home: server.redis.url, targets }) });
    const application = await createApplication(server, { holdsMax: 2 });
    const { body: hold } = await acquire(server, application);
    expect((await acquire(server, application)).status).toBe(201);
    for (const instance of [server, second]) {
      await waitUntil(async () => (await readUsage(instance, application)).holds === 2);
      expect(await acquire(instance, application)).toMatchObject(REFUSED);
    }
    await release(server, application, hold);
    await waitUntil(async () => (await readUsage(second, application)).holds === 1);
    expect((await acquire(second, application)).status).toBe(201);
  });

  it("a hold on a quorum counts before its masters have been read", async () => {
    const masters = await startTestMasters(3);
    onTestFinished(() => masters.stop());
    const targets = [{ name: "locks", redis: { quorum: masters.urls } }];
    const server = await startServer({ file: (home) => ({ home, targets }) });
    for (let round = 0; round < 5; round++) {
      const application = await createApplication(server, { holdsMax: 3 });
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++) statuses.push((await acquire(server, application)).status);
      expect(statuses).toEqual([201, 201, 201, 429, 429, 429]);
    }
  });
});
