import { describe, expect } from "vitest";
import type { Hold } from "../../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../../../../test/support/test-locks.ts";
import { createBearerHeader, waitUntil } from "../../../../test/support/test-server.ts";

const REASON = "migration of the orders table";
const it = serverTest()
  .extend("request", { scope: "file" }, ({ server }) => async (key: string, more: object = {}) => {
    const { version } = await server.readLock(key);
    return await server.callVerb(key, "request-release", {
      ...{ expectedVersion: version, reason: REASON },
      ...more,
    });
  })
  .extend("answer", { scope: "file" }, ({ server }) => async (hold: Hold, body: object) => {
    return await server.callHold(hold, "answer-release-request", body);
  });

describe.each(["redisson", "token", "timestamp"])("release requests of holds in %s", (format) => {
  it("the holder reads the request with its renewal, answers it, and releases", async ({
    server,
    key,
    request,
    answer,
  }) => {
    const hold = await server.acquire(key, { owner: "w1", format, receivesReleaseRequests: true });
    expect(hold.releaseRequested).toBeNull();
    const { version } = await server.readLock(key);
    const { status, body } = await request(key);
    expect([status, body]).toEqual([
      200,
      {
        requestId: expect.stringMatching(/^rr_/),
        ...{ reason: REASON, requestedBy: "key:root", requestedAt: expect.any(Number) },
        ...{ state: "requested", answerText: null },
      },
    ]);
    const lock = await server.readLock(key);
    expect(lock.version).toBe(version);
    expect(lock.holders[0]).toMatchObject({ receivesReleaseRequests: true, releaseRequested: body });
    expect((await server.callHold(hold, "renew")).body.releaseRequested).toEqual(body);
    const { requestId } = body;
    const answered = await answer(hold, { requestId, answer: "accepted", text: "after\nthis batch" });
    const accepted = { ...body, state: "accepted", answerText: "after this batch" };
    expect([answered.status, answered.body]).toEqual([200, accepted]);
    expect((await answer(hold, { requestId, answer: "accepted" })).body).toEqual(accepted);
    const changed = await answer(hold, { requestId, answer: "refused" });
    expect([changed.status, changed.body.code]).toEqual([409, "changed"]);
    await waitUntil(async () => {
      const { body: list } = await server.callUntilAvailable(`/locks?filter=key:${key}`);
      return list.items[0]?.holders[0]?.releaseRequested?.state === "accepted";
    });
    expect((await server.callHold(hold, "release")).body.outcome).toBe("released");
    const lost = await answer(hold, { requestId, answer: "accepted" });
    expect([lost.status, lost.body.code]).toEqual([410, "lost"]);
    await waitUntil(async () => (await readEvents(server, key)).length === 4);
    expect(await readEvents(server, key)).toEqual([
      { type: "acquired", seq: 1 },
      { type: "release_requested", seq: 2, by: "key:root", reason: REASON },
      { type: "release_request_accepted", seq: 4, reason: "after this batch" },
      { type: "released", seq: 5 },
    ]);
  });

  it("the lock can be force-released with the version from before the request", async ({
    server,
    key,
    request,
    answer,
  }) => {
    const hold = await server.acquire(key, { owner: "w1", format, receivesReleaseRequests: true });
    const { version } = await server.readLock(key);
    const { body } = await request(key, { expectedVersion: version });
    await answer(hold, { requestId: body.requestId, answer: "refused", text: "2 minutes" });
    const forced = await server.callVerb(key, "force-release", {
      ...{ expectedVersion: version, reason: "cannot wait" },
    });
    expect([forced.status, forced.body.outcome]).toEqual([200, "released"]);
  });

  it("a hold declares with a renewal that it receives requests", async ({ server, key, request }) => {
    const hold = await server.acquire(key, { owner: "w1", format });
    const refused = await request(key);
    expect([refused.status, refused.body.code]).toEqual([409, "release_request_unsupported"]);
    expect((await server.readLock(key)).holders[0].receivesReleaseRequests).toBeUndefined();
    await server.callHold(hold, "renew", { receivesReleaseRequests: true });
    expect((await request(key)).status).toBe(200);
  });
});

async function readEvents(
  { call }: { call(path: string): Promise<{ body: { items: Record<string, unknown>[] } }> },
  key: string,
) {
  const { body } = await call(`/locks/${key}/history`);
  return body.items.toReversed().map(({ type, seq, by, reason }) => ({
    ...{ type, seq },
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  }));
}

it("a repeated acquire with the same Idempotency-Key returns the request", async ({
  server,
  key,
  request,
}) => {
  const headers = { "idempotency-key": "once" };
  const ask = { owner: "w1", receivesReleaseRequests: true };
  await server.acquire(key, ask, headers);
  const { body } = await request(key);
  expect((await server.acquire(key, ask, headers)).releaseRequested).toEqual(body);
});

it("a lock of another library receives no request", async ({ server, direct, request }) => {
  const key = createTestKey();
  await direct.hset(key, createRedissonOwner(), 1);
  await server.waitForLocks(`key:${key}`);
  const { status, body } = await request(key);
  expect([status, body.code]).toEqual([409, "release_request_unsupported"]);
});

it("a request for another version, without a reason, or of another format sends nothing", async ({
  server,
  key,
  request,
}) => {
  const first = await server.acquire(key, { owner: "w1", receivesReleaseRequests: true });
  const { version } = await server.readLock(key);
  const blank = await request(key, { reason: " \n" });
  expect([blank.status, blank.body.code]).toEqual([422, "reason_required"]);
  const format = await request(key, { format: "redis-py" });
  expect([format.status, format.body.code]).toEqual([400, "invalid"]);
  await server.callHold(first, "release");
  const ended = await request(key, { expectedVersion: version });
  expect([ended.status, ended.body.code]).toEqual([410, "lost"]);
  const second = await server.acquire(key, { owner: "w1", receivesReleaseRequests: true });
  const changed = await request(key, { expectedVersion: version });
  expect([changed.status, changed.body.code]).toEqual([409, "changed"]);
  expect(changed.body.detail).toMatch(/Nothing was changed\.$/);
  expect((await server.callHold(second, "renew")).body.releaseRequested).toBeNull();
});

it("only the API key that acquired a hold can answer, and only a caller with force can request", async ({
  server,
  key,
  request,
  answer,
}) => {
  const createKey = async (name: string) => {
    const { body } = await server.call("/keys", {
      body: { name, verbs: ["read", "lock"], keys: ["lock:*"] },
    });
    return createBearerHeader(body.secret);
  };
  const [mine, other] = [await createKey("mine"), await createKey("other")];
  const hold = await server.acquire(key, { receivesReleaseRequests: true }, mine);
  const { version } = await server.readLock(key);
  const asked = { expectedVersion: version, reason: REASON };
  const refused = await server.callVerb(key, "request-release", asked, mine);
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  const { requestId } = (await request(key)).body;
  const accepted = { requestId, answer: "accepted" };
  for (const headers of [other, {}]) {
    const { status, body } = await server.callHold(hold, "answer-release-request", accepted, headers);
    expect([status, body.code]).toEqual([403, "not_owner"]);
  }
  expect((await server.readLock(key)).holders[0].releaseRequested.state).toBe("requested");
  expect((await server.callHold(hold, "answer-release-request", accepted, mine)).status).toBe(200);
  expect((await answer(hold, accepted)).body.code).toBe("not_owner");
});

it("requests and answers are in the audit log with their outcome", async ({
  server,
  key,
  request,
  answer,
}) => {
  const hold = await server.acquire(key, { owner: "w1", receivesReleaseRequests: true });
  const { body } = await request(key);
  const { requestId } = body;
  await answer(hold, { requestId, answer: "refused", text: "2 minutes" });
  await request(key, { expectedVersion: "fence.1" });
  const readAudit = async () =>
    (await server.call(`/audit?key=${encodeURIComponent(key)}`)).body.items.map(
      ({ action, reason, seen, details, outcome }: Record<string, Record<string, unknown>>) => ({
        ...{ action, reason, version: seen?.version, details, code: outcome?.code },
      }),
    );
  await waitUntil(async () => (await readAudit()).every(({ code }: { code?: string }) => code !== undefined));
  expect((await readAudit()).toReversed()).toEqual([
    {
      ...{ action: "request_release", reason: REASON, version: `fence.${hold.fence}`, details: {} },
      code: "requested",
    },
    {
      ...{ action: "answer_release_request", reason: undefined, version: undefined },
      ...{ details: { requestId, answer: "refused", text: "2 minutes" }, code: "refused" },
    },
    { action: "request_release", reason: REASON, version: "fence.1", details: {}, code: "changed" },
  ]);
});
