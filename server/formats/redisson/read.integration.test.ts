import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Scene } from "../../../test/support/redisson-testbed.ts";
import type { HeldObservation } from "../observation.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

const ownersOf = ({ holders }: HeldObservation) => holders.map(({ owner }) => owner);

describe("plain Redisson locks", () => {
  it("a plain lock is read with its thread, its count and the number of listening clients", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await app.lock(key);
    await app.lock(key);
    expect((await scene.held(key)).waiters).toEqual({ count: 0, known: "estimated" });
    await scene.listens(app.channels.lock(key));
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "lock", confidence: "certain" });
    expect(seen.holders).toMatchObject([{ owner: app.owner(), count: 2, fence: null }]);
    expect(seen.waiters).toEqual({ count: 1, known: "estimated" });
    expect(seen.lastFence).toBeUndefined();
  });

  it("clients that wait through Lockkeeper are each counted as waiters", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await app.lock(key);
    for (const owner of ["a", "b", "c"]) {
      const waiting = { waitMs: 30_000, sinceMs: undefined, waitersMax: 10 };
      expect((await scene.acquire(key, owner, waiting)).outcome).toBe("held");
    }
    await scene.listens(app.channels.lock(key));
    expect((await scene.held(key)).waiters).toEqual({ count: 3, known: "estimated" });
  });

  it("a Lockkeeper hold is read without counting its waiters", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await scene.acquire(key, "me");
    await scene.listens(app.channels.lock(key));
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "lock", confidence: "certain", holders: [{ owner: "me", seq: 1 }] });
    expect(seen.waiters).toBeUndefined();
  });

  it("a fenced lock shows its last fencing token, and its holder stays foreign", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await app.lock(key, {}, "fenced");
    const fence = await app.lock(key, {}, "fenced");
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "fenced", lastFence: String(fence) });
    expect(seen.holders[0].fence).toBeNull();
  });

  it("a Redisson lock without a TTL is likely under a lock name, possible otherwise and certain by rule", async () => {
    const owner = scene.clients[0].owner();
    for (const [prefix, confidence] of [
      ["lock", "likely"],
      ["data", "possible"],
      ["ruled", "certain"],
    ] as const) {
      const key = scene.key(prefix);
      await scene.redis.hset(key, owner, 1);
      expect(await scene.held(key)).toMatchObject({ kind: "lock", confidence, remainingMs: null });
    }
  });

  it("a Redisson lock with several owners is only a possible lock", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await scene.redis.hset(key, one.owner(), 1, two.owner(), 1);
    await scene.redis.pexpire(key, 30_000);
    expect(await scene.held(key)).toMatchObject({ kind: "lock", confidence: "possible" });
  });
});

describe("Redisson fair locks", () => {
  it("a fair lock counts exactly its live waiters and keeps its queue while free", async () => {
    const [app, other] = scene.clients;
    const key = scene.key();
    await app.fair(key);
    for (const thread of [1, 2, 3]) await other.fair(key, { thread });
    await scene.redis.zadd(app.endsOf(key), 1000, other.owner(1));
    expect(await scene.redis.llen(app.queueOf(key))).toBe(3);
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "fair", waiters: { count: 2, known: "exact" } });
    await scene.redis.del(key);
    expect(await scene.look(key)).toMatchObject({ state: "free", waiters: { count: 3, known: "exact" } });
  });
});

describe("Redisson read/write locks", () => {
  it("each reader is read with its own count and TTL", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.read(key, { leaseMs: 5000 });
    await two.read(key, { leaseMs: 30_000 });
    await two.read(key, { leaseMs: 20_000 });
    await scene.listens(one.channels.readWrite(key));
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "read", confidence: "certain" });
    expect(seen.waiters).toEqual({ count: 1, known: "estimated" });
    expect(seen.holders).toMatchObject([
      { owner: one.owner(), role: "read", count: 1 },
      { owner: two.owner(), role: "read", count: 2 },
    ]);
    const [first, second] = seen.holders.map(({ ownRemainingMs }) => ownRemainingMs ?? 0);
    expect(first).toBeLessThanOrEqual(5000);
    expect(first).toBeGreaterThan(2000);
    expect(second).toBeGreaterThan(25_000);
  });

  it("a re-entered writer that also reads is read with both holds and the summed lease", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await app.write(key);
    await app.write(key);
    await app.read(key, { leaseMs: 10_000 });
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "write", confidence: "certain" });
    expect(seen.remainingMs).toBeGreaterThan(50_000);
    expect(seen.holders).toMatchObject([
      { owner: `${app.owner()}:write`, role: "write", count: 2 },
      { owner: app.owner(), role: "read", count: 1 },
    ]);
    expect(seen.holders[0].ownRemainingMs).toBeUndefined();
    expect(seen.holders[1]?.ownRemainingMs).toBeLessThanOrEqual(10_000);
  });

  it("an unusual read/write shape is at most possible, and one without holders is not a lock", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await scene.redis.hset(key, "mode", "read", `${app.owner()}:write`, 1);
    expect(await scene.held(key)).toMatchObject({ confidence: "possible" });
    for (const fields of [
      ["mode", "read"],
      ["mode", "both", app.owner(), "1"],
      ["mode", "read", "name", "x"],
      ["mode", "read", app.owner(), "0"],
    ]) {
      const other = scene.key();
      await scene.redis.hset(other, ...fields);
      expect((await scene.look(other)).state).toBe("not_a_lock");
    }
  });
});

describe("Redisson groups", () => {
  it("each live value of a group is read with its own remaining time", async () => {
    const [one, two] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["a+/1", "b"], { leaseMs: 5000 });
    await two.group(key, ["c"], { leaseMs: 30_000 });
    await two.group(key, ["gone"], { leaseMs: -1 });
    await scene.redis.pexpire(key, 20_000);
    const seen = await scene.held(key);
    expect(seen).toMatchObject({ kind: "multi", confidence: "certain" });
    expect(ownersOf(seen)).toEqual([`a+/1:${one.owner()}`, `b:${one.owner()}`, `c:${two.owner()}`]);
    expect(seen.holders[0].ownRemainingMs).toBeLessThanOrEqual(5000);
    expect(seen.remainingMs).toBeLessThanOrEqual(20_000);
    expect(seen.remainingMs).toBeGreaterThan(10_000);
  });

  it("a taken-over group value belongs to its new owner despite leftovers of the old one", async () => {
    const [one, two] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["v"], { leaseMs: -1 });
    await two.group(key, ["v"]);
    expect(await scene.redis.hlen(key)).toBe(5);
    expect(ownersOf(await scene.held(key))).toEqual([`v:${two.owner()}`]);
  });

  it("a group whose values have all expired is reported as ended", async () => {
    const [one] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["v"], { leaseMs: -1 });
    expect((await scene.look(key)).state).toBe("ended");
  });

  it("a group of 60 values is read completely, and a larger hash is not treated as a lock", async () => {
    const [app] = scene.clients;
    const key = scene.key("group");
    const values = Array.from({ length: 60 }, (_, at) => `v${at}`);
    await app.group(key, values);
    expect((await scene.held(key)).holders).toHaveLength(60);
    await app.group(key, ["one", "two", "three", "four", "five"]);
    expect((await scene.look(key)).state).toBe("not_a_lock");
  });
});

describe("batched Redisson reads", () => {
  it("locks read together have the same waiters and TTLs as when read one by one", async () => {
    const [one, two] = scene.clients;
    const names = ["lock", "data", "lock", "sem", "ruled", "group", "lock", "lock", "lock"];
    const keys = names.map((name) => scene.key(name));
    const [plain = "", text = "", both = "", sem = "", latch = "", group = "", fair = "", , last = ""] = keys;
    await one.lock(plain);
    await scene.redis.mset(text, "x", sem, 2, latch, 4);
    await one.read(both, { leaseMs: 5000 });
    await two.read(both, { leaseMs: 9000 });
    await one.permit(sem, 9000);
    await one.group(group, ["v"]);
    for (const client of [one, two]) await client.fair(fair);
    await one.write(last);
    for (const channel of [one.channels.readWrite(last), one.channels.latch(latch)])
      await scene.listens(channel);
    const together = await scene.lookAll(keys);
    const alone = await Promise.all(keys.map((key) => scene.look(key)));
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

  it("locks are read for a user who can neither count listeners nor read auxiliary keys", async () => {
    const [one] = scene.clients;
    const [plain, both] = [scene.key(), scene.key()];
    await one.lock(plain);
    await one.read(both);
    const narrow = await scene.user("reader", "~lock:*", "~lockkeeper:*", "&*", "+@all", "-pubsub");
    const seen = await scene.lookAll([plain, both], narrow);
    narrow.disconnect();
    expect(seen).toMatchObject([
      { state: "held", kind: "lock" },
      { state: "held", kind: "read" },
    ]);
    for (const each of seen) expect("waiters" in each).toBe(false);
  });
});
