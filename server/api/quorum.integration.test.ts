import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { Lock } from "../../lib/contract/lock.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { mastersTest } from "../../test/support/fixtures.ts";
import { readHoldId } from "../../test/support/hold-ids.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import type { TestMasters } from "../../test/support/test-masters.ts";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { buildCompanionKey } from "../formats/keys.ts";

const buildPath = (key: string, action: string) => `/locks/${encodeKeyPath(key)}/${action}`;

const it = mastersTest(3)
  .extend("server", { scope: "file" }, async ({ masters }, { onCleanup }) => {
    const server = await startTestServer({
      file: (home) => ({ home, targets: [{ name: "locks", redis: { quorum: masters.urls } }] }),
    });
    onCleanup(() => server.stop());
    return server;
  })
  .extend("readHealth", { scope: "file" }, ({ server }) => async () => {
    return (await server.call("/targets")).body.items[0];
  })
  .extend(
    "acquire",
    { scope: "file" },
    ({ server }) =>
      async (key: string, owner: string, more: object = {}) => {
        return await server.callVerb(key, "acquire", { owner, ...more });
      },
  )
  .extend("forceRelease", { scope: "file" }, ({ server }) => async (key: string, ask: object) => {
    return await server.callVerb(key, "force-release", { reason: "its node is lost", ...ask });
  })
  .extend("findListed", { scope: "file" }, ({ server }) => async (key: string): Promise<Lock | undefined> => {
    const { items } = (await server.call(`/locks?filter=${encodeURIComponent(key)}`)).body;
    return items?.find((lock: Lock) => lock.key === key);
  })
  .extend(
    "waitUntilListed",
    { scope: "file" },
    ({ findListed }) =>
      async (key: string, holds: (lock: Lock | undefined) => boolean) => {
        await waitUntil(async () => holds(await findListed(key)));
        return await findListed(key);
      },
  )
  // Lists the events of a key as strings of type, owner and origin, oldest first. Gaps are omitted.
  .extend("readHistory", { scope: "file" }, ({ server }) => async (key: string) => {
    const { items } = (await server.call(buildPath(key, "history"))).body;
    return items
      .filter(({ type }: { type: string }) => type !== "gap")
      .toReversed()
      .map((event: { type: string; owner: string; observed: string }) =>
        [event.type, event.owner, event.observed].join(" "),
      );
  })
  .extend(
    "waitForHistory",
    { scope: "file" },
    ({ readHistory }) =>
      async (key: string, expected: string[]) => {
        await waitUntil(async () => (await readHistory(key)).length >= expected.length).catch(
          () => undefined,
        );
        expect(await readHistory(key)).toEqual(expected);
      },
  );

it.beforeEach(async ({ readHealth }) => {
  await waitUntil(async () => (await readHealth()).state === "live");
});

describe("quorum target", () => {
  it("a quorum lock is acquired, renewed, verified and released over HTTP, in token format only", async ({
    server,
    masters,
    key,
    acquire,
    waitUntilListed,
    waitForHistory,
  }) => {
    const granted = await acquire(key, "worker-1", { record: { service: "orders" } });
    expect([granted.status, granted.body.owner, granted.body.count]).toEqual([201, "worker-1", 1]);
    const { token } = readHoldId(granted.body.holdId);
    expect(await masters.readHolders(key)).toEqual([token, token, token]);
    const lock = await waitUntilListed(key, (found) => found !== undefined);
    expect(lock).toMatchObject({
      ...{ state: "held", format: "token", confidence: "certain" },
      holders: [{ owner: "worker-1", fence: granted.body.fence, record: { service: "orders" } }],
      votes: { of: 3, state: "decided" },
    });
    await waitUntilListed(key, (found) => found?.votes?.owners[0]?.masters === 3);
    const refused = await acquire(key, "worker-2");
    expect([refused.status, refused.body.code, refused.body.holders[0].owner]).toEqual([
      409,
      "held",
      "worker-1",
    ]);
    const strange = await acquire(key, "worker-1", { format: "redisson" });
    expect([strange.status, strange.body.code]).toEqual([400, "invalid"]);
    expect(strange.body.detail).toContain("token");

    const id = { "idempotency-key": `again-${key}` };
    expect((await server.callHold(granted.body, "renew", { leaseMs: 60_000 }, id)).status).toBe(200);
    const again = await server.callHold(granted.body, "renew", { leaseMs: 60_000 }, id);
    expect([again.status, again.body.fence]).toEqual([200, granted.body.fence]);
    expect((await server.readLock(key)).remainingMs).toBeGreaterThan(50_000);
    const verified = await server.readHold(granted.body);
    expect([verified.body.held, verified.body.fence]).toEqual([true, granted.body.fence]);

    const waiting = acquire(key, "worker-2", { waitMs: 5000 });
    const released = await server.callHold(granted.body, "release");
    expect(released.body.outcome).toBe("released");
    expect([(await waiting).status, (await waiting).body.owner]).toEqual([201, "worker-2"]);
    await waitForHistory(key, [
      "acquired worker-1 inferred",
      "released worker-1 inferred",
      "acquired worker-2 inferred",
    ]);
  });

  it("a quorum lists one lock per key and omits attempts without a majority", async ({
    server,
    masters,
    client,
    key,
    findListed,
    waitUntilListed,
    waitForHistory,
  }) => {
    await masters.occupy(key, [1], "left-over", 1500);
    await waitUntil(async () => (await server.readLock(key)).votes?.owners.length === 1);
    expect(await server.readLock(key)).toMatchObject({
      ...{ state: "free", holders: [] },
      votes: { of: 3, known: 3, state: "decided", owners: [{ owner: "left-over", masters: 1 }] },
    });
    expect(await findListed(key)).toBeUndefined();
    const hold = await client.acquire(key, { owner: "winner", leaseMs: 10_000 });
    const lock = await waitUntilListed(key, (found) => found !== undefined);
    expect(lock?.votes?.owners).toEqual([
      { owner: "winner", masters: 2 },
      { owner: "left-over", masters: 1 },
    ]);
    await hold.release();
    await waitForHistory(key, ["acquired winner inferred", "released winner inferred"]);
    await waitUntil(async () => (await server.readLock(key)).votes?.owners.length === 0);
  });

  it("a force-release on a quorum ends the hold once on all masters and can reserve it on all", async ({
    server,
    masters,
    key,
    acquire,
    forceRelease,
    waitForHistory,
  }) => {
    await acquire(key, "stuck");
    const { version } = await server.readLock(key);
    const freed = await forceRelease(key, { expectedVersion: version });
    expect([freed.status, freed.body.outcome, freed.body.owner]).toEqual([200, "released", "stuck"]);
    expect(getOutcomes(freed)).toEqual(["released", "released", "released"]);
    expect(await masters.readHolders(key)).toEqual([null, null, null]);
    await waitForHistory(key, ["acquired stuck inferred", "force_released stuck exact"]);
    const { items } = (await server.call(buildPath(key, "history"))).body;
    expect(items[0]).toMatchObject({ by: "key:root", reason: "its node is lost" });
    expect((await forceRelease(key, { expectedVersion: version })).body.outcome).toBe("already_gone");

    await acquire(key, "next");
    const changed = await forceRelease(key, { expectedVersion: version });
    expect([changed.status, changed.body.code, changed.body.holders[0].owner]).toEqual([
      409,
      "changed",
      "next",
    ]);
    const off = await forceRelease(key, {
      expectedVersion: (await server.readLock(key)).version,
      reservedMs: 60_000,
    });
    expect([off.status, off.body.reserved.owner]).toEqual([200, "lockkeeper:reserve:key:root"]);
    expect((await server.readLock(key)).holders).toMatchObject([{ owner: "lockkeeper:reserve:key:root" }]);
    expect((await acquire(key, "late")).body.code).toBe("held");
    const reserved = await forceRelease(key, { expectedVersion: (await server.readLock(key)).version });
    expect(reserved.body.outcome).toBe("released");
    const reserve = await server.callVerb(key, "reserve", { reservedMs: 500 });
    expect([reserve.status, (await server.readLock(key)).holders[0]?.owner]).toEqual([
      200,
      "lockkeeper:reserve:key:root",
    ]);
  });

  it("a quorum hold stays one hold while its owner keeps a majority on changing masters", async ({
    masters,
    key,
    waitUntilListed,
    waitForHistory,
  }) => {
    await masters.occupy(key, [0, 1], "mover");
    const first = await waitUntilListed(key, (found) => found !== undefined);
    await masters.occupy(key, [2], "mover");
    await waitUntilListed(key, (found) => found?.votes?.owners[0]?.masters === 3);
    await masters.vacate(key, [0]);
    const moved = await waitUntilListed(key, (found) => found?.votes?.owners[0]?.masters === 2);
    expect([moved?.version, moved?.holders[0]?.since]).toEqual([first?.version, first?.holders[0]?.since]);
    await masters.vacate(key, [1]);
    await waitUntilListed(key, (found) => found === undefined);
    await waitForHistory(key, ["acquired mover inferred", "released mover inferred"]);
  });

  it("a force-release on a quorum removes votes of the observed hold, not of a later one", async ({
    server,
    masters,
    key,
    acquire,
    forceRelease,
  }) => {
    const first = await acquire(key, "again");
    const { version } = await server.readLock(key);
    await server.callHold(first.body, "release");
    const second = await acquire(key, "again");
    expect(BigInt(second.body.fence)).toBeGreaterThan(BigInt(first.body.fence));
    expect((await forceRelease(key, { expectedVersion: version })).body.code).toBe("changed");
    const { token } = readHoldId(second.body.holdId);
    expect(await masters.readHolders(key)).toEqual([token, token, token]);
  });

  it("an extension on a quorum applies to the observed hold, not to a later one of the same owner", async ({
    server,
    key,
    acquire,
    waitUntilListed,
  }) => {
    const slow = await acquire(key, "slow", { leaseMs: 20_000 });
    const { version } = (await waitUntilListed(key, (lock) => lock !== undefined)) ?? {};
    const extend = async () =>
      await server.callVerb(key, "extend", {
        expectedVersion: version,
        leaseMs: 600_000,
        reason: "it takes longer",
      });
    const { status, body } = await extend();
    expect([status, body.outcome, body.lasts]).toEqual([200, "extended", "to_its_end"]);
    expect(body.remainingMs).toBeGreaterThan(590_000);
    expect((await server.readLock(key)).remainingMs).toBeGreaterThan(590_000);
    const seen = await waitUntilListed(key, (lock) => (lock?.remainingMs ?? 0) > 590_000);
    expect(seen?.liveness).toMatchObject({ renewals: 0, lastRenewalAt: null });
    await server.callHold(slow.body, "release");
    await acquire(key, "slow", { leaseMs: 20_000 });
    await waitUntilListed(key, (lock) => lock !== undefined && lock.version !== version);
    expect((await extend()).body.code).toBe("changed");
    expect((await server.readLock(key)).remainingMs).toBeLessThanOrEqual(20_000);
  });

  it("an extension on a quorum leaves votes of an older hold of the same owner alone", async ({
    server,
    masters,
    key,
    acquire,
    waitUntilListed,
  }) => {
    const { body: grant } = await acquire(key, "slow", { leaseMs: 20_000 });
    await waitUntilListed(key, (lock) => lock?.votes?.owners[0]?.masters === 3);
    const { version } = await server.readLock(key);
    // Simulates a master that missed a release and the next acquire, and thus still has an older hold.
    const companion = String(buildCompanionKey(key));
    const left = masters.getClient(2);
    const { token } = readHoldId(grant.holdId);
    const [olderToken, olderFence] = [`${randomUUID()}:1`, String(BigInt(grant.fence) - 1000n)];
    const described = (await left.get(companion)) ?? "";
    const older = described.replaceAll(grant.fence, olderFence).replaceAll(token, olderToken);
    await left.multi().set(companion, older, "KEEPTTL").set(key, olderToken, "KEEPTTL").exec();
    const body = { expectedVersion: version, leaseMs: 600_000, reason: "it takes longer" };
    expect((await server.callVerb(key, "extend", body)).body.outcome).toBe("extended");
    const [ours = 0, others = 0, theirs = 0] = await Promise.all(masters.clients.map((at) => at.pttl(key)));
    expect(Math.min(ours, others)).toBeGreaterThan(590_000);
    expect(theirs).toBeLessThanOrEqual(20_000);
  });

  it("a quorum reports the expiry of an unrenewed lease and the next holder", async ({
    key,
    acquire,
    waitForHistory,
  }) => {
    // Each lease is long enough for the watcher to read it on a majority of masters, even on a busy machine.
    await acquire(key, "one", { leaseMs: 1500 });
    expect((await acquire(key, "two", { leaseMs: 1500, waitMs: 5000 })).status).toBe(201);
    await waitForHistory(key, [
      ...["acquired one inferred", "expired one inferred"],
      ...["acquired two inferred", "expired two inferred"],
    ]);
  });
});

const getOutcomes = (reply: { body: { masters: { outcome: string }[] } }) =>
  reply.body.masters.map(({ outcome }) => outcome).toSorted();

describe("quorum target with failed masters", () => {
  const getThird = (masters: TestMasters) => {
    const [at] = masters.getMasters(2);
    if (at === undefined) throw new Error("there is no third master");
    return at;
  };

  it("a quorum with one master down still decides, and then reports what the master missed", async ({
    server,
    masters,
    readHealth,
    acquire,
    forceRelease,
    waitUntilListed,
    waitForHistory,
  }) => {
    const [kept, pivotal, key] = [createTestKey(), createTestKey(), createTestKey()];
    const { token } = readHoldId((await acquire(kept, "kept", { leaseMs: 60_000 })).body.holdId);
    await masters.occupy(pivotal, [0, 2], "pivotal");
    await waitUntilListed(kept, (found) => found?.votes?.owners[0]?.masters === 3);
    await waitUntilListed(pivotal, (found) => found !== undefined);
    await getThird(masters).master.kill();
    await waitUntil(async () => (await readHealth()).state === "partial");
    const down = await waitUntilListed(kept, (found) => found?.votes?.known === 2);
    expect(down).toMatchObject({
      state: "held",
      votes: { of: 3, known: 2, state: "decided", owners: [{ owner: "kept", masters: 2 }] },
    });
    const raw = (await server.call(buildPath(kept, "raw"))).body;
    expect(raw.copies).toHaveLength(2);
    for (const { type, entries } of raw.copies)
      expect([type, entries[0].value.text]).toEqual(["string", token]);
    expect(raw.silent).toHaveLength(1);
    // One vote is known and one is missing, so the lock stays listed with its last holder and is marked as undecided.
    const undecided = await waitUntilListed(pivotal, (found) => found?.votes?.state === "undecided");
    expect(undecided).toMatchObject({ state: "held", holders: [{ owner: "pivotal" }] });

    await acquire(key, "worker", { leaseMs: 60_000 });
    const freed = await forceRelease(key, { expectedVersion: (await server.readLock(key)).version });
    expect([freed.status, freed.body.outcome]).toEqual([200, "released"]);
    expect(getOutcomes(freed)).toEqual(["released", "released", "unreachable"]);
    await waitForHistory(key, ["acquired worker inferred", "force_released worker exact"]);

    await getThird(masters).master.restart();
    await waitUntil(async () => (await readHealth()).state === "live");
    const back = await waitUntilListed(kept, (found) => found?.votes?.known === 3);
    expect(back?.votes).toMatchObject({ state: "decided", owners: [{ owner: "kept", masters: 2 }] });
    // The master has restarted without its data, so no owner has a majority.
    await waitUntilListed(pivotal, (found) => found === undefined);
    await waitForHistory(kept, ["acquired kept inferred"]);
  });

  it("a quorum with a majority down decides nothing, and its responses state so", async ({
    server,
    masters,
    key,
    readHealth,
    acquire,
    forceRelease,
    waitUntilListed,
  }) => {
    await acquire(key, "worker", { leaseMs: 60_000 });
    const { version } = await server.readLock(key);
    const away = masters.getMasters(1, 2).map(({ master }) => master);
    await Promise.all(away.map((master) => master.kill()));
    await waitUntil(async () => (await readHealth()).state === "down");
    expect((await readHealth()).detail).toContain("2 of 3 masters are not responding");
    for (const path of ["/locks", `/locks/${encodeKeyPath(key)}`]) {
      expect([(await server.call(path)).status, (await server.call(path)).body.code]).toEqual([
        503,
        "unavailable",
      ]);
    }
    expect([(await forceRelease(key, { expectedVersion: version })).body.code]).toEqual(["unavailable"]);
    await Promise.all(away.map((master) => master.restart()));
    await waitUntil(async () => (await readHealth()).state === "live");
    // Both masters have restarted without their data.
    await waitUntilListed(key, (found) => found === undefined);
    expect((await server.readLock(key)).votes?.owners).toEqual([{ owner: "worker", masters: 1 }]);
  });

  it("a hold survives on the other masters when one master is flushed", async ({
    masters,
    key,
    acquire,
    waitUntilListed,
    waitForHistory,
  }) => {
    // The previous test restarted masters. The watcher has already reconnected, but verbs use separate connections, so
    // this waits until an acquire reaches every master.
    await waitUntil(async () => {
      const probe = createTestKey();
      await acquire(probe, "probe");
      return (await masters.readHolders(probe)).every((token) => token !== null);
    });
    await acquire(key, "worker", { leaseMs: 60_000 });
    await waitUntilListed(key, (found) => found?.votes?.owners[0]?.masters === 3);
    await getThird(masters).redis.flushall();
    const left = await waitUntilListed(key, (found) => found?.votes?.owners[0]?.masters === 2);
    expect(left?.votes).toMatchObject({ known: 3, state: "decided" });
    await masters.getClient(1).flushall();
    await waitUntilListed(key, (found) => found === undefined);
    await masters.occupy(key, [1, 2], "thief");
    await waitUntilListed(key, (found) => found?.holders[0]?.owner === "thief");
    await waitForHistory(key, [
      "acquired worker inferred",
      "released worker inferred",
      "acquired thief inferred",
    ]);
  });
});
