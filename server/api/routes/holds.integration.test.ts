import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { Hold } from "../../../lib/contract/actions/verb.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { changeHoldId, createHoldId, readHoldId } from "../../../test/support/hold-ids.ts";
import { WRITABLE_FORMATS } from "../../../test/support/test-locks.ts";
import {
  type ApiReply,
  createBearerHeader,
  type TestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";

const it = serverTest().extend("otherKey", { scope: "file" }, async ({ server }) => {
  const { body } = await server.call("/keys", { body: { name: "billing", verbs: ["read", "lock"] } });
  return createBearerHeader(body.secret);
});

const createRequestId = () => ({ "idempotency-key": randomUUID() });

/** Formats a response as its status and its error code, outcome or state of the hold. */
function describeReply({ status, body }: ApiReply): string {
  const said =
    body.code ?? body.outcome ?? (body.held === undefined ? `count ${body.count}` : `held ${body.held}`);
  return `${status} ${said}`;
}

/** Reads, renews, re-enters and releases a hold, and returns the response to each request as a string. */
async function tryHold(server: TestServer, key: string, holdId: string, headers = {}) {
  const reenter = { ...headers, ...createRequestId() };
  return {
    read: describeReply(await server.readHold({ holdId }, headers)),
    renew: describeReply(await server.callHold({ holdId }, "renew", {}, headers)),
    reenter: describeReply(await server.callVerb(key, "acquire", { reenter: holdId }, reenter)),
    release: describeReply(
      await server.callHold({ holdId }, "release", {}, { ...headers, ...createRequestId() }),
    ),
  };
}

/** Returns the serialized value of a lock and the content of its companion, both without their TTL. */
async function dumpLock(direct: Redis, key: string) {
  return [await direct.dumpBuffer(key), await direct.get(String(buildCompanionKey(key)))];
}

const ENDED = { read: "200 held false", renew: "410 lost", reenter: "410 lost", release: "200 not_held" };
const INVALID = {
  read: "400 invalid_hold_id",
  renew: "400 invalid_hold_id",
  reenter: "400 invalid_hold_id",
  release: "400 invalid_hold_id",
};
const FOREIGN = {
  read: "403 not_owner",
  renew: "403 not_owner",
  reenter: "403 not_owner",
  release: "403 not_owner",
};
const HELD = {
  read: "200 held true",
  renew: "200 count 1",
  reenter: "200 count 2",
  release: "200 still_held",
};

describe("acquire", () => {
  it("acquire creates a hold with its address and the name of the API key as its owner", async ({
    server,
    otherKey,
    key,
  }) => {
    const { status, body, headers } = await server.callVerb(key, "acquire", {}, otherKey);
    expect([status, headers.get("location")]).toEqual([201, `/api/v1/holds/${body.holdId}`]);
    expect(headers.get("idempotent-replayed")).toBeNull();
    expect(body).toMatchObject({ target: "default", key, owner: "billing", format: "redisson", count: 1 });
    expect([body.leaseMs, body.fence]).toEqual([30_000, readHoldId(body.holdId).fence]);
    const found = await server.call(`${headers.get("location")?.replace("/api/v1", "")}`, {
      headers: otherKey,
    });
    expect(found.body).toMatchObject({ holdId: body.holdId, held: true, owner: "billing", count: 1 });
  });

  it("a repeated acquire returns the stored hold, also at another instance", async ({
    server,
    other,
    key,
  }) => {
    const id = createRequestId();
    const hold = await server.acquire(key, { owner: "me" }, id);
    for (const instance of [server, other]) {
      const { status, body, headers } = await instance.callVerb(key, "acquire", { owner: "me" }, id);
      expect([status, headers.get("idempotent-replayed")]).toEqual([201, "true"]);
      expect([body.holdId, body.count]).toEqual([hold.holdId, 1]);
    }
  });

  it("two threads with one owner exclude each other", async ({ server, key }) => {
    const first = await server.acquire(key, { owner: "worker" });
    const second = await server.callVerb(key, "acquire", { owner: "worker" });
    expect([second.status, second.body.code]).toEqual([409, "held"]);
    const waiting = server.acquire(key, { owner: "worker", waitMs: 10_000 });
    await waitUntil(async () => (await server.readLock(key)).waiters.count === 1);
    await server.callHold(first, "release");
    const { holdId } = await waiting;
    expect(holdId).not.toBe(first.holdId);
    expect(await tryHold(server, key, first.holdId)).toEqual(ENDED);
    expect(await tryHold(server, key, holdId)).toEqual(HELD);
  });

  it("a re-entry takes leaseMs alone besides, an Idempotency-Key, and a holdId of the path's lock", async ({
    server,
    key,
  }) => {
    const hold = await server.acquire(key);
    const reenter = { reenter: hold.holdId };
    const named = { ...reenter, owner: "me", waitMs: 0, leaseMs: 1000 };
    const refused = await server.callVerb(key, "acquire", named, createRequestId());
    expect([refused.status, refused.body.code]).toEqual([400, "invalid"]);
    expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(["owner", "waitMs"]);
    const unnamed = await server.callVerb(key, "acquire", reenter);
    expect([unnamed.status, unnamed.body.code]).toEqual([400, "idempotency_key_required"]);
    const elsewhere = await server.callVerb(`${key}:other`, "acquire", reenter, createRequestId());
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "invalid_hold_id"]);
    expect((await server.readHold(hold)).body.count).toBe(1);
  });

  it("a repeated re-entry counts once, and keeps holdId and fence", async ({ server, key }) => {
    const hold = await server.acquire(key, { leaseMs: 10_000 });
    const id = createRequestId();
    for (let time = 0; time < 2; time++) {
      const { status, body } = await server.callVerb(
        key,
        "acquire",
        { reenter: hold.holdId, leaseMs: 60_000 },
        id,
      );
      expect([status, body.holdId, body.fence, body.count]).toEqual([200, hold.holdId, hold.fence, 2]);
      expect(body.remainingMs).toBeGreaterThan(50_000);
    }
  });
});

describe.for(WRITABLE_FORMATS)("holds in the format %s", (format) => {
  const acquire = (server: TestServer, key: string, headers = {}): Promise<Hold> =>
    server.acquire(key, { format }, headers);

  it("a hold is read, renewed, entered and released by its holdId", async ({ server, direct, key }) => {
    const { holdId } = await acquire(server, key);
    expect(await tryHold(server, key, holdId)).toEqual(HELD);
    expect((await server.callHold({ holdId }, "release")).body).toMatchObject({
      outcome: "released",
      count: 0,
    });
    expect(await tryHold(server, key, holdId)).toEqual(ENDED);
    expect(await direct.exists(key)).toBe(format === "timestamp" ? await direct.exists(key) : 0);
  });

  it("a hold that ended, never existed or was taken again is not held", async ({ server, direct, key }) => {
    const old = await acquire(server, key);
    expect((await server.callHold(old, "release")).body.outcome).toBe("released");
    expect(await tryHold(server, key, old.holdId)).toEqual(ENDED);
    const now = await acquire(server, key);
    const before = await dumpLock(direct, key);
    const never = changeHoldId(now.holdId, { token: readHoldId(createHoldId()).token });
    const otherFence = changeHoldId(now.holdId, { fence: old.fence });
    const otherFormat = WRITABLE_FORMATS.filter((each) => each !== format).map((each) =>
      changeHoldId(now.holdId, { format: each, unit: each === "timestamp" ? "ms" : undefined }),
    );
    for (const holdId of [old.holdId, never, otherFence, ...otherFormat]) {
      expect([holdId, await tryHold(server, key, holdId)]).toEqual([holdId, ENDED]);
    }
    expect(await dumpLock(direct, key)).toEqual(before);
    expect((await server.readHold(now)).body.held).toBe(true);
  });

  it("a hold of another principal is not_owner, and untouched", async ({ server, direct, otherKey, key }) => {
    const { holdId } = await acquire(server, key, otherKey);
    const before = await dumpLock(direct, key);
    expect(await tryHold(server, key, holdId)).toEqual(FOREIGN);
    expect(await dumpLock(direct, key)).toEqual(before);
    // A hold counts as ended even if another principal has acquired the lock since.
    await server.callHold({ holdId }, "release", {}, otherKey);
    const mine = await acquire(server, key);
    await server.callHold(mine, "release");
    await acquire(server, key, otherKey);
    expect(await tryHold(server, key, mine.holdId)).toEqual(ENDED);
  });

  it("a hold whose companion was evicted is not held over HTTP, and the lock is untouched", async ({
    server,
    direct,
    key,
  }) => {
    const { holdId } = await acquire(server, key);
    expect(await direct.del(String(buildCompanionKey(key)))).toBe(1);
    const before = await dumpLock(direct, key);
    expect(await tryHold(server, key, holdId)).toEqual(ENDED);
    expect(await dumpLock(direct, key)).toEqual(before);
  });

  it("a lock that a foreign client wrote is of no hold, whatever its owner", async ({
    server,
    direct,
    key,
  }) => {
    const hold = await server.acquire(key, { format, owner: "me" });
    const { token } = readHoldId(hold.holdId);
    await server.callHold(hold, "release");
    for (const text of ["me", token]) {
      await writeForeignLock(direct, format, key, text);
      const before = await dumpLock(direct, key);
      expect([text, await tryHold(server, key, hold.holdId)]).toEqual([text, ENDED]);
      expect(await dumpLock(direct, key)).toEqual(before);
      await direct.del(key);
    }
  });

  it("a lock that a foreign client put in place of a hold is not that hold", async ({
    server,
    direct,
    key,
  }) => {
    const { holdId } = await server.acquire(key, { format, owner: "me" });
    await direct.del(key);
    await writeForeignLock(direct, format, key, "me");
    const before = await direct.dumpBuffer(key);
    expect(await tryHold(server, key, holdId)).toEqual(ENDED);
    expect(await direct.dumpBuffer(key)).toEqual(before);
  });

  it("renew without leaseMs keeps the lease of the hold", async ({ server, direct, key }) => {
    const hold = await server.acquire(key, { format, leaseMs: 10_000 });
    const renewed = await server.callHold(hold, "renew");
    expect([renewed.status, renewed.body.leaseMs]).toEqual([200, 10_000]);
    expect(renewed.body.remainingMs).toBeLessThanOrEqual(10_000);
    expect(await direct.pttl(key)).toBeLessThanOrEqual(10_010);
    await server.callHold(hold, "renew", { leaseMs: 20_000 });
    expect((await server.callHold(hold, "renew")).body.leaseMs).toBe(20_000);
  });

  it("a count above one needs an Idempotency-Key, and a repeated release counts once", async ({
    server,
    key,
  }) => {
    const hold = await acquire(server, key);
    await server.callVerb(key, "acquire", { reenter: hold.holdId }, createRequestId());
    const unnamed = await server.callHold(hold, "release");
    expect([unnamed.status, unnamed.body.code]).toEqual([400, "idempotency_key_required"]);
    const id = createRequestId();
    for (let time = 0; time < 2; time++) {
      const { body } = await server.callHold(hold, "release", {}, id);
      expect(body).toMatchObject({ holdId: hold.holdId, outcome: "still_held", count: 1 });
    }
    // Releases the last count. Repeating the request with the same id returns the same response.
    const last = createRequestId();
    for (let time = 0; time < 2; time++)
      expect((await server.callHold(hold, "release", {}, last)).body.outcome).toBe("released");
    expect((await server.callHold(hold, "release")).body.outcome).toBe("not_held");
  });

  it("a release with reservedMs keeps everybody off in the name of the caller", async ({ server, key }) => {
    const hold = await acquire(server, key);
    expect((await server.callHold(hold, "release", { reservedMs: 60_000 })).body.outcome).toBe("released");
    const held = await server.callVerb(key, "acquire", { format });
    expect([held.body.code, held.body.holders[0].owner]).toEqual(["held", "lockkeeper:reserve:key:root"]);
    expect(await tryHold(server, key, hold.holdId)).toEqual(ENDED);
  });
});

/** Writes a lock as a library without Lockkeeper would. */
async function writeForeignLock(direct: Redis, format: string, key: string, text: string): Promise<void> {
  if (format === "redisson") await direct.hset(key, text.includes(":") ? text : `${randomUUID()}:1`, 1);
  else await direct.set(key, format === "token" ? text : String(Date.now() + 60_000));
  await direct.pexpire(key, 60_000);
}

it.for([
  "nothing",
  "h1.",
  "h1.AAAA",
  "h2.ZGVmYXVsdA",
  "%ZZ",
  "%FF",
  "h1.\u{1f512}",
  `h1.${"A".repeat(2401)}`,
  `${createHoldId()}=`,
  createHoldId().slice(0, -2),
])("a malformed holdId is invalid_hold_id: %.20s", async (holdId, { server, key }) => {
  expect(await tryHold(server, key, holdId)).toEqual(INVALID);
});
