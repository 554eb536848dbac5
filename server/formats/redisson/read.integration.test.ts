import { describe, expect } from "vitest";
import { redissonTest } from "../../../test/support/fixtures.ts";
import { getOwners } from "../../../test/support/observed-lock.ts";

const it = redissonTest();

describe("plain Redisson locks", () => {
  it("a plain lock is read with its thread, its count and the number of listening clients", async ({
    scene,
    key,
  }) => {
    const [app] = scene.clients;
    await app.acquireLock(key);
    await app.acquireLock(key);
    expect((await scene.observeHeld(key)).waiters).toEqual({ count: 0, known: "estimated" });
    await scene.subscribe(app.channels.lock(key));
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "lock", confidence: "certain" });
    expect(seen.holders).toMatchObject([{ owner: app.getOwner(), count: 2, fence: null }]);
    expect(seen.waiters).toEqual({ count: 1, known: "estimated" });
    expect(seen.lastFence).toBeUndefined();
  });

  it("clients that wait through Lockkeeper are each counted as waiters", async ({ scene, key }) => {
    const [app] = scene.clients;
    await app.acquireLock(key);
    for (const owner of ["a", "b", "c"]) {
      const waiting = { waitMs: 30_000, sinceMs: undefined, waitersMax: 10 };
      expect((await scene.acquire(key, owner, waiting)).outcome).toBe("held");
    }
    await scene.subscribe(app.channels.lock(key));
    expect((await scene.observeHeld(key)).waiters).toEqual({ count: 3, known: "estimated" });
  });

  it("a Lockkeeper hold is read without counting its waiters", async ({ scene, key }) => {
    const [app] = scene.clients;
    await scene.acquire(key, "me");
    await scene.subscribe(app.channels.lock(key));
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "lock", confidence: "certain", holders: [{ owner: "me", seq: 1 }] });
    expect(seen.waiters).toBeUndefined();
  });

  it("a fenced lock shows its last fencing token, and its holder stays foreign", async ({ scene, key }) => {
    const [app] = scene.clients;
    await app.acquireLock(key, {}, "fenced");
    const fence = await app.acquireLock(key, {}, "fenced");
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "fenced", lastFence: String(fence) });
    expect(seen.holders[0].fence).toBeNull();
  });

  it("a Redisson lock without a TTL is likely under a lock name, possible otherwise and certain by rule", async ({
    scene,
  }) => {
    const owner = scene.clients[0].getOwner();
    for (const [prefix, confidence] of [
      ["lock", "likely"],
      ["data", "possible"],
      ["ruled", "certain"],
    ] as const) {
      const key = scene.createKey(prefix);
      await scene.redis.hset(key, owner, 1);
      expect(await scene.observeHeld(key)).toMatchObject({ kind: "lock", confidence, remainingMs: null });
    }
  });

  it("a Redisson lock with several owners is only a possible lock", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await scene.redis.hset(key, one.getOwner(), 1, two.getOwner(), 1);
    await scene.redis.pexpire(key, 30_000);
    expect(await scene.observeHeld(key)).toMatchObject({ kind: "lock", confidence: "possible" });
  });
});

describe("Redisson fair locks", () => {
  it("a fair lock counts exactly its live waiters and keeps its queue while free", async ({ scene, key }) => {
    const [app, other] = scene.clients;
    await app.acquireFair(key);
    for (const thread of [1, 2, 3]) await other.acquireFair(key, { thread });
    await scene.redis.zadd(app.getTimeoutKey(key), 1000, other.getOwner(1));
    expect(await scene.redis.llen(app.getQueueKey(key))).toBe(3);
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "fair", waiters: { count: 2, known: "exact" } });
    await scene.redis.del(key);
    expect(await scene.observe(key)).toMatchObject({ state: "free", waiters: { count: 3, known: "exact" } });
  });
});

describe("Redisson read/write locks", () => {
  it("each reader is read with its own count and TTL", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireRead(key, { leaseMs: 5000 });
    await two.acquireRead(key, { leaseMs: 30_000 });
    await two.acquireRead(key, { leaseMs: 20_000 });
    await scene.subscribe(one.channels.readWrite(key));
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "read", confidence: "certain" });
    expect(seen.waiters).toEqual({ count: 1, known: "estimated" });
    expect(seen.holders).toMatchObject([
      { owner: one.getOwner(), role: "read", count: 1 },
      { owner: two.getOwner(), role: "read", count: 2 },
    ]);
    const [first, second] = seen.holders.map(({ ownRemainingMs }) => ownRemainingMs ?? 0);
    expect(first).toBeLessThanOrEqual(5000);
    expect(first).toBeGreaterThan(2000);
    expect(second).toBeGreaterThan(25_000);
  });

  it("a re-entered writer that also reads is read with both holds and the summed lease", async ({
    scene,
    key,
  }) => {
    const [app] = scene.clients;
    await app.acquireWrite(key);
    await app.acquireWrite(key);
    await app.acquireRead(key, { leaseMs: 10_000 });
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "write", confidence: "certain" });
    expect(seen.remainingMs).toBeGreaterThan(50_000);
    expect(seen.holders).toMatchObject([
      { owner: `${app.getOwner()}:write`, role: "write", count: 2 },
      { owner: app.getOwner(), role: "read", count: 1 },
    ]);
    expect(seen.holders[0].ownRemainingMs).toBeUndefined();
    expect(seen.holders[1]?.ownRemainingMs).toBeLessThanOrEqual(10_000);
  });

  it("an unusual read/write shape is at most possible, and one without holders is not a lock", async ({
    scene,
    key,
  }) => {
    const [app] = scene.clients;
    await scene.redis.hset(key, "mode", "read", `${app.getOwner()}:write`, 1);
    expect(await scene.observeHeld(key)).toMatchObject({ confidence: "possible" });
    for (const fields of [
      ["mode", "read"],
      ["mode", "both", app.getOwner(), "1"],
      ["mode", "read", "name", "x"],
      ["mode", "read", app.getOwner(), "0"],
    ]) {
      const other = scene.createKey();
      await scene.redis.hset(other, ...fields);
      expect((await scene.observe(other)).state).toBe("not_a_lock");
    }
  });
});

describe("Redisson groups", () => {
  it("each live value of a group is read with its own remaining time", async ({ scene }) => {
    const [one, two] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["a+/1", "b"], { leaseMs: 5000 });
    await two.acquireGroup(key, ["c"], { leaseMs: 30_000 });
    await two.acquireGroup(key, ["gone"], { leaseMs: -1 });
    await scene.redis.pexpire(key, 20_000);
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "multi", confidence: "certain" });
    expect(getOwners(seen)).toEqual([`a+/1:${one.getOwner()}`, `b:${one.getOwner()}`, `c:${two.getOwner()}`]);
    expect(seen.holders[0].ownRemainingMs).toBeLessThanOrEqual(5000);
    expect(seen.remainingMs).toBeLessThanOrEqual(20_000);
    expect(seen.remainingMs).toBeGreaterThan(10_000);
  });

  it("a taken-over group value belongs to its new owner despite leftovers of the old one", async ({
    scene,
  }) => {
    const [one, two] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["v"], { leaseMs: -1 });
    await two.acquireGroup(key, ["v"]);
    expect(await scene.redis.hlen(key)).toBe(5);
    expect(getOwners(await scene.observeHeld(key))).toEqual([`v:${two.getOwner()}`]);
  });

  it("a group whose values have all expired is reported as ended", async ({ scene }) => {
    const [one] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["v"], { leaseMs: -1 });
    expect((await scene.observe(key)).state).toBe("ended");
  });

  it("a group of 60 values is read completely, and a larger hash is not treated as a lock", async ({
    scene,
  }) => {
    const [app] = scene.clients;
    const key = scene.createKey("group");
    const values = Array.from({ length: 60 }, (_, at) => `v${at}`);
    await app.acquireGroup(key, values);
    expect((await scene.observeHeld(key)).holders).toHaveLength(60);
    await app.acquireGroup(key, ["one", "two", "three", "four", "five"]);
    expect((await scene.observe(key)).state).toBe("not_a_lock");
  });
});

describe("batched Redisson reads", () => {
  it("locks read together have the same waiters and TTLs as when read one by one", async ({ scene }) => {
    const [one, two] = scene.clients;
    const names = ["lock", "data", "lock", "sem", "ruled", "group", "lock", "lock", "lock"];
    const keys = names.map((name) => scene.createKey(name));
    const [plain = "", text = "", both = "", sem = "", latch = "", group = "", fair = "", , last = ""] = keys;
    await one.acquireLock(plain);
    await scene.redis.mset(text, "x", sem, 2, latch, 4);
    await one.acquireRead(both, { leaseMs: 5000 });
    await two.acquireRead(both, { leaseMs: 9000 });
    await one.acquirePermit(sem, 9000);
    await one.acquireGroup(group, ["v"]);
    for (const client of [one, two]) await client.acquireFair(fair);
    await one.acquireWrite(last);
    for (const channel of [one.channels.readWrite(last), one.channels.latch(latch)])
      await scene.subscribe(channel);
    const together = await scene.observeAll(keys);
    const alone = await Promise.all(keys.map((key) => scene.observe(key)));
    const ofEach = (all: typeof alone) =>
      all.map((seen) => [seen.state, "waiters" in seen && seen.waiters, "kind" in seen && seen.kind]);
    expect(ofEach(together)).toEqual(ofEach(alone));
    expect(together.map((seen) => ("waiters" in seen ? seen.waiters?.count : undefined))).toEqual([
      ...[0, undefined, 0, 0, 1],
      ...[0, 1, undefined, 1],
    ]);
    const [first, second] = together[2]?.state === "held" ? together[2].holders : [];
    expect(first?.ownRemainingMs).toBeLessThanOrEqual(5000);
    expect(second?.ownRemainingMs).toBeGreaterThan(5000);
  });

  it("locks are read for a user who can neither count listeners nor read auxiliary keys", async ({
    scene,
  }) => {
    const [one] = scene.clients;
    const [plain, both] = [scene.createKey(), scene.createKey()];
    await one.acquireLock(plain);
    await one.acquireRead(both);
    const narrow = await scene.connectAsUser("reader", "~lock:*", "~lockkeeper:*", "&*", "+@all", "-pubsub");
    const seen = await scene.observeAll([plain, both], narrow);
    narrow.disconnect();
    expect(seen).toMatchObject([
      { state: "held", kind: "lock" },
      { state: "held", kind: "read" },
    ]);
    for (const each of seen) expect("waiters" in each).toBe(false);
  });
});
