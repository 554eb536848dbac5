import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { changeHoldId, readHoldId } from "../../test/support/hold-ids.ts";
import { RedissonReadWriteThread } from "../../test/support/redisson-read-write.ts";
import { waitUntil } from "../../test/support/test-server.ts";

const it = serverTest();
const createRequestId = () => ({ "idempotency-key": randomUUID() });

describe("read/write locks over HTTP", () => {
  it("readers are listed with label, fence, lease and version, next to those of Redisson", async ({
    server,
    direct,
    key,
  }) => {
    const record = { purpose: "report" };
    const one = await server.acquire(key, { kind: "read", owner: "report-1", record, leaseMs: 60_000 });
    const two = await server.acquire(key, { kind: "read", owner: "report-2", receivesReleaseRequests: true });
    const jvm = new RedissonReadWriteThread(direct, key, `${randomUUID()}:7`);
    await jvm.lockRead(20_000);
    expect(one).toMatchObject({ kind: "read", format: "redisson", fence: two.fence });
    const lock = await server.readLock(key);
    const holders = Object.fromEntries(
      lock.holders.map((holder: { owner: string }) => [holder.owner, holder]),
    );
    expect(lock).toMatchObject({ kind: "read", state: "held" });
    expect(holders["report-1"]).toMatchObject({
      role: "read",
      count: 1,
      fence: one.fence,
      record,
    });
    expect(holders["report-2"]).toMatchObject({
      role: "read",
      fence: two.fence,
      receivesReleaseRequests: true,
    });
    expect(holders[jvm.owner]).toMatchObject({ role: "read", fence: null });
    expect([holders["report-1"].holdId, holders["report-2"].holdId]).toEqual([one.holdId, two.holdId]);
    expect(new Set(lock.holders.map(({ version }: { version: string }) => version)).size).toBe(3);
    // Ends the lease of one reader. The other readers keep the lock.
    await direct.del(`{${key}}:${readHoldId(one.holdId).token}:rwlock_timeout:1`);
    const owners = (await server.readLock(key)).holders.map(({ owner }: { owner: string }) => owner);
    expect(owners.sort()).toEqual([jvm.owner, "report-2"].sort());
  });

  it("an operator asks one reader to release, force-releases it, and then all", async ({
    server,
    direct,
    key,
  }) => {
    const one = await server.acquire(key, { kind: "read", owner: "one" });
    const two = await server.acquire(key, { kind: "read", owner: "two", receivesReleaseRequests: true });
    const three = await server.acquire(key, { kind: "read", owner: "three" });
    const versionOf = async (owner: string) => {
      const { holders } = await server.readLock(key);
      return holders.find((holder: { owner: string }) => holder.owner === owner)?.version;
    };
    const asked = await server.callVerb(key, "request-release", {
      expectedVersion: await versionOf("two"),
      reason: "migration",
    });
    expect([asked.status, asked.body.state]).toEqual([200, "requested"]);
    expect((await server.callHold(two, "renew")).body.releaseRequested).toMatchObject({
      reason: "migration",
    });
    const forced = await server.callVerb(key, "force-release", {
      expectedVersion: await versionOf("one"),
      reason: "stuck",
    });
    expect([forced.status, forced.body.outcome]).toEqual([200, "released"]);
    expect((await server.readHold(one)).body.held).toBe(false);
    expect((await server.readHold(two)).body.held).toBe(true);
    const extended = await server.callVerb(key, "extend", {
      expectedVersion: (await server.readLock(key)).version,
      leaseMs: 60_000,
      reason: "slow",
    });
    expect([extended.status, extended.body.code]).toEqual([403, "read_only"]);
    const all = await server.callVerb(key, "force-release", {
      expectedVersion: (await server.readLock(key)).version,
      reason: "stuck",
      reservedMs: 60_000,
    });
    expect([all.status, all.body.outcome]).toEqual([200, "released"]);
    for (const hold of [two, three]) expect((await server.readHold(hold)).body.held).toBe(false);
    const [reserved = ""] = Object.keys(await direct.hgetall(key)).filter((field) => field !== "mode");
    expect(reserved).toMatch(/^lockkeeper:reserve:.*:write$/);
    expect((await server.callVerb(key, "acquire", { kind: "read" })).body.code).toBe("held");
  });

  it("the history names each reader, although they share a fencing token", async ({ server, key }) => {
    const one = await server.acquire(key, { kind: "read", owner: "one" });
    const two = await server.acquire(key, { kind: "read", owner: "two" });
    await server.callHold(one, "release");
    await server.callHold(two, "release");
    const readEvents = async (): Promise<string[]> => {
      const { body } = await server.call(`/history?key=${encodeURIComponent(key)}`);
      return body.items.map(
        ({ type, owner, observed }: Record<string, string>) => `${type} ${owner} ${observed}`,
      );
    };
    await waitUntil(async () => (await readEvents()).length >= 4);
    expect((await readEvents()).sort()).toEqual([
      "acquired one exact",
      "acquired two exact",
      "released one exact",
      "released two exact",
    ]);
  });

  it("a repeated acquire of a reader returns its hold from another instance", async ({
    server,
    other,
    key,
  }) => {
    const id = createRequestId();
    const hold = await server.acquire(key, { kind: "read" }, id);
    const { status, body, headers } = await other.callVerb(key, "acquire", { kind: "read" }, id);
    expect([status, headers.get("idempotent-replayed"), body.holdId]).toEqual([201, "true", hold.holdId]);
    const writing = await server.callVerb(key, "acquire", { kind: "write" });
    expect([writing.status, writing.body.code]).toEqual([409, "held"]);
  });

  it("a downgrade returns the hold of a reader, and refuses what is not a writer", async ({
    server,
    key,
  }) => {
    const writer = await server.acquire(key, { kind: "write" });
    const { status, body } = await server.callHold(writer, "downgrade");
    expect([status, body.kind, body.fence]).toEqual([200, "read", writer.fence]);
    expect((await server.callHold(writer, "downgrade")).body.holdId).toBe(body.holdId);
    expect((await server.readHold(writer)).body.held).toBe(false);
    expect((await server.callHold(body, "downgrade")).body.code).toBe("invalid");
    expect((await server.callHold(body, "release")).body.outcome).toBe("released");
    expect((await server.callHold(writer, "downgrade")).body.code).toBe("lost");
    const asPlain = changeHoldId(writer.holdId, { kind: undefined });
    expect((await server.callHold({ holdId: asPlain }, "renew")).body.code).toBe("invalid_hold_id");
    const reentered = await server.acquire(key, { kind: "write" });
    await server.callVerb(key, "acquire", { reenter: reentered.holdId }, createRequestId());
    expect((await server.callHold(reentered, "downgrade")).body.code).toBe("held");
  });

  it("a release of a downgraded writer releases only its reader, and only once", async ({ server, key }) => {
    const writer = await server.acquire(key, { kind: "write" });
    await server.callHold(writer, "downgrade");
    const other = await server.acquire(key, { kind: "read" });
    const id = createRequestId();
    for (let n = 0; n < 2; n++)
      expect((await server.callHold(writer, "release", {}, id)).body.outcome).toBe("released");
    expect((await server.callHold(writer, "release")).body.outcome).toBe("not_held");
    expect((await server.readHold(other)).body.held).toBe(true);
  });

  it("a release with a reservation does not release the reader of a writer", async ({ server, key }) => {
    const writer = await server.acquire(key, { kind: "write" });
    const { body: reader } = await server.callHold(writer, "downgrade");
    const { body } = await server.callHold(writer, "release", { reservedMs: 1000 });
    expect([body.outcome, (await server.readHold(reader)).body.held]).toEqual(["not_held", true]);
  });

  it("options that a kind does not have are invalid", async ({ server, key }) => {
    for (const body of [
      { kind: "read", graceMs: 1000 },
      { kind: "read", minHoldMs: 1000 },
      { kind: "write", yieldsToWriters: false },
      { kind: "read", format: "token" },
    ])
      expect((await server.callVerb(key, "acquire", body)).body.code).toBe("invalid");
    expect((await server.callVerb(key, "reserve", { reservedMs: 1000, kind: "read" })).body.code).toBe(
      "invalid",
    );
    const { status } = await server.callVerb(key, "reserve", { reservedMs: 60_000, kind: "write" });
    expect([status, (await server.callVerb(key, "acquire", { kind: "read" })).body.code]).toEqual([
      200,
      "held",
    ]);
  });
});
