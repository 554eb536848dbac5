import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const it = serverTest();

it("a hold that stated renewEveryMs and does not renew is overdue, also with a record, and one that stated nothing is not", async ({
  server,
  key,
}) => {
  const record = { service: "billing" };
  const [stating, silent, plain] = [`${key}:stating`, `${key}:silent`, `${key}:plain`];
  const leaseMs = 60_000;
  const { body: granted } = await server.callVerb(stating, "acquire", { leaseMs, renewEveryMs: 100, record });
  await server.callVerb(silent, "acquire", { leaseMs, record });
  await server.callVerb(plain, "acquire", { leaseMs, renewEveryMs: 100 });
  for (const name of [stating, plain])
    await waitUntil(async () => (await server.readLock(name)).liveness.state === "overdue");
  const lock = await server.readLock(stating);
  expect(lock.liveness).toMatchObject({ renewals: 0, renewalIntervalMs: 100 });
  // The start of the lease is computed from a TTL that Redis rounds.
  expect(Math.abs(lock.liveness.nextRenewalExpectedAt - lock.holders[0].since - 100)).toBeLessThanOrEqual(1);
  expect(lock.holders[0].record).toEqual(record);
  expect((await server.readLock(plain)).holders[0]).not.toHaveProperty("record");
  expect((await server.readLock(silent)).liveness).toMatchObject({
    ...{ state: "unknown", nextRenewalExpectedAt: null },
  });
  // A renewal at an earlier time would not be recognized as a renewal.
  await waitUntil(() => Date.now() > lock.holders[0].since + 700);
  expect((await server.callHold(granted, "renew")).status).toBe(200);
  await waitUntil(async () => (await server.readLock(stating)).liveness.renewals === 1);
});

it("renewEveryMs is a whole number of milliseconds below the lease, and belongs to the request", async ({
  server,
  key,
}) => {
  for (const renewEveryMs of [0, 1.5, 30_000, "10"]) {
    const { status, body } = await server.callVerb(key, "acquire", { renewEveryMs });
    expect([status, body.code]).toEqual([400, "invalid"]);
  }
  const requestId = { "idempotency-key": randomUUID() };
  const acquire = (renewEveryMs: number) => server.callVerb(key, "acquire", { renewEveryMs }, requestId);
  expect((await acquire(1000)).status).toBe(201);
  expect((await acquire(1000)).status).toBe(201);
  expect((await acquire(2000)).body.code).toBe("idempotency_key_reused");
});
