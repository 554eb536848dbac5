import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../../test/support/fixtures.ts";
import { readHoldId } from "../../../../test/support/hold-ids.ts";
import { type ApiReply, createBearerHeader, waitUntil } from "../../../../test/support/test-server.ts";
import { buildConditionKeys } from "../../../formats/condition-keys.ts";

const it = serverTest()
  .extend("direct", { scope: "file" }, ({ server }) => server.redis.createClient())
  .extend(
    "waitForWaiters",
    { scope: "file" },
    ({ direct }) =>
      (key: string, count: number) =>
        waitUntil(async () => (await direct.zcard(String(buildConditionKeys(key)[0]))) === count),
  )
  .extend(
    "callCondition",
    { scope: "file" },
    ({ server }) =>
      (
        holdId: string,
        verb: "await" | "signal" | "signal-all",
        body: object | undefined = verb === "await" ? AWAIT : undefined,
        headers = {},
        condition = "ready",
      ): Promise<ApiReply> =>
        server.call(`/holds/${holdId}/conditions/${condition}/${verb}`, { method: "POST", body, headers }),
  );

const WAIT = { waitMs: 20_000 };
const AWAIT = { waitMs: 20_000, reacquireMs: 20_000 };
const createIdempotencyKey = () => ({ "idempotency-key": randomUUID() });

describe("conditions over HTTP", () => {
  it("await returns the lock with its count, owner and lease, and a new holdId", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const first = await server.callVerb(key, "acquire", { owner: "consumer", leaseMs: 45_000 });
    const { holdId } = first.body;
    await server.callVerb(key, "acquire", { reenter: holdId }, createIdempotencyKey());
    const awaited = callCondition(holdId, "await");
    await waitForWaiters(key, 1);
    const other = await server.callVerb(key, "acquire", WAIT);
    expect(await callCondition(other.body.holdId, "signal", undefined, {}, "other")).toMatchObject({
      status: 200,
      body: { signalled: 0 },
    });
    expect((await callCondition(other.body.holdId, "signal")).body).toMatchObject({
      holdId: other.body.holdId,
      signalled: 1,
    });
    await server.callHold(other.body, "release");
    const { status, body } = await awaited;
    expect([status, body.signalled, body.count, body.owner, body.leaseMs]).toEqual([
      200,
      true,
      2,
      "consumer",
      45_000,
    ]);
    expect(Number(body.fence)).toBeGreaterThan(Number(other.body.fence));
    expect(readHoldId(body.holdId)).toMatchObject({ fence: body.fence });
    expect(body.waitedMs).toBeGreaterThanOrEqual(0);
    expect((await server.callHold(body, "release", {}, createIdempotencyKey())).body).toMatchObject({
      outcome: "still_held",
    });
    expect((await server.callHold(body, "release", {}, createIdempotencyKey())).body).toMatchObject({
      outcome: "released",
    });
  });

  it("signal-all reports how many clients it signalled", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const waits = [];
    for (let index = 0; index < 3; index++) {
      const { body } = await server.callVerb(key, "acquire", WAIT);
      waits.push(callCondition(body.holdId, "await").then((reply) => server.callHold(reply.body, "release")));
      await waitForWaiters(key, index + 1);
    }
    const { body } = await server.callVerb(key, "acquire", WAIT);
    expect((await callCondition(body.holdId, "signal-all")).body.signalled).toBe(3);
    await server.callHold(body, "release");
    for (const wait of waits) expect((await wait).body.outcome).toBe("released");
  });

  it("after waitMs, the response has signalled false; after reacquireMs, nothing is held", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const { body } = await server.callVerb(key, "acquire", {});
    const passed = await callCondition(body.holdId, "await", { waitMs: 20, reacquireMs: 20_000 });
    expect([passed.status, passed.body.signalled]).toEqual([200, false]);
    const late = callCondition(passed.body.holdId, "await", { waitMs: 300, reacquireMs: 10 });
    await waitForWaiters(key, 1);
    const other = await server.callVerb(key, "acquire", WAIT);
    expect(await late).toMatchObject({ status: 409, body: { code: "timeout" } });
    await server.callHold(other.body, "release");
  });

  it("a repeated request continues the wait, and then returns the same hold", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const { body } = await server.callVerb(key, "acquire", {});
    const id = createIdempotencyKey();
    const first = callCondition(body.holdId, "await", AWAIT, id);
    await waitForWaiters(key, 1);
    const second = callCondition(body.holdId, "await", AWAIT, id);
    expect((await first).status).not.toBe(200);
    const other = await server.callVerb(key, "acquire", WAIT);
    const signalId = createIdempotencyKey();
    for (let times = 0; times < 2; times++)
      expect((await callCondition(other.body.holdId, "signal", undefined, signalId)).body.signalled).toBe(1);
    await server.callHold(other.body, "release");
    const awaited = await second;
    expect(awaited.status).toBe(200);
    const repeated = await callCondition(body.holdId, "await", AWAIT, id);
    expect(repeated).toMatchObject({ status: 200, body: { holdId: awaited.body.holdId, count: 1 } });
    expect((await callCondition(body.holdId, "await", AWAIT, id, "another")).body.code).toBe(
      "idempotency_key_reused",
    );
    expect((await callCondition(body.holdId, "await")).body.code).toBe("lost");
    await server.callHold(awaited.body, "release");
  });

  it("a client that disconnects loses its place, and its signal passes to the next", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const gone = await server.callVerb(key, "acquire", {});
    const abort = new AbortController();
    const path = `/holds/${gone.body.holdId}/conditions/ready/await`;
    const leaving = server
      .fetch(path, { method: "POST", body: AWAIT, signal: abort.signal })
      .catch(() => undefined);
    await waitForWaiters(key, 1);
    const stays = await server.callVerb(key, "acquire", {});
    const awaited = callCondition(stays.body.holdId, "await");
    await waitForWaiters(key, 2);
    const other = await server.callVerb(key, "acquire", WAIT);
    expect((await callCondition(other.body.holdId, "signal")).body.signalled).toBe(1);
    abort.abort();
    await leaving;
    await waitForWaiters(key, 0);
    await server.callHold(other.body, "release");
    const { body } = await awaited;
    expect(body.signalled).toBe(true);
    await server.callHold(body, "release");
  });

  it("only the API key that acquired the hold can await and signal", async ({
    server,
    callCondition,
    key,
  }) => {
    const { body: created } = await server.call("/keys", {
      body: { name: "billing", verbs: ["read", "lock"] },
    });
    const other = createBearerHeader(created.secret);
    const { body } = await server.callVerb(key, "acquire", {});
    for (const verb of ["await", "signal", "signal-all"] as const)
      expect((await callCondition(body.holdId, verb, undefined, other)).body.code).toBe("not_owner");
    await server.callHold(body, "release");
  });

  it("a hold of another kind, an invalid name and too long waits are refused, and the hold is unchanged", async ({
    server,
    callCondition,
    key,
  }) => {
    const writer = await server.callVerb(key, "acquire", { kind: "write" });
    for (const verb of ["await", "signal"] as const) {
      const reply = await callCondition(writer.body.holdId, verb);
      expect([reply.status, reply.body.code]).toEqual([409, "condition_unsupported"]);
    }
    expect((await callCondition(writer.body.holdId, "await", AWAIT, {}, "a b")).body.code).toBe("invalid");
    expect(
      (await callCondition(writer.body.holdId, "await", { waitMs: 40_000, reacquireMs: 20_000 })).body.code,
    ).toBe("invalid");
    expect((await server.callHold(writer.body, "release")).body.outcome).toBe("released");
  });

  it("a hold counts towards the quota while it waits", async ({
    server,
    callCondition,
    waitForWaiters,
    key,
  }) => {
    const created = await server.call("/keys", {
      body: { name: "small", verbs: ["read", "lock"], holdsMax: 1 },
    });
    const small = createBearerHeader(created.body.secret);
    const { body } = await server.callVerb(key, "acquire", {}, small);
    const awaited = callCondition(body.holdId, "await", AWAIT, small);
    await waitForWaiters(key, 1);
    expect((await server.callVerb(`${key}:more`, "acquire", {}, small)).body.code).toBe("quota_exceeded");
    const other = await server.callVerb(key, "acquire", WAIT);
    await callCondition(other.body.holdId, "signal");
    await server.callHold(other.body, "release");
    const reply = await awaited;
    expect(reply.status).toBe(200);
    await server.callHold(reply.body, "release", {}, small);
    expect((await server.callVerb(`${key}:more`, "acquire", {}, small)).status).toBe(201);
  });
});
