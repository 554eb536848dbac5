import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { ReleasedHolds, RenewedHolds } from "../../../../lib/contract/actions/hold-batch.ts";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { changeHoldId, createHoldId } from "../../../../test/support/hold-ids.ts";
import { createBearerHeader, type TestServer } from "../../../../test/support/test-server.ts";

const it = serverTest({
  environment: { LOCKKEEPER_LOG: "silent" },
  file: (url) => ({
    targets: [
      { name: "default", redis: `${url}/0` },
      { name: "other", redis: `${url}/1` },
      { name: "frozen", redis: `${url}/2`, readOnly: true },
    ],
  }),
}).extend("limitedKey", { scope: "file" }, async ({ server }) => {
  const body = { name: "billing", verbs: ["lock"], keys: ["lock:billing:*"] };
  const { body: created } = await server.call("/keys", { body });
  return createBearerHeader(created.secret);
});

const createKey = (prefix = "lock:") => `${prefix}${randomUUID()}`;
const createRequestId = () => ({ "idempotency-key": randomUUID() });

async function renew(server: TestServer, holdIds: readonly string[], more = {}, headers = {}) {
  const holds = holdIds.map((holdId) => ({ holdId, ...more }));
  const { status, body } = await server.call("/holds/renew", { body: { holds }, headers });
  expect([status, body.code]).toEqual([200, undefined]);
  return RenewedHolds.parse(body);
}

async function release(server: TestServer, holdIds: readonly string[], more = {}, headers = {}) {
  const holds = holdIds.map((holdId) => ({ holdId, ...more }));
  const { status, body } = await server.call("/holds/release", { body: { holds }, headers });
  expect([status, body.code]).toEqual([200, undefined]);
  return ReleasedHolds.parse(body);
}

/** Returns the outcome of each hold, followed by the error code if there is a problem. */
const describeResults = ({ results }: RenewedHolds | ReleasedHolds) =>
  results.map(({ outcome, problem }) => (problem === undefined ? outcome : `${outcome} ${problem.code}`));

/** Returns a holdId for each reason for which a hold cannot be renewed. */
async function createUnusable(server: TestServer, limitedKey: Record<string, string>) {
  const ended = await server.acquire(createKey());
  await server.callHold(ended, "release");
  const foreign = await server.acquire(createKey("lock:billing:"), {}, limitedKey);
  return [
    ended.holdId,
    foreign.holdId,
    "h1.AAAA",
    createHoldId({ target: "nowhere" }),
    createHoldId({ target: "frozen" }),
    changeHoldId(ended.holdId, { key: "lockkeeper:own" }),
  ];
}

describe("POST /holds/renew", () => {
  it("each hold has its result in its place, and a hold that fails does not affect the others", async ({
    server,
    limitedKey,
  }) => {
    const first = await server.acquire(createKey(), { leaseMs: 20_000 });
    const unusable = await createUnusable(server, limitedKey);
    const elsewhere = await server.call(`/locks/${createKey()}/acquire?target=other`, { body: {} });
    const holdIds = [first.holdId, ...unusable, elsewhere.body.holdId];
    const renewed = await renew(server, holdIds, { leaseMs: 60_000 });
    expect(describeResults(renewed)).toEqual([
      "renewed",
      "lost lost",
      "lost not_owner",
      "lost invalid_hold_id",
      "lost not_found",
      "lost read_only",
      "lost key_not_allowed",
      "renewed",
    ]);
    expect(renewed.results.map(({ holdId }) => holdId)).toEqual(holdIds);
    expect(renewed.results[0]).toMatchObject({ leaseMs: 60_000 });
    expect(renewed.results[0]?.remainingMs).toBeGreaterThan(55_000);
    expect(Math.abs(renewed.asOf - Date.now())).toBeLessThan(5000);
    const status = await server.readHold(first);
    expect(status.body.remainingMs).toBeGreaterThan(55_000);
  });

  it("an API key renews its own holds of the keys that it may lock, and no others", async ({
    server,
    limitedKey,
  }) => {
    const mine = await server.acquire(createKey("lock:billing:"), {}, limitedKey);
    const theirs = await server.acquire(createKey());
    expect(describeResults(await renew(server, [mine.holdId, theirs.holdId], {}, limitedKey))).toEqual([
      "renewed",
      "lost forbidden",
    ]);
    expect(describeResults(await renew(server, [mine.holdId, theirs.holdId]))).toEqual([
      "lost not_owner",
      "renewed",
    ]);
  });

  it("a release request is in the result of the hold that it is about", async ({ server }) => {
    const [asked, other] = [createKey(), createKey()];
    const hold = await server.acquire(asked, { receivesReleaseRequests: true });
    const { holdId } = await server.acquire(other);
    const { version } = await server.readLock(asked);
    const request = { expectedVersion: version, reason: "migration" };
    expect((await server.callVerb(asked, "request-release", request)).status).toBe(200);
    const { results } = await renew(server, [hold.holdId, holdId]);
    expect(results.map(({ releaseRequested }) => releaseRequested?.reason ?? null)).toEqual([
      "migration",
      null,
    ]);
  });

  it("1,000 holds are renewed with one request", async ({ server }) => {
    const keys = Array.from({ length: 1000 }, () => createKey());
    const holds = await Promise.all(keys.map((key) => server.acquire(key)));
    const { results } = await renew(
      server,
      holds.map(({ holdId }) => holdId),
    );
    expect(results.filter(({ outcome }) => outcome === "renewed")).toHaveLength(1000);
  });

  it.for([
    ["no hold", []],
    ["a hold twice", [{ holdId: createHoldId() }, { holdId: createHoldId() }]],
    ["an unknown field", [{ holdId: createHoldId(), lease: 1 }]],
    ["a lease of 1 ms", [{ holdId: createHoldId(), leaseMs: 1 }]],
    ["1,001 holds", Array.from({ length: 1001 }, (_, at) => ({ holdId: `h1.${at}` }))],
  ] as const)("a request with %s is invalid", async ([, holds], { server }) => {
    const { status, body } = await server.call("/holds/renew", { body: { holds } });
    expect([status, body.code]).toEqual([400, "invalid"]);
  });

  it("a caller that may lock nothing is refused", async ({ server }) => {
    const { body: created } = await server.call("/keys", { body: { name: "reader", verbs: ["read"] } });
    for (const verb of ["renew", "release"]) {
      const { status, body } = await server.call(`/holds/${verb}`, {
        body: { holds: [{ holdId: createHoldId() }] },
        headers: createBearerHeader(created.secret),
      });
      expect([status, body.code]).toEqual([403, "forbidden"]);
    }
  });
});

describe("POST /holds/release", () => {
  it("each hold has its result in its place, and a hold that fails does not affect the others", async ({
    server,
    limitedKey,
    direct,
  }) => {
    const [first, last] = [await server.acquire(createKey()), await server.acquire(createKey())];
    const unusable = await createUnusable(server, limitedKey);
    const released = await release(server, [first.holdId, ...unusable, last.holdId]);
    expect(describeResults(released)).toEqual([
      "released",
      "not_held",
      "refused not_owner",
      "refused invalid_hold_id",
      "refused not_found",
      "refused read_only",
      "refused key_not_allowed",
      "released",
    ]);
    expect(await direct.exists(first.key, last.key)).toBe(0);
  });

  it("a count above one needs an Idempotency-Key, and a repeated request releases once", async ({
    server,
  }) => {
    const [twice, once] = [await server.acquire(createKey()), await server.acquire(createKey())];
    await server.reenter(twice);
    await server.reenter(twice);
    const both = [twice.holdId, once.holdId];
    expect(describeResults(await release(server, [twice.holdId]))).toEqual([
      "refused idempotency_key_required",
    ]);
    const id = createRequestId();
    for (let time = 0; time < 2; time++) {
      const { results } = await release(server, both, {}, id);
      expect(results.map(({ outcome, count }) => [outcome, count])).toEqual([
        ["still_held", 2],
        ["released", 0],
      ]);
    }
    // A repeated request may also contain only some of the holds.
    expect((await release(server, [twice.holdId], {}, id)).results[0]).toMatchObject({ count: 2 });
    expect((await release(server, [twice.holdId], {}, createRequestId())).results[0]).toMatchObject({
      outcome: "still_held",
      count: 1,
    });
  });

  it("two holds of one key are released under one Idempotency-Key", async ({ server }) => {
    const key = createKey();
    const ended = await server.acquire(key);
    await server.callHold(ended, "release");
    const held = await server.acquire(key);
    const released = await release(server, [ended.holdId, held.holdId], {}, createRequestId());
    expect(describeResults(released)).toEqual(["not_held", "released"]);
  });

  it("released holds can be reserved in the name of the caller", async ({ server }) => {
    const hold = await server.acquire(createKey());
    expect(describeResults(await release(server, [hold.holdId], { reservedMs: 60_000 }))).toEqual([
      "released",
    ]);
    const refused = await server.callVerb(hold.key, "acquire", {});
    expect([refused.body.code, refused.body.holders[0].owner]).toEqual([
      "held",
      "lockkeeper:reserve:key:root",
    ]);
  });
});
