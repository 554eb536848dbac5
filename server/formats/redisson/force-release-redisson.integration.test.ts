import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Scene } from "../../../test/support/redisson-testbed.ts";
import type { HeldObservation, SeenHolder } from "../observation.ts";
import { releaseTermsOf } from "../registry/release-terms.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
  await scene.listens("events");
});
afterAll(() => scene.close());

function holderOf(seen: HeldObservation, owner: string): SeenHolder {
  const holder = seen.holders.find((each) => each.owner === owner);
  if (holder === undefined) throw new Error(`${owner} holds nothing`);
  return holder;
}

const HOLD_OFF = { owner: "lockkeeper:reserve:mei", holdOffMs: 60_000 };

describe("force-release of a plain Redisson lock", () => {
  it("force-release wakes waiters and ends only a hold of the owner that was seen", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.lock(key);
    const seen = await scene.held(key);
    await scene.listens(one.channels.lock(key));
    await scene.redis.del(key);
    await two.lock(key);
    expect(await scene.free(seen)).toBe("changed");
    expect(await scene.redis.exists(key)).toBe(1);
    expect(await scene.heardOn(one.channels.lock(key))).toEqual([]);
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.heardOn(one.channels.lock(key))).toEqual(["0"]);
    expect(await scene.free(seen)).toBe("gone");
  });

  it("force-release of a fenced lock keeps its counter, which continues to rise", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    const fence = await app.lock(key, {}, "fenced");
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect(await scene.redis.get(app.tokenOf(key))).toBe(String(fence));
    expect(await app.lock(key, {}, "fenced")).toBe(fence + 1);
  });

  it("force-release of a lock with several owners ends one, all that were seen, or none", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await scene.redis.hset(key, one.owner(), 1, two.owner(), 2, one.owner(2), 1);
    await scene.redis.pexpire(key, 30_000);
    const all = await scene.held(key);
    expect(releaseTermsOf(all)).toMatchObject({ may: "with_format", oneHolder: true, formats: ["redisson"] });
    expect(await scene.free(all, { holder: holderOf(all, two.owner()) })).toBe("released");
    expect(await scene.redis.hkeys(key)).toEqual([one.owner(), one.owner(2)]);
    expect(await scene.free(all)).toBe("changed");
    expect(await scene.free(await scene.held(key), { holdOff: HOLD_OFF })).toBe("released");
    expect(await scene.redis.hgetall(key)).toEqual({ [HOLD_OFF.owner]: "1" });
  });

  it("force-release works for a user whose ACL covers only the lock and Lockkeeper's keys", async () => {
    const [app] = scene.clients;
    const key = scene.key();
    await app.fair(key);
    const seen = await scene.held(key);
    const narrow = await scene.user("narrow", "~lock:*", "~lockkeeper:*", "&*", "+@all");
    expect(await scene.free(seen, {}, narrow)).toBe("released");
    const shared = scene.key();
    await app.read(shared);
    expect(await scene.free(await scene.held(shared), {}, narrow)).toBe("released");
    narrow.disconnect();
    expect(await scene.redis.exists(key, shared)).toBe(0);
  });
});

describe("force-release of a Redisson fair lock", () => {
  it("force-release drops expired waiters and wakes the first live one on its own channel", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.fair(key);
    for (const thread of [1, 2, 3]) await two.fair(key, { thread });
    await scene.redis.zadd(two.endsOf(key), 1000, two.owner(1));
    for (const thread of [1, 2, 3]) await scene.listens(two.channels.fair(key, thread));
    expect(await scene.free(await scene.held(key))).toBe("released");
    await scene.hears(two.channels.fair(key, 2), "0");
    expect(await scene.heardOn(two.channels.fair(key, 1))).toEqual([]);
    expect(await scene.heardOn(two.channels.fair(key, 3))).toEqual([]);
    expect(await scene.redis.lrange(two.queueOf(key), 0, -1)).toEqual([two.owner(2), two.owner(3)]);
    expect(await two.fair(key, { thread: 3 })).not.toBeNull();
    expect(await two.fair(key, { thread: 2 })).toBeNull();
  });

  it("force-release wakes a first waiter that queued after the read", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.fair(key);
    const seen = await scene.held(key);
    expect(seen.kind).toBe("lock");
    await two.fair(key);
    await scene.listens(two.channels.fair(key));
    expect(await scene.free(seen)).toBe("released");
    await scene.hears(two.channels.fair(key), "0");
  });

  it("a reservation of a fair lock blocks the first waiter, which keeps its place", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.fair(key);
    await two.fair(key);
    expect(await scene.free(await scene.held(key), { holdOff: HOLD_OFF })).toBe("released");
    expect(await two.fair(key)).toBeGreaterThan(30_000);
    expect(await one.fair(key)).toBeGreaterThan(30_000);
    expect(await scene.redis.lindex(two.queueOf(key), 0)).toBe(two.owner());
  });

  it("a refused force-release removes no waiter from the queue", async () => {
    const [one, two] = scene.clients;
    const key = scene.key();
    await one.fair(key);
    await two.fair(key);
    const seen = await scene.held(key);
    await scene.redis.multi().del(key).hset(key, two.owner(9), 1).exec();
    await scene.redis.zadd(two.endsOf(key), 1000, two.owner());
    expect(await scene.free(seen)).toBe("changed");
    expect(await scene.redis.llen(two.queueOf(key))).toBe(1);
  });
});

describe("force-release of Redisson group values", () => {
  it("force-release of one group value leaves the others", async () => {
    const [one, two] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["a", "b"]);
    const seen = await scene.held(key);
    await scene.listens(one.channels.lock(key));
    expect(await scene.free(seen, { holder: holderOf(seen, `a:${one.owner()}`) })).toBe("released");
    expect(await scene.heardOn(one.channels.lock(key))).toEqual(["0"]);
    expect(await two.group(key, ["a"])).toBeNull();
    expect(await two.group(key, ["b"])).toBeGreaterThan(0);
    expect(await scene.free(seen, { holder: holderOf(seen, `a:${one.owner()}`) })).toBe("changed");
  });

  it("force-release of a whole group ends all values that were seen, or none", async () => {
    const [one, two] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["a", "b"]);
    const before = await scene.held(key);
    await two.group(key, ["c"]);
    expect(await scene.free(before)).toBe("changed");
    const all = await scene.held(key);
    expect(releaseTermsOf(all)).toMatchObject({ may: "yes", oneHolder: true, holdOff: false });
    expect(await scene.free(all)).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.free(all)).toBe("gone");
  });

  it("force-release of a group ignores entries that have already expired", async () => {
    const [one, two] = scene.clients;
    const key = scene.key("group");
    await one.group(key, ["old"], { leaseMs: -1 });
    await two.group(key, ["new"]);
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect((await scene.look(key)).state).toBe("ended");
  });
});

describe("force-release of Redisson permits", () => {
  it("force-release of one permit returns it once and publishes the available number", async () => {
    const [app] = scene.clients;
    const key = scene.key("sem");
    await scene.redis.set(key, 2);
    const one = await app.permit(key, 60_000);
    const two = await app.permit(key);
    await scene.listens(app.channels.semaphore(key));
    const seen = await scene.held(key);
    const ask = { holder: holderOf(seen, one) };
    expect(await scene.free(seen, ask)).toBe("released");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.free(seen, ask)).toBe("gone");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.heardOn(app.channels.semaphore(key))).toEqual(["1"]);
    expect((await scene.held(key)).holders).toMatchObject([{ owner: two }]);
  });

  it("force-release of all permits returns those that were seen, or none", async () => {
    const [app] = scene.clients;
    const key = scene.key("sem");
    await scene.redis.set(key, 3);
    await app.permit(key, 60_000);
    const before = await scene.held(key);
    await app.permit(key, 60_000);
    await app.permit(key, -1000);
    expect(await scene.free(before)).toBe("changed");
    expect(await scene.redis.get(key)).toBe("0");
    const all = await scene.held(key);
    await scene.listens(app.channels.semaphore(key));
    expect(await scene.free(all)).toBe("released");
    expect(await scene.redis.get(key)).toBe("2");
    expect(await scene.heardOn(app.channels.semaphore(key))).toEqual(["2"]);
    expect(await scene.free(all)).toBe("gone");
    await scene.redis.set(key, "text");
    expect(await scene.free(all)).toBe("not_a_lock");
  });
});

describe("force-release of numbers named by a format rule", () => {
  it("force-release of a semaphore named by a rule returns one permit", async () => {
    const [app] = scene.clients;
    const key = scene.key("ruled");
    await scene.redis.set(key, 0);
    await scene.listens(app.channels.semaphore(key));
    const seen = await scene.held(key);
    expect(await scene.free(seen)).toBe("released");
    expect(await scene.redis.get(key)).toBe("1");
    expect(await scene.heardOn(app.channels.semaphore(key))).toEqual(["1"]);
    expect(await scene.free(seen)).toBe("changed");
    expect(await scene.redis.get(key)).toBe("1");
  });

  it("force-release of a latch named by a rule opens it", async () => {
    const [app] = scene.clients;
    const key = scene.key("ruled");
    await scene.redis.set(key, 3);
    await scene.listens(app.channels.latch(key));
    const seen = await scene.held(key);
    await scene.redis.decr(key);
    expect(await scene.free(seen)).toBe("changed");
    expect(await scene.free(await scene.held(key))).toBe("released");
    expect(await scene.redis.exists(key)).toBe(0);
    expect(await scene.heardOn(app.channels.latch(key))).toEqual(["0"]);
    expect(await scene.free(seen)).toBe("gone");
  });
});
