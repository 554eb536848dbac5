import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { measureMemoryBytes } from "../../test/support/measure-memory.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock, startTestWatcher } from "../../test/support/test-watcher.ts";
import { buildHoldVersion, matchVersion } from "./holds/hold-version.ts";
import type { Watcher } from "./watcher.ts";

const it = redisTest()
  .extend("watched", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const options = { watch: ["lock:*"], notifications: "set", reconcileEveryMs: 500 } as const;
    const watched = await startTestWatcher(redis.url, options);
    onCleanup(() => watched.stop());
    return watched;
  })
  .extend(
    "ignoredEvents",
    ({ watched: { watcher } }) =>
      () =>
        watcher.health().ignoredEvents ?? 0,
  );

const CHANNEL = "lockkeeper:events:0";
const FENCE = 1_795_216_496_123_456;
const createKey = () => `lock:${randomUUID()}`;

interface EventFields {
  readonly key: string;
  readonly type?: string;
  readonly fence?: number;
  readonly seq?: number;
  readonly owner?: string;
  readonly actor?: object;
}

/** Formats a script event in the same way as the Lua scripts. */
function formatMessage({ key, type = "acquired", fence = FENCE, seq = 1, owner = "me", actor }: EventFields) {
  const who = actor === undefined ? "" : JSON.stringify(actor);
  return `${[type, Date.now(), fence, seq, 1, "", owner, who].join("\t")}\n${key}`;
}

function getHold(watcher: Watcher, key: string) {
  const hold = watcher.index.get(key);
  if (hold === undefined) throw new Error(`${key} is not held`);
  return hold;
}

async function publishAll(direct: Redis, messages: readonly EventFields[]): Promise<void> {
  for (let at = 0; at < messages.length; at += 1000) {
    const pipeline = direct.pipeline();
    for (const message of messages.slice(at, at + 1000)) pipeline.publish(CHANNEL, formatMessage(message));
    await pipeline.exec();
  }
}

describe("key names that are too long for a lock", () => {
  it("keys with names of 400 KB are left out, and health counts them until they are gone", async ({
    direct,
    watched: { watcher },
  }) => {
    const names = [1, 2, 3].map((n) => `lock:${"x".repeat(400_000)}${n}`);
    const longest = `lock:${"y".repeat(1019)}`;
    for (const name of [...names, longest]) await direct.set(name, randomUUID(), "PX", 600_000);
    await waitUntil(() => watcher.health().oversizedKeys === 3 && watcher.index.get(longest) !== undefined);
    expect([...watcher.index.keys()]).toEqual([longest]);
    await direct.unlink(...names, longest);
    await waitUntil(() => watcher.health().oversizedKeys === undefined && watcher.index.size === 0);
  });

  it("300 keys with names of 200 KB that come and go leave no event and no memory behind", async ({
    direct,
    watched: { watcher, journal },
  }) => {
    const name = "x".repeat(200_000);
    const before = measureMemoryBytes();
    const newest = journal.newest;
    for (let n = 0; n < 300; n++) await direct.set(`lock:${name}${n}`, randomUUID(), "PX", 600_000);
    await waitUntil(() => watcher.health().oversizedKeys === 300);
    for (let n = 0; n < 300; n++) await direct.del(`lock:${name}${n}`);
    await waitUntil(() => watcher.health().oversizedKeys === undefined);
    expect(journal.newest).toBe(newest);
    expect(watcher.index.size).toBe(0);
    // Memory use falls gradually, because ioredis shrinks its reply buffer in steps.
    await waitUntil(() => measureMemoryBytes() - before < 20 * name.length);
  });

  it("a forged notification with a text of 8 MB is dropped", async ({ direct, watched: { watcher } }) => {
    const key = createKey();
    await acquireForeignLock(direct, key);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    await direct.publish(`__keyspace@0__:${key}`, Buffer.alloc(8_000_000, "x"));
    await direct.del(key);
    await waitUntil(() => watcher.index.get(key) === undefined);
  });
});

describe("forged notifications", () => {
  it("forged deletions of a foreign lock cannot keep its version changed: it becomes unverified", async ({
    direct,
    watched: { watcher },
  }) => {
    const key = createKey();
    await acquireForeignLock(direct, key);
    await waitUntil(() => watcher.index.get(key) !== undefined);
    const version = buildHoldVersion(getHold(watcher, key));
    // A notification that arrives at about the time of the first read may be attributed to a previous hold.
    const readAt = performance.now();
    await waitUntil(() => performance.now() > readAt + 100);
    const outcomes = new Set<string>();
    await waitUntil(async () => {
      await direct.publish(`__keyspace@0__:${key}`, "del");
      outcomes.add(matchVersion(version, getHold(watcher, key)).comparison);
      return outcomes.has("unverified");
    });
    expect([...outcomes]).toEqual(["same", "changed", "unverified"]);
    await direct.del(key);
  });

  it("forged notifications for keys that do not exist leave nothing behind", async ({
    direct,
    watched: { watcher, journal },
  }) => {
    const pipeline = direct.pipeline();
    for (let n = 0; n < 5000; n++)
      for (const event of ["set", "hdel", "expired"])
        pipeline.publish(`__keyspace@0__:lock:forged-${n}`, event);
    await pipeline.exec();
    await watcher.waitUntilSettled();
    await acquireForeignLock(direct, "lock:behind");
    await waitUntil(() => watcher.index.get("lock:behind") !== undefined);
    await direct.del("lock:behind");
    await waitUntil(() => watcher.index.size === 0);
    const recorded = journal.listRecent(100).flatMap((entry) => ("key" in entry ? [entry.key] : []));
    expect(recorded.filter((key) => key.startsWith("lock:forged-"))).toEqual([]);
  });

  it("after 300 MB of messages the watcher is live, has every lock and keeps no memory", async ({
    direct,
    watched: { watcher },
  }) => {
    const key = createKey();
    const before = measureMemoryBytes();
    const text = Buffer.alloc(1_000_000, "x");
    const published: Promise<unknown>[] = [];
    for (let n = 0; n < 300; n++) published.push(direct.publish(CHANNEL, text));
    await Promise.all(published);
    await acquireForeignLock(direct, key);
    const isLive = () => watcher.health().state === "live" && watcher.health().notifications === "on";
    await waitUntil(() => watcher.index.get(key) !== undefined && isLive(), 20_000);
    await waitUntil(() => measureMemoryBytes() - before < 50 * text.length, 20_000);
    await direct.del(key);
  });
});

describe("forged script events", () => {
  it.for<[string, Partial<EventFields>]>([
    ["an owner of 1,025 bytes", { owner: "x".repeat(1025) }],
    ["a reason of 501 characters", { actor: { by: "mei", reason: "x".repeat(501) } }],
    ["an actor of 300 characters", { actor: { by: "x".repeat(300), reason: "stuck" } }],
    ["an owner of 8 MB", { owner: "x".repeat(8_000_000) }],
  ])("an event with %s is ignored and counted", async ([, fields], { direct, watched, ignoredEvents }) => {
    const key = createKey();
    const before = ignoredEvents();
    // Large messages of previous tests may have interrupted the subscription.
    await waitUntil(async () => Number((await direct.pubsub("NUMSUB", CHANNEL))[1]) > 0);
    await publishAll(direct, [{ key, ...fields }]);
    await waitUntil(() => ignoredEvents() === before + 1);
    expect(watched.listEvents(key)).toEqual([]);
  });

  it("an event of a key that is not watched is not recorded and not read", async ({ direct, watched }) => {
    const [unwatched, key] = [`other:${randomUUID()}`, createKey()];
    await acquireForeignLock(direct, unwatched);
    await publishAll(direct, [{ key: unwatched }, { key }]);
    await watched.waitForEvents(key, 1);
    expect(watched.listEvents(unwatched)).toEqual([]);
    expect(watched.watcher.index.get(unwatched)).toBeUndefined();
  });

  it("forged events of keys that do not exist create no lock", async ({ direct, watched: { watcher } }) => {
    await publishAll(
      direct,
      Array.from({ length: 2000 }, () => ({ key: createKey() })),
    );
    await acquireForeignLock(direct, "lock:behind");
    await waitUntil(() => watcher.index.get("lock:behind") !== undefined);
    await direct.del("lock:behind");
    await waitUntil(() => watcher.index.size === 0);
  });
});
