import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { openVerbs, type TestVerbs } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { until } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { Locks } from "../locks/verbs/redis-locks.ts";
import type { Masters } from "../redis/master.ts";
import { matchVersion } from "./holds/hold-version.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let masters: Masters;
let locks: Locks;
let journal: Journal;
let watcher: Watcher;

async function start({ flags = "Kghszxe$" } = {}): Promise<void> {
  redis = await startTestRedis({ args: ["--notify-keyspace-events", flags] });
  direct = redis.client();
  verbs = await openVerbs(redis.port);
  ({ locks } = verbs);
}

async function watch(policy: "off" | "set" = "off"): Promise<void> {
  watching = await startTestWatcher(redis.url, { watch: ["*lock*", "mutex:*"], notifications: policy });
  ({ watcher, masters, journal } = watching);
}

afterEach(async () => {
  watching.stop();
  verbs.close();
  await redis.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const foreignOwner = () => `${randomUUID()}:${Math.floor(Math.random() * 1000)}`;
const ask = (owner: string, leaseMs = 30_000) => ({ owner, leaseMs, reentrant: true });
const story = (key: string) => journal.ofKey(key, 100).items.reverse();
const typesOf = (events: LockEvent[]) => events.map(({ type, observed }) => `${type} ${observed}`);

/** A lock as Redisson takes it. */
async function takeByHand(key: string, owner: string, leaseMs: number): Promise<void> {
  await direct.multi().hset(key, owner, 1).pexpire(key, leaseMs).exec();
}

describe("with notifications", () => {
  beforeEach(async () => {
    await start();
    await watch();
  });

  it("shows a lock that was taken by hand, and its expiry within 250 ms", async () => {
    const key = fresh();
    const owner = foreignOwner();
    await takeByHand(key, owner, 600);
    const endsAt = performance.now() + 600;
    await until(() => watcher.mirror.get(key) !== undefined, 500);
    const heard = new Promise<number>((resolve) =>
      journal.subscribe(({ type }) => type === "expired" && resolve(performance.now())),
    );
    expect((await heard) - endsAt).toBeLessThan(250);
    expect(watcher.mirror.get(key)).toBeUndefined();
    expect(typesOf(story(key))).toEqual(["acquired derived", "expired derived"]);
  });

  it("tells expiries on time although Redis itself is late with them among many other keys with a TTL", async () => {
    const others = direct.pipeline();
    for (let n = 0; n < 20_000; n++) others.set(`other:${n}`, "x", "PX", 600_000);
    await others.exec();
    const keys = Array.from({ length: 20 }, fresh);
    await Promise.all(keys.map((key) => takeByHand(key, foreignOwner(), 500)));
    const endsAt = performance.now() + 500;
    await until(() => watcher.mirror.size === 20);
    await until(() => watcher.mirror.size === 0);
    expect(performance.now() - endsAt).toBeLessThan(250);
  });

  it("tells the story of our own holds exactly, once, in order", async () => {
    const key = fresh();
    await locks.acquire(key, ask("me"));
    await locks.acquire(key, ask("me"));
    await locks.renew(key, { owner: "me", leaseMs: 40_000 });
    await locks.release(key, { owner: "me" });
    await locks.release(key, { owner: "me" });
    await until(() => story(key).length >= 4);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(typesOf(story(key))).toEqual([
      "acquired exact",
      "reentered exact",
      "released exact",
      "released exact",
    ]);
    expect(story(key).map(({ count }) => count)).toEqual([1, 2, 1, undefined]);
  });

  it("tells each of a thousand fast holds of one key once", async () => {
    const key = fresh();
    for (let round = 0; round < 1000; round++) {
      await locks.acquire(key, ask(`owner-${round % 7}`));
      await locks.release(key, { owner: `owner-${round % 7}` });
    }
    await until(() => watcher.mirror.size === 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const events = journal.ofKey(key, 10_000).items;
    expect(events).toHaveLength(2000);
    expect(new Set(events.map(({ observed }) => observed))).toEqual(new Set(["exact"]));
    expect(new Set(events.map(({ type, fence }) => `${type} ${fence}`)).size).toBe(2000);
  });

  it("concludes that a hold of ours that is deleted by hand was released", async () => {
    const key = fresh();
    await locks.acquire(key, ask("me"));
    await until(() => watcher.mirror.get(key) !== undefined);
    await direct.del(key);
    await until(() => story(key).length === 2);
    expect(typesOf(story(key))).toEqual(["acquired exact", "released derived"]);
  });

  it("tells that a hold of ours lapsed", async () => {
    const key = fresh();
    await locks.acquire(key, ask("me", 300));
    await until(() => story(key).length === 2);
    const [, ending] = story(key);
    expect(ending).toMatchObject({ type: "expired", owner: "me" });
    expect(ending?.heldMs).toBeGreaterThanOrEqual(295);
  });

  it("tells that a hold was evicted also when the next one is told in the same breath", async () => {
    const key = fresh();
    const { grant } = await locks.acquire(key, ask("me"));
    await until(() => watcher.mirror.get(key) !== undefined);
    const words = ["acquired", grant.asOf + 5, Number(grant.fence) + 1, 1, 1, "", "you", ""];
    await direct
      .multi()
      .del(key)
      .publish(`__keyspace@0__:${key}`, "evicted")
      .publish("lockkeeper:events:0", `${words.join("\t")}\n${key}`)
      .exec();
    await until(() => story(key).length === 4);
    expect(typesOf(story(key))).toEqual([
      "acquired exact",
      "evicted derived",
      "acquired exact",
      "released derived",
    ]);
  });

  it("sees renewals and re-entries of others", async () => {
    const key = fresh();
    const owner = foreignOwner();
    const live: string[] = [];
    journal.subscribe(({ type, key: of }) => of === key && live.push(type));
    await takeByHand(key, owner, 20_000);
    await until(() => live.length === 1);
    await direct.pexpire(key, 30_000);
    await until(() => live.length === 2);
    await direct.hincrby(key, owner, 1);
    await until(() => live.length === 3);
    expect(live).toEqual(["acquired", "renewed", "reentered"]);
  });

  it("does not take a user's own hash for a lock", async () => {
    const key = fresh();
    await direct.hset(key, "name", "Ada", "count", "3");
    await takeByHand(fresh(), foreignOwner(), 10_000);
    await until(() => watcher.mirror.size === 1);
    expect(watcher.mirror.get(key)).toBeUndefined();
  });

  it("calls a foreign hold another one when the same owner let go and took again", async () => {
    const key = fresh();
    const owner = foreignOwner();
    await takeByHand(key, owner, 30_000);
    await until(() => watcher.mirror.get(key) !== undefined);
    const seen = watcher.mirror.get(key);
    const version = seen && watcher.lockOf(seen).version;
    await direct.multi().del(key).hset(key, owner, 1).pexpire(key, 30_000).exec();
    await until(() => watcher.mirror.get(key)?.holders[0].epoch !== seen?.holders[0].epoch);
    const now = watcher.mirror.get(key);
    expect(now && matchVersion(version ?? "", now).comparison).toBe("changed");
  });

  it("keeps a version while nothing but count and time to live changes", async () => {
    const key = fresh();
    const owner = foreignOwner();
    await takeByHand(key, owner, 20_000);
    await until(() => watcher.mirror.get(key) !== undefined);
    const versionNow = () => {
      const hold = watcher.mirror.get(key);
      return hold && watcher.lockOf(hold).version;
    };
    const before = versionNow();
    await direct.multi().hincrby(key, owner, 1).pexpire(key, 30_000).exec();
    await until(() => watcher.mirror.get(key)?.seen.holders[0].count === 2);
    expect(versionNow()).toBe(before);
  });

  it("is unsure of a foreign hold after its subscription broke", async () => {
    const key = fresh();
    await takeByHand(key, foreignOwner(), 30_000);
    await until(() => watcher.mirror.get(key) !== undefined);
    const seen = watcher.mirror.get(key);
    const version = seen && watcher.lockOf(seen).version;
    await direct.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until(() => masters.list[0]?.subscriber.status !== "ready");
    await until(() => watcher.health().state === "live" && masters.list[0]?.subscriber.status === "ready");
    await until(() => {
      const now = watcher.mirror.get(key);
      return now !== undefined && matchVersion(version ?? "", now).comparison === "unsure";
    });
  });

  it("holds keys that are not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("lock:"), Buffer.from([0xff, 0x00, 0xfe])]);
    await direct.hset(bytes, foreignOwner(), 1);
    await until(() => watcher.mirror.size === 1);
    const [hold] = [...watcher.mirror.keys()].map((held) => watcher.mirror.get(held));
    expect(hold && watcher.lockOf(hold).keyBase64).toBe(bytes.toString("base64"));
  });

  it("finds what FLUSHALL took, which Redis tells nobody", async () => {
    await takeByHand(fresh(), foreignOwner(), 60_000);
    await until(() => watcher.mirror.size === 1);
    await direct.flushall();
    await until(() => watcher.mirror.size === 0, 2000);
  });

  it("says within 3 s that Redis is gone, and equals Redis again when it is back", async () => {
    await Promise.all(Array.from({ length: 20 }, () => takeByHand(fresh(), foreignOwner(), 60_000)));
    await until(() => watcher.mirror.size === 20);
    await redis.kill();
    await until(() => watcher.health().state === "down", 3000);
    await redis.restart();
    const key = fresh();
    await redis.client().hset(key, foreignOwner(), 1);
    await until(() => watcher.health().state === "live");
    await until(() => watcher.mirror.get(key) !== undefined);
    expect([...watcher.mirror.keys()]).toEqual([key]);
  });

  it("says within 3 s that Redis hangs", async () => {
    redis.freeze();
    await until(() => watcher.health().state === "down", 3000);
    redis.thaw();
    await until(() => watcher.health().state === "live");
  });
});

describe("what must not hide the rest", () => {
  it("a companion that somebody made a string: every other lock is seen", async () => {
    await start();
    await direct.set("lockkeeper:hold:{lock:p}", "x");
    await takeByHand("lock:p", foreignOwner(), 60_000);
    await takeByHand("lock:q", foreignOwner(), 60_000);
    await watch();
    expect([...watcher.mirror.keys()].sort()).toEqual(["lock:p", "lock:q"]);
  });

  it("a key that we may not read: every other lock is seen", async () => {
    await start();
    await direct.call("ACL", "SETUSER", "default", "resetkeys", "~lock:*", "~lockkeeper:*");
    await takeByHand("lock:q", foreignOwner(), 60_000);
    await direct.call("ACL", "SETUSER", "other", "on", ">secret", "~*", "+@all");
    const other = redis.client();
    await other.call("AUTH", "other", "secret");
    await other.hset("mutex:1", foreignOwner(), 1);
    await watch();
    expect([...watcher.mirror.keys()]).toEqual(["lock:q"]);
  });

  it("no right to subscribe: the picture is scanned, and says why", async () => {
    await start();
    await direct.call("ACL", "SETUSER", "default", "resetchannels");
    await takeByHand("lock:q", foreignOwner(), 60_000);
    await watch();
    expect(watcher.mirror.size).toBe(1);
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "off" });
    expect(watcher.health().detail).toContain("subscribe");
    const grant = await locks.acquire("lock:r", ask("me"));
    expect(grant.grant.count).toBe(1);
    expect(await locks.release("lock:r", { owner: "me" })).toMatchObject({ outcome: "released" });
  });
});

describe("without notifications", () => {
  it("finds a change by hand within about a second, and says what to do about it", async () => {
    await start({ flags: "" });
    await watch();
    expect(watcher.health()).toMatchObject({ notifications: "off" });
    expect(watcher.health().detail).toContain("CONFIG SET notify-keyspace-events Kghszxe$");
    const key = fresh();
    const startedAt = performance.now();
    await takeByHand(key, foreignOwner(), 60_000);
    await until(() => watcher.mirror.get(key) !== undefined);
    expect(performance.now() - startedAt).toBeLessThan(1500);
    await direct.del(key);
    await until(() => watcher.mirror.get(key) === undefined, 1500);
  });

  it("tells our own holds exactly all the same", async () => {
    await start({ flags: "" });
    await watch();
    const key = fresh();
    await locks.acquire(key, ask("me"));
    await until(() => watcher.mirror.get(key) !== undefined, 500);
    await locks.release(key, { owner: "me" });
    await until(() => story(key).length === 2, 500);
    expect(typesOf(story(key))).toEqual(["acquired exact", "released exact"]);
  });

  it("is never sure of a foreign hold", async () => {
    await start({ flags: "" });
    await takeByHand("lock:x", foreignOwner(), 60_000);
    await watch();
    const hold = watcher.mirror.get("lock:x");
    expect(hold && matchVersion(watcher.lockOf(hold).version ?? "", hold).comparison).toBe("unsure");
  });

  it("switches them on when told to, keeping the flags of other apps", async () => {
    await start({ flags: "Et" });
    await watch("set");
    expect(watcher.health().notifications).toBe("on");
    const [, flags] = (await direct.config("GET", "notify-keyspace-events")) as [string, string];
    for (const flag of "EtKghszxe$") expect(flags).toContain(flag);
  });

  it("notices when somebody switches them off", async () => {
    await start();
    await watch();
    expect(watcher.health().notifications).toBe("on");
    await direct.config("SET", "notify-keyspace-events", "");
    await until(() => watcher.health().notifications === "off");
    const key = fresh();
    await takeByHand(key, foreignOwner(), 60_000);
    await until(() => watcher.mirror.get(key) !== undefined, 1500);
  });
});

describe("at the start", () => {
  it("shows what is held already, as seen and held for at least that long", async () => {
    await start();
    const key = fresh();
    await takeByHand(key, foreignOwner(), 60_000);
    await locks.acquire(fresh(), ask("me"));
    await watch();
    expect(watcher.mirror.size).toBe(2);
    expect(watcher.mirror.get(key)?.holders[0].since).toBe("at_least");
    expect(typesOf(story(key))).toEqual(["seen derived"]);
  });
});
