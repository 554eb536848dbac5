import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { Lock } from "../../lib/contract/lock.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { mastersTest } from "../../test/support/fixtures.ts";
import type { TestMasters } from "../../test/support/test-masters.ts";
import { startTestServer, waitUntil } from "../../test/support/test-server.ts";

/** Simulates a Redisson process, which has a separate client with its own client id for each master. */
class RedissonProcess {
  readonly #clients = Array.from({ length: 3 }, () => randomUUID());

  constructor(private readonly masters: TestMasters) {}

  getOwner(master: number, thread: number): string {
    return `${this.#clients[master]}:${thread}`;
  }

  /** Writes what `RLock.lock()` writes to the masters with the given numbers. Returns the owner on each of them. */
  async lock(key: string, thread: number, ...numbers: readonly number[]): Promise<string[]> {
    const owners = numbers.map((number) => this.getOwner(number, thread));
    for (const [at, { redis }] of this.masters.getMasters(...numbers).entries())
      await redis
        .multi()
        .hset(key, owners[at] ?? "", 1)
        .pexpire(key, 30_000)
        .exec();
    return owners;
  }
}

const it = mastersTest(3)
  .extend("server", { scope: "file" }, async ({ masters }, { onCleanup }) => {
    const server = await startTestServer({
      file: (home) => ({ home, targets: [{ name: "locks", redis: { quorum: masters.urls } }] }),
    });
    onCleanup(() => server.stop());
    await waitUntil(async () => (await server.call("/targets")).body.items[0].state === "live");
    return server;
  })
  .extend("redisson", ({ masters }) => new RedissonProcess(masters))
  .extend(
    "waitUntilListed",
    { scope: "file" },
    ({ server }) =>
      async (key: string, holds: (lock: Lock | undefined) => boolean) => {
        const find = async (): Promise<Lock | undefined> => {
          const { items } = (await server.call(`/locks?filter=${encodeURIComponent(key)}`)).body;
          return items?.find((lock: Lock) => lock.key === key);
        };
        await waitUntil(async () => holds(await find()));
        return await find();
      },
  )
  .extend("readHistory", { scope: "file" }, ({ server }) => async (key: string): Promise<string[]> => {
    const { items } = (await server.call(`/locks/${encodeKeyPath(key)}/history`)).body;
    return items
      .map(({ type, owner }: { type: string; owner?: string }) => `${type} ${owner ?? ""}`)
      .toReversed();
  })
  .extend(
    "waitForHistory",
    { scope: "file" },
    ({ readHistory }) =>
      async (key: string, expected: string[]) => {
        await waitUntil(async () => (await readHistory(key)).length >= expected.length);
        expect(await readHistory(key)).toEqual(expected);
      },
  )
  .extend("forceRelease", { scope: "file" }, ({ server }) => async (key: string, version: string | null) => {
    return await server.callVerb(key, "force-release", { expectedVersion: version, reason: "it hangs" });
  })
  .extend(
    "readOwners",
    { scope: "file" },
    ({ masters }) =>
      (key: string) =>
        Promise.all(masters.clients.map(async (redis) => (await redis.hkeys(key))[0] ?? null)),
  );

const getVotes = (lock: Lock | undefined) => lock?.votes?.owners[0]?.masters;

describe("a RedLock of Redisson on a quorum", () => {
  it("is one lock whose owner differs per master, and blocks the API", async ({
    server,
    redisson,
    key,
    waitUntilListed,
    waitForHistory,
  }) => {
    const owners = await redisson.lock(key, 7, 0, 1, 2);
    const listed = await waitUntilListed(key, (lock) => getVotes(lock) === 3);
    expect(listed).toMatchObject({
      ...{ state: "held", format: "redisson", kind: "lock", confidence: "certain" },
      votes: { of: 3, known: 3, state: "decided", agreement: "owner_per_master" },
      release: { may: "yes" },
    });
    expect(listed?.holders).toHaveLength(1);
    expect(listed?.holders[0]?.ownersPerMaster).toEqual(owners);
    expect(owners).toContain(listed?.holders[0]?.owner);
    expect(await server.readLock(key)).toMatchObject({ state: "held", version: listed?.version });
    const refused = await server.callVerb(key, "acquire", { owner: "me" });
    expect([refused.status, refused.body.code]).toEqual([409, "held"]);
    expect(owners).toContain(refused.body.holders[0].owner);
    expect(refused.body.remainingMs).toBeGreaterThan(20_000);
    for (const owner of owners) {
      const { items } = (await server.call(`/locks?filter=${encodeURIComponent(`owner:${owner}`)}`)).body;
      expect(items.map((lock: Lock) => lock.key)).toEqual([key]);
    }
    await waitForHistory(key, [`acquired ${listed?.holders[0]?.owner}`]);
  });

  it("is force-released at all masters, each from its own owner, and wakes a waiter of the API", async ({
    server,
    redisson,
    key,
    waitUntilListed,
    forceRelease,
    waitForHistory,
    readOwners,
  }) => {
    await redisson.lock(key, 7, 0, 1, 2);
    const listed = await waitUntilListed(key, (lock) => getVotes(lock) === 3);
    const waiting = server.callVerb(key, "acquire", { owner: "me", waitMs: 20_000 });
    const freed = await forceRelease(key, listed?.version ?? "");
    expect([freed.status, freed.body.outcome]).toEqual([200, "released"]);
    expect(freed.body.masters.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      Array(3).fill("released"),
    );
    expect((await waiting).status).toBe(201);
    const owner = listed?.holders[0]?.owner;
    await waitForHistory(key, [`acquired ${owner}`, `force_released ${owner}`, "acquired me"]);
    expect(await readOwners(key).catch(() => "a string")).toBe("a string");
  });

  it("is acquired and released once while its masters are taken and left one after the other", async ({
    masters,
    redisson,
    key,
    waitUntilListed,
    waitForHistory,
  }) => {
    await redisson.lock(key, 7, 0, 1);
    const first = await waitUntilListed(key, (lock) => getVotes(lock) === 2);
    await redisson.lock(key, 7, 2);
    const whole = await waitUntilListed(key, (lock) => getVotes(lock) === 3);
    await masters.vacate(key, [0]);
    const left = await waitUntilListed(key, (lock) => getVotes(lock) === 2);
    expect(left?.holders[0]?.ownersPerMaster).toEqual([1, 2].map((at) => redisson.getOwner(at, 7)));
    for (const lock of [whole, left])
      expect([lock?.holders[0]?.owner, lock?.holders[0]?.since]).toEqual([
        first?.holders[0]?.owner,
        first?.holders[0]?.since,
      ]);
    await masters.vacate(key, [1, 2]);
    await waitUntilListed(key, (lock) => lock === undefined);
    const { owner } = first?.holders[0] ?? {};
    await waitForHistory(key, [`acquired ${owner}`, `released ${owner}`]);
  });

  it("has a version that names the owner of each master", async ({
    masters,
    redisson,
    key,
    waitUntilListed,
    forceRelease,
    readOwners,
  }) => {
    await redisson.lock(key, 7, 0, 1, 2);
    const before = await waitUntilListed(key, (lock) => getVotes(lock) === 3);
    const other = new RedissonProcess(masters);
    await masters.vacate(key, [2]);
    await other.lock(key, 8, 2);
    await waitUntilListed(key, (lock) => getVotes(lock) === 2);
    expect((await forceRelease(key, before?.version ?? "")).body.code).toBe("changed");
    expect(await readOwners(key)).toEqual([
      redisson.getOwner(0, 7),
      redisson.getOwner(1, 7),
      other.getOwner(2, 8),
    ]);
  });
});

describe("clients that contend for a RedLock", () => {
  it("a majority of one thread holds it, and a force-release leaves the owner of the other master", async ({
    masters,
    redisson,
    key,
    waitUntilListed,
    forceRelease,
    readOwners,
  }) => {
    const other = new RedissonProcess(masters);
    await other.lock(key, 9, 0);
    await redisson.lock(key, 7, 1, 2);
    const lock = await waitUntilListed(key, (found) => found?.votes?.known === 3 && getVotes(found) === 2);
    expect(lock?.holders[0]?.ownersPerMaster).toEqual([1, 2].map((at) => redisson.getOwner(at, 7)));
    expect(lock?.votes?.owners[1]).toEqual({ owner: other.getOwner(0, 9), masters: 1 });
    expect((await forceRelease(key, lock?.version ?? "")).body.outcome).toBe("released");
    expect(await readOwners(key)).toEqual([other.getOwner(0, 9), null, null]);
  });

  it("a thread of the same number that waits at another master is not part of the lock", async ({
    masters,
    server,
    redisson,
    key,
    waitUntilListed,
    forceRelease,
    readOwners,
  }) => {
    const other = new RedissonProcess(masters);
    await other.lock(key, 7, 0);
    await waitUntil(async () => (await server.readLock(key)).votes?.owners.length === 1);
    // Longer than a `RedissonRedLock` takes to acquire the lock on all masters.
    await sleep(2500);
    await redisson.lock(key, 7, 1, 2);
    const lock = await waitUntilListed(key, (found) => found !== undefined);
    expect(getVotes(lock)).toBe(2);
    expect((await forceRelease(key, lock?.version ?? "")).body.outcome).toBe("released");
    expect(await readOwners(key)).toEqual([other.getOwner(0, 7), null, null]);
  });

  it("masters with different owners are listed as such, block the API and are not released", async ({
    masters,
    server,
    redisson,
    key,
    waitUntilListed,
    forceRelease,
    readOwners,
  }) => {
    const owners = [
      ...(await redisson.lock(key, 7, 0)),
      ...(await new RedissonProcess(masters).lock(key, 8, 1)),
      ...(await new RedissonProcess(masters).lock(key, 9, 2)),
    ];
    const lock = await waitUntilListed(key, (found) => found?.holders.length === 3);
    expect(lock).toMatchObject({
      ...{ state: "held", votes: { agreement: "different_owners" }, release: { may: "never" } },
    });
    expect(lock?.holders.map(({ owner }) => owner)).toEqual(owners);
    const refused = await server.callVerb(key, "acquire", { owner: "me" });
    expect([refused.status, refused.body.code]).toEqual([409, "held"]);
    expect(refused.body.detail).toContain("different owners on different masters");
    expect((await forceRelease(key, lock?.version ?? "")).body.code).toBe("read_only");
    expect(await readOwners(key)).toEqual(owners);
  });
});
