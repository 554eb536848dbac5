import { describe, expect } from "vitest";
import { redissonTest } from "../../../test/support/fixtures.ts";
import { getHolder, RESERVED_BY_MEI } from "../../../test/support/observed-lock.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { getReleaseTerms } from "../registry/release-terms.ts";

const it = redissonTest().extend("untilReaders", { scope: "file" }, ({ scene }) => async () => {
  const [one, two] = scene.clients;
  const key = scene.createKey();
  await one.acquireRead(key, { leaseMs: 60_000 });
  await one.acquireRead(key, { leaseMs: 60_000 });
  await two.acquireRead(key, { leaseMs: 20_000 });
  return { key, seen: await scene.observeHeld(key) };
});

const RESERVATION = { owner: RESERVED_BY_MEI, reservedMs: 60_000 };

describe("force-release of one Redisson reader", () => {
  it("force-release of one reader leaves the other with its own lease and admits no writer", async ({
    scene,
    untilReaders,
  }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.subscribe(one.channels.readWrite(key));
    expect(getReleaseTerms(seen)).toMatchObject({ may: "yes", oneHolder: true, reservable: true });
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) })).toBe("released");
    expect(await scene.redis.hgetall(key)).toEqual({ mode: "read", [two.getOwner()]: "1" });
    expect(await scene.redis.pttl(key)).toBeLessThanOrEqual(20_000);
    expect(await scene.redis.exists(one.getLeaseKey(key, 1), one.getLeaseKey(key, 2))).toBe(0);
    expect(await scene.redis.exists(two.getLeaseKey(key, 1))).toBe(1);
    expect(await scene.readMessages(one.channels.readWrite(key))).toEqual([]);
    expect(await one.acquireWrite(key)).toBeGreaterThan(0);
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) })).toBe("gone");
  });

  it("force-release of the last reader deletes the lock and wakes all waiters", async ({
    scene,
    untilReaders,
  }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.subscribe(one.channels.readWrite(key));
    await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) });
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, two.getOwner()) })).toBe("released");
    expect(await scene.redis.exists(key, two.getLeaseKey(key, 1))).toBe(0);
    expect(await scene.readMessages(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await one.acquireWrite(key)).toBeNull();
  });

  it("force-release keeps the lock's TTL when a remaining reader has none of its own", async ({
    scene,
    untilReaders,
  }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.redis.persist(two.getLeaseKey(key, 1));
    expect((await scene.observeHeld(key)).holders[1]?.ownRemainingMs).toBeGreaterThan(50_000);
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) })).toBe("released");
    expect(await scene.redis.pttl(key)).toBeGreaterThan(50_000);
  });

  it("force-release never shortens the lease of a reader that joined or re-entered after the read", async ({
    scene,
    untilReaders,
  }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await two.acquireRead(key, { leaseMs: 90_000 });
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) })).toBe("released");
    expect(await scene.redis.pttl(key)).toBeGreaterThan(80_000);
    const again = await untilReaders();
    await two.acquireRead(again.key, { thread: 5, leaseMs: 90_000 });
    expect(await scene.forceRelease(again.seen, { holder: getHolder(again.seen, one.getOwner()) })).toBe(
      "released",
    );
    expect(await scene.redis.pttl(again.key)).toBeGreaterThan(80_000);
  });
});

describe("force-release of a Redisson writer that also reads", () => {
  it("force-release of the write hold leaves the read hold and admits other readers", async ({
    scene,
    key,
  }) => {
    const [one, two] = scene.clients;
    await one.acquireWrite(key);
    await one.acquireWrite(key);
    await one.acquireRead(key, { leaseMs: 20_000 });
    expect(await two.acquireRead(key)).toBeGreaterThan(0);
    const seen = await scene.observeHeld(key);
    await scene.subscribe(one.channels.readWrite(key));
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, `${one.getOwner()}:write`) })).toBe(
      "released",
    );
    expect(await scene.redis.hgetall(key)).toEqual({ mode: "read", [one.getOwner()]: "1" });
    expect(await scene.redis.pttl(key)).toBeLessThanOrEqual(20_000);
    expect(await scene.readMessages(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await two.acquireRead(key)).toBeNull();
  });

  it("a writer whose nested read lease has ended can be released", async ({ scene, key }) => {
    const [one] = scene.clients;
    await one.acquireWrite(key);
    await one.acquireRead(key, { leaseMs: 20 });
    await waitUntil(async () => (await scene.redis.exists(one.getLeaseKey(key, 1))) === 0);
    const seen = await scene.observeHeld(key);
    expect(seen.holders).toMatchObject([{ role: "write" }, { role: "read", ownRemainingMs: 0 }]);
    expect(await scene.forceRelease(seen)).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
  });

  it("force-release of the read hold keeps the write hold with its lease", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireWrite(key, { leaseMs: 60_000 });
    await one.acquireRead(key, { leaseMs: 20_000 });
    // Redisson does not write such an entry. The writer must not get the lease of this entry.
    await scene.redis.hset(key, two.getOwner(), 1);
    await scene.redis.set(two.getLeaseKey(key, 1), 1, "PX", 10_000);
    const seen = await scene.observeHeld(key);
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, one.getOwner()) })).toBe("released");
    const left = { mode: "write", [`${one.getOwner()}:write`]: "1", [two.getOwner()]: "1" };
    expect(await scene.redis.hgetall(key)).toEqual(left);
    expect(await scene.redis.pttl(key)).toBeGreaterThan(50_000);
    expect(await two.acquireRead(key)).toBeGreaterThan(0);
  });
});

describe("force-release of a whole Redisson read/write lock", () => {
  it("force-release of all readers that were seen wakes all waiters", async ({ scene, untilReaders }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.subscribe(one.channels.readWrite(key));
    expect(await scene.forceRelease(seen)).toBe("released");
    const leases = [one.getLeaseKey(key, 1), one.getLeaseKey(key, 2), two.getLeaseKey(key, 1)];
    expect(await scene.redis.exists(key, ...leases)).toBe(0);
    expect(await scene.readMessages(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await scene.forceRelease(seen)).toBe("gone");
  });

  it("force-release of the whole lock is refused when a holder joined, left or changed", async ({
    scene,
    untilReaders,
  }) => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    const before = await scene.redis.hgetall(key);
    await two.acquireRead(key, { thread: 7 });
    expect(await scene.forceRelease(seen)).toBe("changed");
    await scene.redis.hdel(key, two.getOwner(7), two.getOwner());
    expect(await scene.forceRelease(seen)).toBe("changed");
    await scene.redis.hset(key, { ...before, mode: "write" });
    expect(await scene.forceRelease(seen)).toBe("changed");
    await scene.redis.del(key);
    await one.acquireLock(key);
    expect(await scene.forceRelease(seen)).toBe("changed");
    await scene.redis.set(key, "text");
    expect(await scene.forceRelease(seen)).toBe("not_a_lock");
  });

  it("force-release ends a re-entered write hold", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireWrite(key);
    await one.acquireWrite(key);
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect(await two.acquireRead(key)).toBeNull();
  });
});

describe("reservation of a Redisson read/write lock", () => {
  it.for(["read", "write"] as const)(
    "a reservation of a lock held for %s blocks Redisson readers and writers and Lockkeeper",
    async (how, { scene, key }) => {
      const [one, two] = scene.clients;
      await (how === "read" ? one.acquireRead(key) : one.acquireWrite(key));
      await scene.subscribe(one.channels.readWrite(key));
      expect(await scene.forceRelease(await scene.observeHeld(key), { reservation: RESERVATION })).toBe(
        "released",
      );
      expect(await scene.readMessages(one.channels.readWrite(key))).toEqual(["1"]);
      for (const client of [one, two]) {
        expect(await client.acquireRead(key)).toBeGreaterThan(50_000);
        expect(await client.acquireWrite(key)).toBeGreaterThan(50_000);
      }
      const seen = await scene.observeHeld(key);
      expect(seen).toMatchObject({ kind: "write", confidence: "certain" });
      const [holder] = seen.holders;
      expect(holder).toMatchObject({ owner: "lockkeeper:reserve:mei:write", count: 1, leaseMs: 60_000 });
      expect(holder.fence).not.toBeNull();
      const reply = await scene.acquire(key, "me");
      expect(reply).toMatchObject({
        outcome: "held",
        holders: [{ owner: holder.owner, fence: holder.fence }],
      });
    },
  );

  it("a reservation of a read/write lock expires for all clients", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireWrite(key);
    const reservation = { ...RESERVATION, reservedMs: 300 };
    expect(await scene.forceRelease(await scene.observeHeld(key), { reservation })).toBe("released");
    const left = await two.acquireRead(key);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(300);
    await expect.poll(() => two.acquireRead(key), { timeout: 5000 }).toBeNull();
  });

  it("a reservation of a read/write lock is force-released by its fencing token", async ({ scene, key }) => {
    const [one] = scene.clients;
    await one.acquireWrite(key);
    await scene.forceRelease(await scene.observeHeld(key), { reservation: RESERVATION });
    const before = await scene.observeHeld(key);
    await scene.forceRelease(before, { reservation: RESERVATION });
    expect(await scene.forceRelease(before)).toBe("changed");
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect(await one.acquireWrite(key)).toBeNull();
  });
});
