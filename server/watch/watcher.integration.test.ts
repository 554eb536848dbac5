import { describe, expect, test } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { createTestKey, openTestVerbs, sleepMs } from "../../test/support/test-locks.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import {
  acquireForeignLock,
  createForeignOwner,
  startTestWatcher,
  type TestWatcher,
} from "../../test/support/test-watcher.ts";
import { measureReplyTime } from "../../test/support/timing.ts";
import { matchVersion } from "./holds/hold-version.ts";

const SETTING = "notify-keyspace-events";
const FLAGS = "Kghszxe$";
const buildAcquire = (owner: string, leaseMs = 30_000) => ({ owner, leaseMs });
const listEventTypes = (events: LockEvent[]) => events.map(({ type, observed }) => `${type} ${observed}`);

/** Each test has its own Redis. A test can prepare Redis before it calls `startWatching`. */
const it = test
  .extend("flags", FLAGS)
  .extend("redis", async ({ flags }, { onCleanup }) => {
    const redis = await startTestRedis({ args: [`--${SETTING}`, flags] });
    onCleanup(() => redis.stop());
    return redis;
  })
  .extend("direct", ({ redis }) => redis.createClient())
  .extend("locks", async ({ redis }, { onCleanup }) => {
    const verbs = await openTestVerbs(redis.port);
    onCleanup(() => verbs.close());
    return verbs.locks;
  })
  .extend("startWatching", ({ redis }, { onCleanup }) => {
    let watching: TestWatcher | undefined;
    onCleanup(() => watching?.stop());
    return async (notifications: "off" | "set" = "off") => {
      watching = await startTestWatcher(redis.url, { watch: ["*lock*", "mutex:*"], notifications });
      return watching;
    };
  })
  .extend("watching", ({ startWatching }) => startWatching())
  .extend("watcher", ({ watching }) => watching.watcher)
  .extend("masters", ({ watching }) => watching.masters)
  .extend("journal", ({ watching }) => watching.journal)
  .extend("listEvents", ({ watching }) => watching.listEvents)
  .extend("key", () => createTestKey());

describe("watcher with keyspace notifications", () => {
  it("a lock acquired by another client is indexed, and its expiration is reported within 250 ms", async ({
    direct,
    journal,
    watcher,
    listEvents,
    key,
  }) => {
    const observed = new Promise<number>((resolve) =>
      journal.subscribe(({ type }) => type === "expired" && resolve(performance.now())),
    );
    await acquireForeignLock(direct, key, 600);
    const ended = measureReplyTime(direct, 600);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect((await observed) - (await ended)).toBeLessThan(250);
    expect(watcher.index.get(key)).toBeUndefined();
    expect(listEventTypes(listEvents(key))).toEqual(["acquired inferred", "expired inferred"]);
  });

  it("expirations are reported on time even when Redis expires keys late among many keys with a TTL", async ({
    direct,
    watcher,
  }) => {
    const others = direct.pipeline();
    for (let n = 0; n < 20_000; n++) others.set(`other:${n}`, "x", "PX", 600_000);
    await others.exec();
    const keys = Array.from({ length: 20 }, () => createTestKey());
    await Promise.all(keys.map((key) => acquireForeignLock(direct, key, 500)));
    const ended = measureReplyTime(direct, 500);
    await waitUntil(() => watcher.index.size === 20);
    await waitUntil(() => watcher.index.size === 0);
    const lastAt = performance.now();
    expect(lastAt - (await ended)).toBeLessThan(250);
  });

  it("the events of Lockkeeper holds are emitted exactly, once and in order", async ({
    locks,
    listEvents,
    key,
  }) => {
    const { grant } = await locks.acquire(key, buildAcquire("me"));
    await locks.reenter(grant);
    await locks.renew(grant, { leaseMs: 40_000 });
    await locks.release(grant, { requestId: "one" });
    await locks.release(grant);
    await waitUntil(() => listEvents(key).length >= 4);
    await sleepMs(200);
    expect(listEventTypes(listEvents(key))).toEqual([
      "acquired exact",
      "reentered exact",
      "released exact",
      "released exact",
    ]);
    expect(listEvents(key).map(({ count }) => count)).toEqual([1, 2, 1, undefined]);
  });

  it("each of 1,000 short holds of one key emits its events exactly once", async ({
    locks,
    journal,
    watcher,
    key,
  }) => {
    for (let round = 0; round < 1000; round++) {
      const { grant } = await locks.acquire(key, buildAcquire(`owner-${round % 7}`));
      await locks.release(grant);
    }
    await waitUntil(() => watcher.index.size === 0);
    await sleepMs(200);
    const events = journal.listKeyEvents(key, 10_000).items;
    expect(events).toHaveLength(2000);
    expect(new Set(events.map(({ observed }) => observed))).toEqual(new Set(["exact"]));
    expect(new Set(events.map(({ type, fence }) => `${type} ${fence}`)).size).toBe(2000);
  });

  it("a Lockkeeper hold deleted by hand emits an inferred released event", async ({
    direct,
    locks,
    watcher,
    listEvents,
    key,
  }) => {
    await locks.acquire(key, buildAcquire("me"));
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.del(key);
    await waitUntil(() => listEvents(key).length === 2);
    expect(listEventTypes(listEvents(key))).toEqual(["acquired exact", "released inferred"]);
  });

  it("a Lockkeeper hold whose lease ended emits expired with its held time", async ({
    locks,
    listEvents,
    key,
  }) => {
    await locks.acquire(key, buildAcquire("me", 300));
    await waitUntil(() => listEvents(key).length === 2);
    const [, ending] = listEvents(key);
    expect(ending).toMatchObject({ type: "expired", owner: "me" });
    expect(ending?.heldMs).toBeGreaterThanOrEqual(295);
  });

  it("an evicted hold emits evicted even when the next hold is reported at the same moment", async ({
    direct,
    locks,
    watcher,
    listEvents,
    key,
  }) => {
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
      "evicted inferred",
      "acquired exact",
      "released inferred",
    ]);
  });

  it("renewals and re-entries of foreign holds are reported", async ({ direct, journal, key }) => {
    const owner = createForeignOwner();
    const live: string[] = [];
    journal.subscribe(({ type, key: of }) => of === key && live.push(type));
    await acquireForeignLock(direct, key, 20_000, owner);
    await waitUntil(() => live.length === 1);
    await direct.pexpire(key, 30_000);
    await waitUntil(() => live.length === 2);
    await direct.hincrby(key, owner, 1);
    await waitUntil(() => live.length === 3);
    expect(live).toEqual(["acquired", "renewed", "reentered"]);
  });

  it("an unrelated hash under a watched pattern is not listed as a lock", async ({
    direct,
    watcher,
    key,
  }) => {
    await direct.hset(key, "name", "Ada", "count", "3");
    await acquireForeignLock(direct, createTestKey());
    await waitUntil(() => watcher.index.size === 1);
    expect(watcher.index.get(key)).toBeUndefined();
  });

  it("a foreign hold released and reacquired by the same owner has a changed version", async ({
    direct,
    watcher,
    key,
  }) => {
    const owner = createForeignOwner();
    await acquireForeignLock(direct, key, 30_000, owner);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const seen = watcher.index.get(key);
    const version = seen && watcher.locks.toLock(seen).version;
    // Waits, because a notification that arrives at about the time of the first read may belong to the previous hold.
    const readAt = performance.now();
    await waitUntil(() => performance.now() > readAt + 100);
    await direct.multi().del(key).hset(key, owner, 1).pexpire(key, 30_000).exec();
    await waitUntil(() => watcher.index.get(key)?.holders[0].epoch !== seen?.holders[0].epoch);
    const now = watcher.index.get(key);
    expect(now && matchVersion(version ?? "", now).comparison).toBe("changed");
  });

  it("a foreign hold keeps its version while only its count and TTL change", async ({
    direct,
    watcher,
    key,
  }) => {
    const owner = createForeignOwner();
    await acquireForeignLock(direct, key, 20_000, owner);
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

  it("the version of a foreign hold is unsure after the subscription was interrupted", async ({
    direct,
    masters,
    watcher,
    key,
  }) => {
    await acquireForeignLock(direct, key);
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
      return now !== undefined && matchVersion(version ?? "", now).comparison === "unverified";
    });
  });

  it("a lock whose key is not UTF-8 is indexed with its bytes", async ({ direct, watcher }) => {
    const bytes = Buffer.concat([Buffer.from("lock:"), Buffer.from([0xff, 0x00, 0xfe])]);
    await direct.hset(bytes, createForeignOwner(), 1);
    await waitUntil(() => watcher.index.size === 1);
    const [hold] = [...watcher.index.keys()].map((held) => watcher.index.get(held));
    expect(hold && watcher.locks.toLock(hold).keyBase64).toBe(bytes.toString("base64"));
  });

  it("locks deleted by FLUSHALL leave the index within 2 s, although no notification is sent", async ({
    direct,
    watcher,
  }) => {
    await acquireForeignLock(direct, createTestKey());
    await waitUntil(() => watcher.index.size === 1);
    await direct.flushall();
    await waitUntil(() => watcher.index.size === 0, 2000);
  });

  it("a stopped Redis is reported as down within 3 s, and the index matches Redis again after a restart", async ({
    redis,
    direct,
    watcher,
    key,
  }) => {
    await Promise.all(Array.from({ length: 20 }, () => acquireForeignLock(direct, createTestKey())));
    await waitUntil(() => watcher.index.size === 20);
    await redis.kill();
    await waitUntil(() => watcher.health().state === "down", 3000);
    await redis.restart();
    await redis.createClient().hset(key, createForeignOwner(), 1);
    await waitUntil(() => watcher.health().state === "live");
    await waitUntil(() => watcher.index.get(key) !== undefined);
    expect([...watcher.index.keys()]).toEqual([key]);
  });

  it("a hanging Redis is reported as down within 3 s", async ({ redis, watcher }) => {
    redis.freeze();
    await waitUntil(() => watcher.health().state === "down", 3000);
    redis.thaw();
    await waitUntil(() => watcher.health().state === "live");
  });
});

describe("unreadable keys and missing rights", () => {
  it("a companion key overwritten with a string does not hide other locks", async ({
    direct,
    startWatching,
  }) => {
    await direct.set("lockkeeper:hold:{lock:p}", "x");
    await acquireForeignLock(direct, "lock:p");
    await acquireForeignLock(direct, "lock:q");
    const { watcher } = await startWatching();
    expect([...watcher.index.keys()].sort()).toEqual(["lock:p", "lock:q"]);
  });

  it("a key without read permission does not hide other locks", async ({ redis, direct, startWatching }) => {
    await direct.call("ACL", "SETUSER", "default", "resetkeys", "~lock:*", "~lockkeeper:*");
    await acquireForeignLock(direct, "lock:q");
    await direct.call("ACL", "SETUSER", "other", "on", ">secret", "~*", "+@all");
    const other = redis.createClient();
    await other.call("AUTH", "other", "secret");
    await other.hset("mutex:1", createForeignOwner(), 1);
    const { watcher } = await startWatching();
    expect([...watcher.index.keys()]).toEqual(["lock:q"]);
  });

  it("without the right to subscribe, the keyspace is scanned and the health detail names the reason", async ({
    direct,
    locks,
    startWatching,
  }) => {
    await direct.call("ACL", "SETUSER", "default", "resetchannels");
    await acquireForeignLock(direct, "lock:q");
    const { watcher } = await startWatching();
    expect(watcher.index.size).toBe(1);
    expect(watcher.health()).toMatchObject({ state: "live", notifications: "off" });
    expect(watcher.health().detail).toContain("subscribe");
    const { grant } = await locks.acquire("lock:r", buildAcquire("me"));
    expect(grant.count).toBe(1);
    expect(await locks.release(grant)).toMatchObject({ outcome: "released" });
  });
});

describe("watcher without keyspace notifications", () => {
  it.override("flags", "");

  it("a change is found by the next scan, and the health detail names the CONFIG command to run", async ({
    direct,
    watcher,
    key,
  }) => {
    expect(watcher.health()).toMatchObject({ notifications: "off" });
    expect(watcher.health().detail).toContain("CONFIG SET notify-keyspace-events Kghszxe$");
    await acquireForeignLock(direct, key);
    await waitUntil(() => watcher.index.get(key) !== undefined, 3000);
    await direct.del(key);
    await waitUntil(() => watcher.index.get(key) === undefined, 3000);
  });

  it("without notifications, events of Lockkeeper holds are still exact", async ({
    locks,
    watcher,
    listEvents,
    key,
  }) => {
    const { grant } = await locks.acquire(key, buildAcquire("me"));
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await locks.release(grant);
    await waitUntil(() => listEvents(key).length === 2);
    expect(listEventTypes(listEvents(key))).toEqual(["acquired exact", "released exact"]);
  });

  it("without notifications, the version of a foreign hold is always unsure", async ({
    direct,
    startWatching,
  }) => {
    await acquireForeignLock(direct, "lock:x");
    const { watcher } = await startWatching();
    const hold = watcher.index.get("lock:x");
    expect(hold && matchVersion(watcher.locks.toLock(hold).version ?? "", hold).comparison).toBe(
      "unverified",
    );
  });

  it('the policy "set" enables notifications and keeps the flags of other apps', async ({
    direct,
    startWatching,
  }) => {
    await direct.config("SET", SETTING, "Et");
    const { watcher } = await startWatching("set");
    expect(watcher.health().notifications).toBe("on");
    const [, flags] = (await direct.config("GET", "notify-keyspace-events")) as [string, string];
    for (const flag of "EtKghszxe$") expect(flags).toContain(flag);
  });

  it("notifications switched off at runtime are detected, and changes are still found", async ({
    direct,
    startWatching,
    key,
  }) => {
    await direct.config("SET", SETTING, FLAGS);
    const { watcher } = await startWatching();
    expect(watcher.health().notifications).toBe("on");
    await direct.config("SET", "notify-keyspace-events", "");
    await waitUntil(() => watcher.health().notifications === "off");
    await acquireForeignLock(direct, key);
    await waitUntil(() => watcher.index.get(key) !== undefined);
  });
});

describe("watcher start", () => {
  it("locks held before the start are listed as seen, with an at_least start time", async ({
    direct,
    locks,
    startWatching,
    key,
  }) => {
    await acquireForeignLock(direct, key);
    await locks.acquire(createTestKey(), buildAcquire("me"));
    const { watcher, listEvents } = await startWatching();
    expect(watcher.index.size).toBe(2);
    expect(watcher.index.get(key)?.holders[0].since).toBe("at_least");
    expect(listEventTypes(listEvents(key))).toEqual(["seen inferred"]);
  });
});
