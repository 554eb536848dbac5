import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { z } from "zod";
import { ForceReleaseInput, ReserveInput } from "../../lib/contract/actions/force-release.ts";
import { AcquireInput, LEASE_MS_MAX, ReleaseInput, RenewInput } from "../../lib/contract/actions/verb.ts";
import { WritableFormat } from "../../lib/contract/format.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { readHoldId } from "../../test/support/hold-ids.ts";
import { createRedissonOwner, createTestKey } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const BY_ROOT = "lockkeeper:reserve:key:root";

const it = serverTest().extend(
  "readHistory",
  { scope: "file" },
  ({ server }) =>
    async (key: string) =>
      (await server.call(`/locks/${encodeKeyPath(key)}/history`)).body.items
        .reverse()
        .map(({ type, owner, observed }: Record<string, string>) => `${type} ${owner} ${observed}`),
);

describe("writable lock formats", () => {
  it("a token lock is one string with the hold's token, and its TTL is the lease", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { format: "token", leaseMs: 20_000 });
    expect(await direct.get(key)).toBe(readHoldId(hold.holdId).token);
    expect(await direct.pttl(key)).toBeGreaterThan(19_000);
    expect((await server.callHold(hold, "renew", { leaseMs: 60_000 })).body.remainingMs).toBe(60_000);
    expect((await server.readHold(hold)).body).toMatchObject({ held: true, fence: hold.fence });
    expect((await server.callHold(hold, "release")).body.count).toBe(0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a token lock and a client that uses SET NX PX exclude each other", async ({ server, direct, key }) => {
    await direct.set(key, "theirs", "PX", 5000, "NX");
    const refused = await server.callVerb(key, "acquire", { owner: "me", format: "token" });
    expect([refused.status, refused.body.code]).toEqual([409, "held"]);
    expect(refused.body.holders).toMatchObject([{ owner: "theirs", fence: null }]);
    expect(await direct.get(key)).toBe("theirs");
    await direct.del(key);
    await server.acquire(key, { format: "token" });
    expect(await direct.set(key, "theirs", "PX", 5000, "NX")).toBeNull();
  });

  it("a timestamp lock is one string with the deadline in the requested unit", async ({ server, direct }) => {
    const [seconds, milliseconds] = [createTestKey(), createTestKey()];
    const ask = { owner: "me", format: "timestamp" };
    expect(
      (await server.callVerb(seconds, "acquire", { ...ask, unit: "s" })).body.remainingMs,
    ).toBeGreaterThanOrEqual(30_000);
    await server.callVerb(milliseconds, "acquire", ask);
    expect(await direct.get(seconds)).toMatch(/^\d{10}$/);
    expect(await direct.get(milliseconds)).toMatch(/^\d{13}$/);
    const { remainingMs, holders } = await server.readLock(seconds);
    expect(remainingMs - holders[0].remainingMs).toBe(2000);
  });

  it("a timestamp lock returns unit_conflict for the other unit and stays unchanged", async ({
    server,
    direct,
    key,
  }) => {
    const deadline = String(Math.floor(Date.now() / 1000) + 60);
    await direct.set(key, deadline);
    const ask = { owner: "me", format: "timestamp" };
    const { status, body } = await server.callVerb(key, "acquire", { ...ask, unit: "ms" });
    expect([status, body.code, body.unit]).toEqual([409, "unit_conflict", "s"]);
    expect(body.detail).toContain('"unit": "s"');
    expect(await direct.get(key)).toBe(deadline);
    expect((await server.callVerb(key, "reserve", { reservedMs: 1000, format: "timestamp" })).body.code).toBe(
      "unit_conflict",
    );
    expect((await server.callVerb(key, "acquire", { ...ask, unit: "s" })).body.code).toBe("held");
  });

  it("an acquire with the wrong format returns not_a_lock and names the right one", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { format: "token" });
    const reply = await server.callVerb(key, "acquire", {});
    expect([reply.status, reply.body.code]).toEqual([409, "not_a_lock"]);
    expect(reply.body.detail).toContain("`format`");
    expect(await direct.get(key)).toBe(readHoldId(hold.holdId).token);
  });

  it("locks are listed and sorted by format, with any string under a lockable pattern", async ({
    server,
    direct,
  }) => {
    const name = randomUUID();
    const keys = Object.fromEntries(
      WritableFormat.options.map((format) => [format, `lock:${name}:${format}`]),
    );
    for (const [format, key] of Object.entries(keys))
      await server.callVerb(key, "acquire", { owner: "me", format });
    await direct.set(`lock:${name}:foreign`, "theirs", "PX", 60_000);
    await direct.set(`lock:${name}:text`, "some text", "PX", 60_000);
    await direct.rpush(`lock:${name}:list`, "an element");
    const filter = encodeURIComponent(`key:lock:${name}:*`);
    await server.waitForLocks(`key:lock:${name}:*`, 5);
    const { body } = await server.call(`/locks?filter=${filter}&sort=-format`);
    expect(body.items.map(({ format }: { format: string }) => format)).toEqual([
      ...["token", "token", "token"],
      ...["timestamp", "redisson"],
    ]);
    expect(await server.readLock(`lock:${name}:foreign`)).toMatchObject({
      confidence: "possible",
      release: { may: "with_format", formats: ["token", "python-redis-lock"] },
    });
    expect(await server.readLock(`lock:${name}:text`)).toMatchObject({ confidence: "possible" });
    expect((await server.readLock(`lock:${name}:list`)).code).toBe("not_a_lock");
  });
});

describe("graceMs", () => {
  it("graceMs keeps a lock unavailable after its lease expired, for its holder as well", async ({
    server,
    key,
  }) => {
    const hold = await server.acquire(key, { owner: "me", leaseMs: 50, graceMs: 60_000 });
    await waitUntil(async () => (await server.readHold(hold)).body.held === false);
    const lock = await server.readLock(key);
    expect(lock.holders).toMatchObject([{ owner: "me", remainingMs: 0 }]);
    expect(lock.remainingMs).toBeGreaterThan(50_000);
    expect((await server.callHold(hold, "renew")).body.code).toBe("lost");
    for (const owner of ["me", "you"]) {
      expect((await server.callVerb(key, "acquire", { owner })).body.code).toBe("held");
    }
  });

  it("a release ends the grace period of a lock", async ({ server, key }) => {
    await server.callHold(await server.acquire(key, { graceMs: 60_000 }), "release");
    await server.acquire(key);
  });
});

describe("minHoldMs and reservedMs", () => {
  it("a lock released before minHoldMs stays unavailable for the rest of it", async ({ server, key }) => {
    const hold = await server.acquire(key, { minHoldMs: 60_000 });
    expect((await server.callHold(hold, "release")).body).toMatchObject({
      outcome: "released",
      count: 0,
    });
    const { body } = await server.callVerb(key, "acquire", { owner: "me" });
    expect(body.code).toBe("held");
    expect(body.detail).toMatch(/^The lock is reserved for its minimum hold time\. It expires in \d+ ms\.$/);
    expect(body.holders).toMatchObject([{ owner: "lockkeeper:reserve:min-hold" }]);
    expect(body.remainingMs).toBeGreaterThan(59_000);
  });

  it("a release with reservedMs reserves the lock until that time is over", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { format: "token" });
    await server.callHold(hold, "release", { reservedMs: 300 });
    expect(await direct.get(key)).toBe(BY_ROOT);
    expect(await direct.set(key, "theirs", "PX", 5000, "NX")).toBeNull();
    expect((await server.callVerb(key, "acquire", { owner: "me", format: "token" })).body.detail).toContain(
      'reserved by "key:root"',
    );
    const waited = await server.callVerb(key, "acquire", { owner: "you", format: "token", waitMs: 5000 });
    expect(waited.status).toBe(201);
  });
});

describe("reserve", () => {
  it.for(WritableFormat.options)(
    "reserve blocks every client from a free lock in the format %s",
    async (format, { server, key }) => {
      const { status, body } = await server.callVerb(key, "reserve", {
        reservedMs: 60_000,
        format,
        reason: "migration",
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ key, owner: BY_ROOT, count: 1, leaseMs: 60_000 });
      expect(body.fence).toMatch(/^\d{16}$/);
      expect((await server.callVerb(key, "acquire", { owner: "me", format })).body.detail).toContain(
        'reserved by "key:root"',
      );
      expect(await server.readLock(key)).toMatchObject({
        format,
        holders: [{ owner: BY_ROOT, record: { purpose: "migration" } }],
      });
      const { version } = await server.readLock(key);
      expect(
        (await server.callVerb(key, "force-release", { expectedVersion: version, reason: "done" })).body
          .outcome,
      ).toBe("released");
      expect((await server.callVerb(key, "acquire", { owner: "me", format })).status).toBe(201);
    },
  );

  it("reserve of a held lock returns held with the holder", async ({ server, direct, key }) => {
    await server.callVerb(key, "acquire", { owner: "me" });
    const { status, body } = await server.callVerb(key, "reserve", { reservedMs: 1000 });
    expect([status, body.code]).toEqual([409, "held"]);
    expect(body.holders).toMatchObject([{ owner: "me" }]);
    expect(Object.values(await direct.hgetall(key))).toEqual(["1"]);
    const twice = createTestKey();
    await server.callVerb(twice, "reserve", { reservedMs: 60_000 });
    expect((await server.callVerb(twice, "reserve", { reservedMs: 1000 })).body.detail).toContain(
      "reserved by",
    );
  });
});

describe("force-release with reservedMs", () => {
  it.for(WritableFormat.options)(
    "force-release with reservedMs leaves no moment in which the lock can be acquired: %s",
    async (format, { server, key, readHistory }) => {
      await server.callVerb(key, "acquire", { owner: "me", format });
      const waiting = server.callVerb(key, "acquire", { owner: "you", format, waitMs: 700 });
      const { version } = await server.readLock(key);
      const ask = { expectedVersion: version, reason: "node lost", reservedMs: 60_000 };
      expect((await server.callVerb(key, "force-release", ask)).body).toMatchObject({
        outcome: "released",
        owner: "me",
        by: "key:root",
        reserved: { owner: BY_ROOT, reservedMs: 60_000 },
      });
      expect((await waiting).body.code).toBe("timeout");
      const lock = await server.readLock(key);
      expect(lock).toMatchObject({ format, holders: [{ owner: BY_ROOT }] });
      expect(lock.remainingMs).toBeGreaterThan(58_000);
      await waitUntil(async () => (await readHistory(key)).length === 3);
      expect(await readHistory(key)).toEqual([
        "acquired me exact",
        "force_released me exact",
        `acquired ${BY_ROOT} exact`,
      ]);
      expect((await server.callVerb(key, "force-release", ask)).body.code).toBe("changed");
    },
  );

  it("force-release with reservedMs of a Redisson lock keeps Redisson clients out as well", async ({
    server,
    direct,
    key,
  }) => {
    await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 30_000).exec();
    await server.waitForLocks(key);
    const { version } = await server.readLock(key);
    const ask = { expectedVersion: version, reason: "node lost", reservedMs: 60_000 };
    expect((await server.callVerb(key, "force-release", ask)).body.reserved).toEqual({
      owner: BY_ROOT,
      reservedMs: 60_000,
    });
    expect(await direct.hgetall(key)).toEqual({ [BY_ROOT]: "1" });
  });

  it("force-release with reservedMs of one of several holders is rejected and releases nobody", async ({
    server,
    direct,
    key,
  }) => {
    const end = Date.now() + 60_000;
    const owners = [0, 1].map(() => randomBytes(32).toString("base64"));
    await direct.zadd(key, ...owners.flatMap((owner) => [end, owner]));
    await direct.pexpireat(key, end);
    await server.waitForLocks(key);
    const [holder] = (await server.readLock(key)).holders;
    const ask = { expectedVersion: holder.version, reason: "node lost", reservedMs: 60_000 };
    const { status, body } = await server.callVerb(key, "force-release", ask);
    expect([status, body.code]).toEqual([400, "invalid"]);
    expect(body.detail).toMatch(/^Body, reservedMs: the lock has 2 holders/);
    expect(await direct.zcard(key)).toBe(2);
  });

  it("force-release with reservedMs reserves nothing if the lock is already gone", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key);
    const { version } = await server.readLock(key);
    await server.callHold(hold, "release");
    const ask = { expectedVersion: version, reason: "node lost", reservedMs: 60_000 };
    const { body } = await server.callVerb(key, "force-release", ask);
    expect(body.outcome).toBe("already_gone");
    expect(body).not.toHaveProperty("reserved");
    expect(await direct.exists(key)).toBe(0);
  });
});

describe("invalid input", () => {
  it.for([
    ["acquire", { owner: "me", format: "semaphore" }, "format"],
    ["acquire", { owner: "me", unit: "s" }, "unit"],
    ["acquire", { owner: "me", format: "token", unit: "ms" }, "unit"],
    ["acquire", { owner: "me", format: "timestamp", unit: "h" }, "unit"],
    ["acquire", { owner: "me", graceMs: -1 }, "graceMs"],
    ["acquire", { owner: "me", graceMs: 0.5 }, "graceMs"],
    ["acquire", { owner: "me", graceMs: LEASE_MS_MAX + 1 }, "graceMs"],
    ["acquire", { owner: "me", leaseMs: LEASE_MS_MAX, graceMs: 1 }, "graceMs"],
    ["acquire", { owner: "me", minHoldMs: -1 }, "minHoldMs"],
    ["acquire", { owner: "me", minHoldMs: LEASE_MS_MAX + 1 }, "minHoldMs"],
    ["acquire", { owner: "me", minHoldMs: "1000" }, "minHoldMs"],
    ["reserve", {}, "reservedMs"],
    ["reserve", { reservedMs: 9 }, "reservedMs"],
    ["reserve", { reservedMs: 1000, format: "redisson", unit: "s" }, "unit"],
    ["reserve", { reservedMs: 1000, reason: "x".repeat(201) }, "reason"],
    ["force-release", { expectedVersion: "x", reason: "y", reservedMs: 1.5 }, "reservedMs"],
  ] as const)("%s with %j returns 400 and names %s", async ([name, body, field], { server, direct, key }) => {
    const reply = await server.callVerb(key, name, body);
    expect([reply.status, reply.body.code]).toEqual([400, "invalid"]);
    expect(reply.body.detail).toMatch(new RegExp(`^Body, ${field}: .{15,}\\.$`));
    expect(await direct.exists(key)).toBe(0);
  });

  it.for([
    ["renew", { leaseMs: 9 }, "leaseMs"],
    ["release", { reservedMs: 0 }, "reservedMs"],
    ["release", { reservedMs: LEASE_MS_MAX + 1 }, "reservedMs"],
  ] as const)(
    "%s of a hold with %j returns 400 and names %s",
    async ([name, body, field], { server, key }) => {
      const hold = await server.acquire(key);
      const reply = await server.callHold(hold, name, body);
      expect([reply.status, reply.body.code]).toEqual([400, "invalid"]);
      expect(reply.body.detail).toMatch(new RegExp(`^Body, ${field}: .{15,}\\.$`));
      expect((await server.readHold(hold)).body.held).toBe(true);
    },
  );

  it("the longest lease and the longest grace period are accepted, alone and combined", async ({
    server,
  }) => {
    for (const ask of [
      { leaseMs: LEASE_MS_MAX, graceMs: 0, minHoldMs: LEASE_MS_MAX },
      { leaseMs: 10, graceMs: LEASE_MS_MAX - 10 },
    ]) {
      expect((await server.callVerb(createTestKey(), "acquire", { owner: "me", ...ask })).status).toBe(201);
    }
  });
});

it("every example in the OpenAPI document is accepted by its route", async ({ server }) => {
  const { body: document } = await server.call("/openapi.json");
  const inputs: Record<string, z.ZodType> = {
    "locks/{key}/acquire": AcquireInput,
    "holds/{holdId}/renew": RenewInput,
    "holds/{holdId}/release": ReleaseInput,
    "locks/{key}/reserve": ReserveInput,
    "locks/{key}/force-release": ForceReleaseInput,
  };
  for (const [name, input] of Object.entries(inputs)) {
    const { post } = document.paths[`/api/v1/${name}`];
    const examples: { summary: string; value: unknown }[] = Object.values(
      post.requestBody.content["application/json"].examples,
    );
    expect(examples.length).toBeGreaterThan(1);
    for (const { summary, value } of examples)
      expect([name, summary, input.safeParse(value).error]).toEqual([name, summary, undefined]);
  }
  const { post } = document.paths["/api/v1/locks/{key}/reserve"];
  expect(post.responses["409"].description).toContain("`unit_conflict`");
});
