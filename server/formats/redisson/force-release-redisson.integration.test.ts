import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { redissonTest } from "../../../test/support/fixtures.ts";
import { getHolder, RESERVED_BY_MEI } from "../../../test/support/observed-lock.ts";
import { buildCompanionKey } from "../keys.ts";
import { getReleaseTerms } from "../registry/release-terms.ts";
import { LatchScripts } from "./latch-scripts.ts";

const it = redissonTest();

it.beforeAll(({ scene }) => scene.subscribe("events"));

const RESERVATION = { owner: RESERVED_BY_MEI, reservedMs: 60_000 };

describe("force-release of a plain Redisson lock", () => {
  it("force-release wakes waiters and ends only a hold of the owner that was seen", async ({
    scene,
    key,
  }) => {
    const [one, two] = scene.clients;
    await one.acquireLock(key);
    const seen = await scene.observeHeld(key);
    await scene.subscribe(one.channels.lock(key));
    await scene.redis.del(key);
    await two.acquireLock(key);
    expect(await scene.forceRelease(seen)).toBe("changed");
    expect(await scene.redis.exists(key)).toBe(1);
    expect(await scene.readMessages(one.channels.lock(key))).toEqual([]);
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.readMessages(one.channels.lock(key))).toEqual(["0"]);
    expect(await scene.forceRelease(seen)).toBe("gone");
  });

  it("force-release of a fenced lock keeps its counter, which continues to rise", async ({ scene, key }) => {
    const [app] = scene.clients;
    const fence = await app.acquireLock(key, {}, "fenced");
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect(await scene.redis.get(app.getTokenKey(key))).toBe(String(fence));
    expect(await app.acquireLock(key, {}, "fenced")).toBe(fence + 1);
  });

  it("force-release of a lock with several owners ends one, all that were seen, or none", async ({
    scene,
    key,
  }) => {
    const [one, two] = scene.clients;
    await scene.redis.hset(key, one.getOwner(), 1, two.getOwner(), 2, one.getOwner(2), 1);
    await scene.redis.pexpire(key, 30_000);
    const all = await scene.observeHeld(key);
    expect(getReleaseTerms(all)).toMatchObject({
      may: "with_format",
      oneHolder: true,
      formats: ["redisson"],
    });
    expect(await scene.forceRelease(all, { holder: getHolder(all, two.getOwner()) })).toBe("released");
    expect(await scene.redis.hkeys(key)).toEqual([one.getOwner(), one.getOwner(2)]);
    expect(await scene.forceRelease(all)).toBe("changed");
    expect(await scene.forceRelease(await scene.observeHeld(key), { reservation: RESERVATION })).toBe(
      "released",
    );
    expect(await scene.redis.hgetall(key)).toEqual({ [RESERVATION.owner]: "1" });
  });

  it("force-release works for a user whose ACL covers only the lock and Lockkeeper's keys", async ({
    scene,
    key,
  }) => {
    const [app] = scene.clients;
    await app.acquireFair(key);
    const seen = await scene.observeHeld(key);
    const narrow = await scene.connectAsUser("narrow", "~lock:*", "~lockkeeper:*", "&*", "+@all");
    expect(await scene.forceRelease(seen, {}, narrow)).toBe("released");
    const shared = scene.createKey();
    await app.acquireRead(shared);
    expect(await scene.forceRelease(await scene.observeHeld(shared), {}, narrow)).toBe("released");
    narrow.disconnect();
    expect(await scene.redis.exists(key, shared)).toBe(0);
  });
});

describe("force-release of a Redisson fair lock", () => {
  it("force-release drops expired waiters and wakes the first live one on its own channel", async ({
    scene,
    key,
  }) => {
    const [one, two] = scene.clients;
    await one.acquireFair(key);
    for (const thread of [1, 2, 3]) await two.acquireFair(key, { thread });
    await scene.redis.zadd(two.getTimeoutKey(key), 1000, two.getOwner(1));
    for (const thread of [1, 2, 3]) await scene.subscribe(two.channels.fair(key, thread));
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    await scene.waitForMessage(two.channels.fair(key, 2), "0");
    expect(await scene.readMessages(two.channels.fair(key, 1))).toEqual([]);
    expect(await scene.readMessages(two.channels.fair(key, 3))).toEqual([]);
    expect(await scene.redis.lrange(two.getQueueKey(key), 0, -1)).toEqual([two.getOwner(2), two.getOwner(3)]);
    expect(await two.acquireFair(key, { thread: 3 })).not.toBeNull();
    expect(await two.acquireFair(key, { thread: 2 })).toBeNull();
  });

  it("force-release wakes a first waiter that queued after the read", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireFair(key);
    const seen = await scene.observeHeld(key);
    expect(seen.kind).toBe("lock");
    await two.acquireFair(key);
    await scene.subscribe(two.channels.fair(key));
    expect(await scene.forceRelease(seen)).toBe("released");
    await scene.waitForMessage(two.channels.fair(key), "0");
  });

  it("a reservation of a fair lock blocks the first waiter, which keeps its place", async ({
    scene,
    key,
  }) => {
    const [one, two] = scene.clients;
    await one.acquireFair(key);
    await two.acquireFair(key);
    expect(await scene.forceRelease(await scene.observeHeld(key), { reservation: RESERVATION })).toBe(
      "released",
    );
    expect(await two.acquireFair(key)).toBeGreaterThan(30_000);
    expect(await one.acquireFair(key)).toBeGreaterThan(30_000);
    expect(await scene.redis.lindex(two.getQueueKey(key), 0)).toBe(two.getOwner());
  });

  it("a refused force-release removes no waiter from the queue", async ({ scene, key }) => {
    const [one, two] = scene.clients;
    await one.acquireFair(key);
    await two.acquireFair(key);
    const seen = await scene.observeHeld(key);
    await scene.redis.multi().del(key).hset(key, two.getOwner(9), 1).exec();
    await scene.redis.zadd(two.getTimeoutKey(key), 1000, two.getOwner());
    expect(await scene.forceRelease(seen)).toBe("changed");
    expect(await scene.redis.llen(two.getQueueKey(key))).toBe(1);
  });
});

describe("force-release of Redisson group values", () => {
  it("force-release of one group value leaves the others", async ({ scene }) => {
    const [one, two] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["a", "b"]);
    const seen = await scene.observeHeld(key);
    await scene.subscribe(one.channels.lock(key));
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, `a:${one.getOwner()}`) })).toBe(
      "released",
    );
    expect(await scene.readMessages(one.channels.lock(key))).toEqual(["0"]);
    expect(await two.acquireGroup(key, ["a"])).toBeNull();
    expect(await two.acquireGroup(key, ["b"])).toBeGreaterThan(0);
    expect(await scene.forceRelease(seen, { holder: getHolder(seen, `a:${one.getOwner()}`) })).toBe(
      "changed",
    );
  });

  it("force-release of a whole group ends all values that were seen, or none", async ({ scene }) => {
    const [one, two] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["a", "b"]);
    const before = await scene.observeHeld(key);
    await two.acquireGroup(key, ["c"]);
    expect(await scene.forceRelease(before)).toBe("changed");
    const all = await scene.observeHeld(key);
    expect(getReleaseTerms(all)).toMatchObject({ may: "yes", oneHolder: true, reservable: false });
    expect(await scene.forceRelease(all)).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.forceRelease(all)).toBe("gone");
  });

  it("force-release of a group ignores entries that have already expired", async ({ scene }) => {
    const [one, two] = scene.clients;
    const key = scene.createKey("group");
    await one.acquireGroup(key, ["old"], { leaseMs: -1 });
    await two.acquireGroup(key, ["new"]);
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect((await scene.observe(key)).state).toBe("ended");
  });
});

describe("force-release of Redisson permits", () => {
  it("force-release of one permit returns it once and publishes the available number", async ({ scene }) => {
    const [app] = scene.clients;
    const key = scene.createKey("sem");
    await scene.redis.set(key, 2);
    const one = await app.acquirePermit(key, 60_000);
    const two = await app.acquirePermit(key);
    await scene.subscribe(app.channels.semaphore(key));
    const seen = await scene.observeHeld(key);
    const ask = { holder: getHolder(seen, one) };
    expect(await scene.forceRelease(seen, ask)).toBe("released");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.forceRelease(seen, ask)).toBe("gone");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.readMessages(app.channels.semaphore(key))).toEqual(["1"]);
    expect((await scene.observeHeld(key)).holders).toMatchObject([{ owner: two }]);
  });

  it("force-release of all permits returns those that were seen, or none", async ({ scene }) => {
    const [app] = scene.clients;
    const key = scene.createKey("sem");
    await scene.redis.set(key, 3);
    await app.acquirePermit(key, 60_000);
    const before = await scene.observeHeld(key);
    await app.acquirePermit(key, 60_000);
    await app.acquirePermit(key, -1000);
    expect(await scene.forceRelease(before)).toBe("changed");
    expect(await scene.redis.get(key)).toBe("0");
    const all = await scene.observeHeld(key);
    await scene.subscribe(app.channels.semaphore(key));
    expect(await scene.forceRelease(all)).toBe("released");
    expect(await scene.redis.get(key)).toBe("2");
    expect(await scene.readMessages(app.channels.semaphore(key))).toEqual(["2"]);
    expect(await scene.forceRelease(all)).toBe("gone");
    await scene.redis.set(key, "text");
    expect(await scene.forceRelease(all)).toBe("not_a_lock");
    await scene.redis.del(key);
    await scene.redis.rpush(key, "a job");
    expect(await scene.forceRelease(all)).toBe("not_a_lock");
  });
});

describe("force-release of numbers named by a format rule", () => {
  it("force-release of a semaphore named by a rule returns one permit", async ({ scene }) => {
    const [app] = scene.clients;
    const key = scene.createKey("ruled");
    await scene.redis.set(key, 0);
    await scene.subscribe(app.channels.semaphore(key));
    const seen = await scene.observeHeld(key);
    expect(await scene.forceRelease(seen)).toBe("released");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.readMessages(app.channels.semaphore(key))).toEqual(["1"]);
    expect(await scene.forceRelease(seen)).toBe("changed");
    expect(await scene.redis.get(key)).toBe("1");
  });

  it("force-release of a semaphore refuses a key that has become another Redis type", async ({ scene }) => {
    const key = scene.createKey("ruled");
    await scene.redis.set(key, 0);
    const seen = await scene.observeHeld(key);
    await scene.redis.del(key);
    await scene.redis.rpush(key, "a job");
    expect(await scene.forceRelease(seen)).toBe("not_a_lock");
    expect(await scene.redis.lrange(key, 0, -1)).toEqual(["a job"]);
  });

  it("force-release of a latch named by a rule opens it", async ({ scene }) => {
    const [app] = scene.clients;
    const key = scene.createKey("ruled");
    await scene.redis.set(key, 3);
    await scene.subscribe(app.channels.latch(key));
    const seen = await scene.observeHeld(key);
    await scene.redis.decr(key);
    expect(await scene.forceRelease(seen)).toBe("changed");
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.readMessages(app.channels.latch(key))).toEqual(["0"]);
    expect(await scene.forceRelease(seen)).toBe("gone");
  });

  it("force-release of a latch shows waiters the opening although a new count was set at once", async ({
    scene,
  }) => {
    const key = scene.createKey("ruled");
    const latches = new LatchScripts();
    const createRequest = () => ({ id: randomUUID(), digest: "" });
    await latches.setCount(scene.redis, key, 3, createRequest());
    expect(await scene.forceRelease(await scene.observeHeld(key))).toBe("released");
    const opened = await latches.read(scene.redis, key);
    expect(opened).toMatchObject({ count: 0, openedUs: expect.any(Number) });
    expect("openedUs" in opened && opened.openedUs).toBeGreaterThan(Date.now() * 1000 - 10_000_000);
    expect(await scene.redis.get(String(buildCompanionKey(key)))).not.toContain("latch");
    await latches.setCount(scene.redis, key, 2, createRequest());
    expect(await latches.read(scene.redis, key)).toEqual({ ...opened, asOf: expect.any(Number), count: 2 });
  });
});
