import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { openTestVerbs, type TestVerbs } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { RedisLocks } from "../locks/verbs/redis-locks.ts";
import type { Masters } from "../redis/master.ts";
import { matchVersion } from "./holds/hold-version.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let masters: Masters;
let locks: RedisLocks;
let journal: Journal;
let watcher: Watcher;

async function startRedis({ flags = "Kghszxe$" } = {}): Promise<void> {
  redis = await startTestRedis({ args: ["--notify-keyspace-events", flags] });
  direct = redis.createClient();
  verbs = await openTestVerbs(redis.port);
  ({ locks } = verbs);
}

async function startWatching(policy: "off" | "set" = "off"): Promise<void> {
  watching = await startTestWatcher(redis.url, { watch: ["*lock*", "mutex:*"], notifications: policy });
  ({ watcher, masters, journal } = watching);
}

afterEach(async () => {
  watching.stop();
  verbs.close();
  await redis.stop();
});

const createKey = () => `lock:${randomUUID()}`;
const createForeignOwner = () => `${randomUUID()}:${Math.floor(Math.random() * 1000)}`;
const buildAcquire = (owner: string, leaseMs = 30_000) => ({ owner, leaseMs, reentrant: true });
const listEvents = (key: string) => journal.listKeyEvents(key, 100).items.reverse();
const listEventTypes = (events: LockEvent[]) => events.map(({ type, observed }) => `${type} ${observed}`);

/** A lock as Redisson takes it. */
async function acquireForeignLock(key: string, owner: string, leaseMs: number): Promise<void> {
  await direct.multi().hset(key, owner, 1).pexpire(key, leaseMs).exec();
}

describe("watcher with keyspace notifications", () => {
  beforeEach(async () => {
    await startRedis();
    await startWatching();
  });

  it("a lock acquired by another client is indexed, and its expiration is reported within 250 ms", async () => {
    const key = createKey();
    const owner = createForeignOwner();
    await acquireForeignLock(key, owner, 600);
    const endsAt = performance.now() + 600;
    await waitUntil(() => watcher.index.get(key) !== undefined, 500);
    const heard = new Promise<number>((resolve) =>
      journal.subscribe(({ type }) => type === "expired" && resolve(performance.now())),
    );
    expect((await heard) - endsAt).toBeLessThan(250);
    expect(watcher.index.get(key)).toBeUndefined();
    expect(listEventTypes(listEvents(key))).toEqual(["acquired derived", "expired derived"]);
  });

  it("expirations are reported on time even when Redis expires keys late among many keys with a TTL", async () => {
    const others = direct.pipeline();
    for (let n = 0; n < 20_000; n++) others.set(`other:${n}`, "x", "PX", 600_000);
    await others.exec();
    const keys = Array.from({ length: 20 }, createKey);
    await Promise.all(keys.map((key) => acquireForeignLock(key, createForeignOwner(), 500)));
    const endsAt = performance.now() + 500;
    await waitUntil(() => watcher.index.size === 20);
    await waitUntil(() => watcher.index.size === 0);
    expect(performance.now() - endsAt).toBeLessThan(250);
  });

  it("the events of Lockkeeper holds are emitted exactly, once and in order", async () => {
    const key = createKey();
    await locks.acquire(key, buildAcquire("me"));
    await locks.acquire(key, buildAcquire("me"));
    await locks.renew(key, { owner: "me", leaseMs: 40_000 });
    await locks.release(key, { owner: "me" });
    await locks.release(key, { owner: "me" });
    await waitUntil(() => listEvents(key).length >= 4);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(listEventTypes(listEvents(key))).toEqual([
      "acquired exact",
      "reentered exact",
      "released exact",
      "released exact",
    ]);
    expect(listEvents(key).map(({ count }) => count)).toEqual([1, 2, 1, undefined]);
  });

  it("each of 1,000 short holds of one key emits its events exactly once", async () => {
    const key = createKey();
    for (let round = 0; round < 1000; round++) {
      await locks.acquire(key, buildAcquire(`owner-${round % 7}`));
      await locks.release(key, { owner: `owner-${round % 7}` });
    }
    await waitUntil(() => watcher.index.size === 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const events = journal.listKeyEvents(key, 10_000).items;
    expect(events).toHaveLength(2000);
    expect(new Set(events.map(({ observed }) => observed))).toEqual(new Set(["exact"]));
    expect(new Set(events.map(({ type, fence }) => `${type} ${fence}`)).size).toBe(2000);
  });

  it("a Lockkeeper hold deleted by hand emits an inferred released event", async () => {
    const key = createKey();
    await locks.acquire(key, buildAcquire("me"));
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.del(key);
    await waitUntil(() => listEvents(key).length === 2);
    expect(listEventTypes(listEvents(key))).toEqual(["acquired exact", "released derived"]);
  });

  it("a Lockkeeper hold whose lease ended emits expired with its held time", async () => {
    const key = createKey();
    await locks.acquire(key, buildAcquire("me", 300));
    await waitUntil(() => listEvents(key).length === 2);
    const [, ending] = listEvents(key);
    expect(ending).toMatchObject({ type: "expired", owner: "me" });
    expect(ending?.heldMs).toBeGreaterThanOrEqual(295);
  });

  it("an evicted hold emits evicted even when the next hold is reported at the same moment", async () => {
    const key = createKey();
    const { grant } = await locks.acquire(key, buildAcquire("me"));
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const words = ["acquired", grant.asOf + 5, Number(grant.fence) + 1, 1, 1, "", "you", ""];
    await direct
      .multi()
      .del(key)
      .publish(`__keyspace@0__:${key}`, "evicted")
      .publish("lockkeeper:events:0", `${words.join("\t")}\n${key}`)
      .exec();
    await waitUntil(() => listEvents(key).length === 4);
    expect(listEventTypes(listEvents(key))).toEqual([
      "acquired exact",
      "evicted derived",
      "acquired exact",
      "released derived",
    ]);
  });

  it("renewals and re-entries of foreign holds are reported", async () => {
    const key = createKey();
    const owner = createForeignOwner();
    const live: string[] = [];
    journal.subscribe(({ type, key: of }) => of === key && live.push(type));
    await acquireForeignLock(key, owner, 20_000);
    await waitUntil(() => live.length === 1);
    await direct.pexpire(key, 30_000);
    await waitUntil(() => live.length === 2);
    await direct.hincrby(key, owner, 1);
    await waitUntil(() => live.length === 3);
    expect(live).toEqual(["acquired", "renewed", "reentered"]);
  });

  it("an unrelated hash under a watched pattern is not listed as a lock", async () => {
    const key = createKey();
    await direct.hset(key, "name", "Ada", "count", "3");
    await acquireForeignLock(createKey(), createForeignOwner(), 10_000);
    await waitUntil(() => watcher.index.size === 1);
    expect(watcher.index.get(key)).toBeUndefined();
  });

  it("a foreign hold released and reacquired by the same owner has a changed version", async () => {
    const key = createKey();
    const owner = createForeignOwner();
    await acquireForeignLock(key, owner, 30_000);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const seen = watcher.index.get(key);
    const version = seen && watcher.locks.toLock(seen).version;
    await direct.multi().del(key).hset(key, owner, 1).pexpire(key, 30_000).exec();
    await waitUntil(() => watcher.index.get(key)?.holders[0].epoch !== seen?.holders[0].epoch);
    const now = watcher.index.get(key);
    expect(now && matchVersion(version ?? "", now).comparison).toBe("changed");
  });

  it("a foreign hold keeps its version while only its count and TTL change", async () => {
    const key = createKey();
    const owner = createForeignOwner();
    await acquireForeignLock(key, owner, 20_000);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const versionNow = () => {
      const hold = watcher.index.get(key);
      return hold && watcher.locks.toLock(hold).version;
    };
    const before = versionNow();
    await direct.multi().hincrby(key, owner, 1).pexpire(key, 30_000).exec();
    await waitUntil(() => watcher.index.get(key)?.seen.holders[0].count === 2);
    expect(versionNow()).toBe(before);
  });

  it("the version of a foreign hold is unsure after the subscription was interrupted", async () => {
    const key = createKey();
    await acquireForeignLock(key, createForeignOwner(), 30_000);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const seen = watcher.index.get(key);
    const version = seen && watcher.locks.toLock(seen).version;
    await direct.call("CLIENT", "KILL", "TYPE", "pubsub");
    await waitUntil(() => masters.list[0]?.subscriber.status !== "ready");
    await waitUntil(
      () => watcher.health().state === "live" && masters.list[0]?.subscriber.status === "ready",
    );
    await waitUntil(() => {
      const now = watcher.index.get(key);
      return now !== undefined && matchVersion(version ?? "", now).comparison === "unsure";
    });
  });

  it("a lock whose key is not UTF-8 is indexed with its bytes", async () => {
    const bytes = Buffer.concat([Buffer.from("lock:"), Buffer.from([0xff, 0x00, 0xfe])]);
    await direct.hset(bytes, createForeignOwner(), 1);
    await waitUntil(() => watcher.index.size === 1);
    const [hold] = [...watcher.index.keys()].map((held) => watcher.index.get(held));
    expect(hold && watcher.locks.toLock(hold).keyBase64).toBe(bytes.toString("base64"));
  });

  it("locks deleted by FLUSHALL leave the index within 2 s, although no notification is sent", async () => {
    await acquireForeignLock(createKey(), createForeignOwner(), 60_000);
    await waitUntil(() => watcher.index.size === 1);
    await direct.flushall();
    await waitUntil(() => watcher.index.size === 0, 2000);
  });

  it("a stopped Redis is reported as down within 3 s, and the index matches Redis again after a restart", async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => acquireForeignLock(createKey(), createForeignOwner(), 60_000)),
    );
    await waitUntil(() => watcher.index.size === 20);
    await redis.kill();
    await waitUntil(() => watcher.health().state === "down", 3000);
    await redis.restart();
    const key = createKey();
    await redis.createClient().hset(key, createForeignOwner(), 1);
    await waitUntil(() => watcher.health().state === "live");
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect([...watcher.index.keys()]).toEqual([key]);
  });

  it("a hanging Redis is reported as down within 3 s", async () => {
    redis.freeze();
    await waitUntil(() => watcher.health().state === "down", 3000);
    redis.thaw();
    await waitUntil(() => watcher.health().state === "live");
  });
});

describe("unreadable keys and missing rights", () => {
  it("a companion key overwritten with a string does not hide other locks", async () => {
    await startRedis();
    await direct.set("lockkeeper:hold:{lock:p}", "x");
    await acquireForeignLock("lock:p", createForeignOwner(), 60_000);
    await acquireForeignLock("lock:q", createForeignOwner(), 60_000);
    await startWatching();
    expect([...watcher.index.keys()].sort()).toEqual(["lock:p", "lock:q"]);
  });

  it("a key without read permission does not hide other locks", async () => {
    await startRedis();
    await direct.call("ACL", "SETUSER", "default", "resetkeys", "~lock:*", "~lockkeeper:*");
    await acquireForeignLock("lock:q", createForeignOwner(), 60_000);
    await direct.call("ACL", "SETUSER", "other", "on", ">secret", "~*", "+@all");
    const other = redis.createClient();
    await other.call("AUTH", "other", "secret");
    await other.hset("mutex:1", createForeignOwner(), 1);
    await startWatching();
    expect([...watcher.index.keys()]).toEqual(["lock:q"]);
  });

  it("without the right to subscribe, the keyspace is scanned and the health detail names the reason", async () => {
    await startRedis();
    await direct.call("ACL", "SETUSER", "default", "resetchannels");
    await acquireForeignLock("lock:q", createForeignOwner(), 60_000);
    await startWatching();
    expect(watcher.index.size).toBe(1);
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "off" });
    expect(watcher.health().detail).toContain("subscribe");
    const grant = await locks.acquire("lock:r", buildAcquire("me"));
    expect(grant.grant.count).toBe(1);
    expect(await locks.release("lock:r", { owner: "me" })).toMatchObject({ outcome: "released" });
  });
});

describe("watcher without keyspace notifications", () => {
  it("a change is found within 1.5 s, and the health detail names the CONFIG command to run", async () => {
    await startRedis({ flags: "" });
    await startWatching();
    expect(watcher.health()).toMatchObject({ notifications: "off" });
    expect(watcher.health().detail).toContain("CONFIG SET notify-keyspace-events Kghszxe$");
    const key = createKey();
    const startedAt = performance.now();
    await acquireForeignLock(key, createForeignOwner(), 60_000);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect(performance.now() - startedAt).toBeLessThan(1500);
    await direct.del(key);
    await waitUntil(() => watcher.index.get(key) === undefined, 1500);
  });

  it("without notifications, events of Lockkeeper holds are still exact", async () => {
    await startRedis({ flags: "" });
    await startWatching();
    const key = createKey();
    await locks.acquire(key, buildAcquire("me"));
    await waitUntil(() => watcher.index.get(key) !== undefined, 500);
    await locks.release(key, { owner: "me" });
    await waitUntil(() => listEvents(key).length === 2, 500);
    expect(listEventTypes(listEvents(key))).toEqual(["acquired exact", "released exact"]);
  });

  it("without notifications, the version of a foreign hold is always unsure", async () => {
    await startRedis({ flags: "" });
    await acquireForeignLock("lock:x", createForeignOwner(), 60_000);
    await startWatching();
    const hold = watcher.index.get("lock:x");
    expect(hold && matchVersion(watcher.locks.toLock(hold).version ?? "", hold).comparison).toBe("unsure");
  });

  it('the policy "set" enables notifications and keeps the flags of other apps', async () => {
    await startRedis({ flags: "Et" });
    await startWatching("set");
    expect(watcher.health().notifications).toBe("on");
    const [, flags] = (await direct.config("GET", "notify-keyspace-events")) as [string, string];
    for (const flag of "EtKghszxe$") expect(flags).toContain(flag);
  });

  it("notifications switched off at runtime are detected, and changes are still found", async () => {
    await startRedis();
    await startWatching();
    expect(watcher.health().notifications).toBe("on");
    await direct.config("SET", "notify-keyspace-events", "");
    await waitUntil(() => watcher.health().notifications === "off");
    const key = createKey();
    await acquireForeignLock(key, createForeignOwner(), 60_000);
    await waitUntil(() => watcher.index.get(key) !== undefined, 1500);
  });
});

describe("watcher start", () => {
  it("locks held before the start are listed as seen, with an at_least start time", async () => {
    await startRedis();
    const key = createKey();
    await acquireForeignLock(key, createForeignOwner(), 60_000);
    await locks.acquire(createKey(), buildAcquire("me"));
    await startWatching();
    expect(watcher.index.size).toBe(2);
    expect(watcher.index.get(key)?.holders[0].since).toBe("at_least");
    expect(listEventTypes(listEvents(key))).toEqual(["seen derived"]);
  });
});
