import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Scene } from "../../../test/support/redisson-testbed.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { releaseTermsOf } from "../registry/release-terms.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

function holderOf(seen: HeldObservation, owner: string): SeenHolder {
  const holder = seen.holders.find((each) => each.owner === owner);
  if (holder === undefined) throw new Error(`${owner} holds nothing`);
  return holder;
}

const HOLD_OFF = { owner: "lockkeeper:reserve:mei", holdOffMs: 60_000 };

async function untilReaders(): Promise<{ key: string; seen: HeldObservation }> {
  const [one, two] = scene.clients;
  const key = scene.key();
  await one.read(key, { leaseMs: 60_000 });
  await one.read(key, { leaseMs: 60_000 });
  await two.read(key, { leaseMs: 20_000 });
  return { key, seen: await scene.held(key) };
}

describe("force-release of one Redisson reader", () => {
  it("force-release of one reader leaves the other with its own lease and admits no writer", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.listens(one.channels.readWrite(key));
    expect(releaseTermsOf(seen)).toMatchObject({ may: "yes", oneHolder: true, holdOff: true });
    expect(await scene.free(seen, { holder: holderOf(seen, one.owner()) })).toBe("released");
    expect(await scene.redis.hgetall(key)).toEqual({ mode: "read", [two.owner()]: "1" });
    expect(await scene.redis.pttl(key)).toBeLessThanOrEqual(20_000);
    expect(await scene.redis.exists(one.leaseOf(key, 1), one.leaseOf(key, 2))).toBe(0);
    expect(await scene.redis.exists(two.leaseOf(key, 1))).toBe(1);
    expect(await scene.heardOn(one.channels.readWrite(key))).toEqual([]);
    expect(await one.write(key)).toBeGreaterThan(0);
    expect(await scene.free(seen, { holder: holderOf(seen, one.owner()) })).toBe("gone");
  });

  it("force-release of the last reader deletes the lock and wakes all waiters", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.listens(one.channels.readWrite(key));
    await scene.free(seen, { holder: holderOf(seen, one.owner()) });
    expect(await scene.free(seen, { holder: holderOf(seen, two.owner()) })).toBe("released");
    expect(await scene.redis.exists(key, two.leaseOf(key, 1))).toBe(0);
    expect(await scene.heardOn(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await one.write(key)).toBeNull();
  });

  it("force-release keeps the lock's TTL when a remaining reader has none of its own", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.redis.persist(two.leaseOf(key, 1));
    expect((await scene.held(key)).holders[1]?.ownRemainingMs).toBeGreaterThan(50_000);
    expect(await scene.free(seen, { holder: holderOf(seen, one.owner()) })).toBe("released");
    expect(await scene.redis.pttl(key)).toBeGreaterThan(50_000);
  });

  it("force-release never shortens the lease of a reader that joined or re-entered after the read", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await two.read(key, { leaseMs: 90_000 });
    expect(await scene.free(seen, { holder: holderOf(seen, one.owner()) })).toBe("released");
    expect(await scene.redis.pttl(key)).toBeGreaterThan(80_000);
    const again = await untilReaders();
    await two.read(again.key, { thread: 5, leaseMs: 90_000 });
    expect(await scene.free(again.seen, { holder: holderOf(again.seen, one.owner()) })).toBe("released");
    expect(await scene.redis.pttl(again.key)).toBeGreaterThan(80_000);
  });
});

describe("force-release of a Redisson writer that also reads", () => {
  it("force-release of the write hold leaves the read hold and admits other readers", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.write(key);
    await one.write(key);
    await one.read(key, { leaseMs: 20_000 });
    expect(await two.read(key)).toBeGreaterThan(0);
    const seen = await scene.held(key);
    await scene.listens(one.channels.readWrite(key));
    expect(await scene.free(seen, { holder: holderOf(seen, `${one.owner()}:write`) })).toBe("released");
    expect(await scene.redis.hgetall(key)).toEqual({ mode: "read", [one.owner()]: "1" });
    expect(await scene.redis.pttl(key)).toBeLessThanOrEqual(20_000);
    expect(await scene.heardOn(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await two.read(key)).toBeNull();
  });

  it("force-release of the read hold keeps the write hold with its lease", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.write(key, { leaseMs: 60_000 });
    await one.read(key, { leaseMs: 20_000 });
    // Not what Redisson writes: its lease must not become the writer's all the same.
    await scene.redis.hset(key, two.owner(), 1);
    await scene.redis.set(two.leaseOf(key, 1), 1, "PX", 10_000);
    const seen = await scene.held(key);
    expect(await scene.free(seen, { holder: holderOf(seen, one.owner()) })).toBe("released");
    const left = { mode: "write", [`${one.owner()}:write`]: "1", [two.owner()]: "1" };
    expect(await scene.redis.hgetall(key)).toEqual(left);
    expect(await scene.redis.pttl(key)).toBeGreaterThan(50_000);
    expect(await two.read(key)).toBeGreaterThan(0);
  });
});

describe("force-release of a whole Redisson read/write lock", () => {
  it("force-release of all readers that were seen wakes all waiters", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    await scene.listens(one.channels.readWrite(key));
    expect(await scene.free(seen)).toBe("released");
    const leases = [one.leaseOf(key, 1), one.leaseOf(key, 2), two.leaseOf(key, 1)];
    expect(await scene.redis.exists(key, ...leases)).toBe(0);
    expect(await scene.heardOn(one.channels.readWrite(key))).toEqual(["1"]);
    expect(await scene.free(seen)).toBe("gone");
  });

  it("force-release of the whole lock is refused when a holder joined, left or changed", async () => {
    const [one, two] = scene.clients;
    const { key, seen } = await untilReaders();
    const before = await scene.redis.hgetall(key);
    await two.read(key, { thread: 7 });
    expect(await scene.free(seen)).toBe("changed");
    await scene.redis.hdel(key, two.owner(7), two.owner());
    expect(await scene.free(seen)).toBe("changed");
    await scene.redis.hset(key, { ...before, mode: "write" });
    expect(await scene.free(seen)).toBe("changed");
    await scene.redis.del(key);
    await one.lock(key);
    expect(await scene.free(seen)).toBe("changed");
    await scene.redis.set(key, "text");
    expect(await scene.free(seen)).toBe("not_a_lock");
  });

  it("force-release ends a re-entered write hold", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.write(key);
    await one.write(key);
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect(await two.read(key)).toBeNull();
  });
});

describe("reservation of a Redisson read/write lock", () => {
  it.each(["read", "write"] as const)(
    "a reservation of a lock held for %s blocks Redisson readers and writers and Lockkeeper",
    async (how) => {
      const [one, two] = scene.clients;
      const key = scene.key();
      await one[how](key);
      await scene.listens(one.channels.readWrite(key));
      expect(await scene.free(await scene.held(key), { holdOff: HOLD_OFF })).toBe("released");
      expect(await scene.heardOn(one.channels.readWrite(key))).toEqual(["1"]);
      for (const client of [one, two]) {
        expect(await client.read(key)).toBeGreaterThan(50_000);
        expect(await client.write(key)).toBeGreaterThan(50_000);
      }
      const seen = await scene.held(key);
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

  it("a reservation of a read/write lock expires for all clients", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.write(key);
    const holdOff = { ...HOLD_OFF, holdOffMs: 300 };
    expect(await scene.free(await scene.held(key), { holdOff })).toBe("released");
    const left = await two.read(key);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(300);
    await expect.poll(() => two.read(key), { timeout: 5000 }).toBeNull();
  });

  it("a reservation of a read/write lock is force-released by its fencing token", async () => {
    const [one] = scene.clients;
    const key = scene.key();
    await one.write(key);
    await scene.free(await scene.held(key), { holdOff: HOLD_OFF });
    const before = await scene.held(key);
    await scene.free(before, { holdOff: HOLD_OFF });
    expect(await scene.free(before)).toBe("changed");
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect(await one.write(key)).toBeNull();
  });
});
