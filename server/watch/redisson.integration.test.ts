import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RedissonFixture } from "../../test/support/redisson-fixture.ts";
import { openVerbs, type TestVerbs } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { until } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { Locks } from "../locks/verbs/redis-locks.ts";
import { freeByForce } from "../operator/force-release.ts";
import type { Watcher } from "./watcher.ts";

let server: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let locks: Locks;
let journal: Journal;
let watcher: Watcher;
let one: RedissonFixture;
let two: RedissonFixture;

beforeAll(async () => {
  server = await startTestRedis();
  direct = server.client();
  [one, two] = [new RedissonFixture(direct), new RedissonFixture(direct)];
  verbs = await openVerbs(server.port);
  ({ locks } = verbs);
  watching = await startTestWatcher(server.url);
  ({ watcher, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  verbs.close();
  await server.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const story = (key: string) =>
  journal.ofKey(key, 100).items.map(({ type, owner, observed }) => `${type} ${owner} ${observed}`);
const lockOf = (key: string) => {
  const hold = watcher.mirror.get(key);
  return hold && watcher.lockOf(hold);
};
const holdersOf = (key: string) => lockOf(key)?.holders.map(({ owner }) => owner) ?? [];
const free = (key: string, expect: string, more: { holdOffMs?: number } = {}) =>
  freeByForce({ locks, watcher, journal }, key, {
    ...{ expect, by: "mei", reason: "stuck", ifUnsure: "refuse" },
    ...more,
  });

/** Long enough for the watcher to tell what it has wrongly concluded. */
async function storyAtRest(key: string, length: number): Promise<string[]> {
  await until(() => story(key).length >= length);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await watcher.settled();
  return story(key);
}

it("force-release by version ends one Redisson read lock, emits an exact event and leaves the other reader", async () => {
  const key = fresh();
  await one.read(key);
  await until(() => holdersOf(key).length === 1);
  await two.read(key);
  await until(() => holdersOf(key).length === 2);
  const [first, second] = lockOf(key)?.holders ?? [];
  expect([first?.role, second?.role]).toEqual(["read", "read"]);
  const freed = await free(key, first?.version ?? "");
  expect(freed).toMatchObject({ outcome: "released", owner: one.owner() });
  await until(() => holdersOf(key).length === 1);
  expect(holdersOf(key)).toEqual([two.owner()]);
  expect(await storyAtRest(key, 3)).toEqual([
    `force_released ${one.owner()} exact`,
    `acquired ${two.owner()} derived`,
    `acquired ${one.owner()} derived`,
  ]);
  expect((await free(key, lockOf(key)?.version ?? "")).outcome).toBe("released");
  await until(() => lockOf(key) === undefined);
  expect((await storyAtRest(key, 4))[0]).toBe(`force_released ${two.owner()} exact`);
});

it("force-release of a whole Redisson read/write lock emits one event per holder, then the reservation", async () => {
  const key = fresh();
  await one.read(key);
  await two.read(key);
  await until(() => holdersOf(key).length === 2);
  await free(key, lockOf(key)?.version ?? "", { holdOffMs: 60_000 });
  await until(() => holdersOf(key)[0] === "lockkeeper:reserve:mei:write");
  expect(lockOf(key)).toMatchObject({ kind: "write", leaseMs: 60_000, holders: [{ role: "write" }] });
  const told = await storyAtRest(key, 5);
  expect(told[0]).toBe("acquired lockkeeper:reserve:mei:write exact");
  expect(told.slice(1, 3).sort()).toEqual(
    [one, two].map((client) => `force_released ${client.owner()} exact`).sort(),
  );
  expect(told).toHaveLength(5);
  expect((await free(key, lockOf(key)?.version ?? "")).outcome).toBe("released");
  await until(() => lockOf(key) === undefined);
});

it("a Redisson fenced lock shows its last fencing token while its holder stays foreign", async () => {
  const key = fresh();
  const fence = await one.lock(key, {}, "fenced");
  await until(() => lockOf(key)?.lastFence === String(fence));
  expect(lockOf(key)).toMatchObject({ kind: "fenced", holders: [{ fence: null }] });
  const { version } = lockOf(key) ?? {};
  await one.lock(key, {}, "fenced");
  await until(() => lockOf(key)?.lastFence === String(fence + 1));
  expect(lockOf(key)?.version).toBe(version);
  expect((await free(key, version ?? "")).outcome).toBe("released");
});

it("force-release by version ends one value of a Redisson group", async () => {
  const key = fresh();
  await one.group(key, ["a", "b"]);
  await until(() => holdersOf(key).length === 2);
  const [a] = lockOf(key)?.holders ?? [];
  expect((await free(key, a?.version ?? "")).owner).toBe(`a:${one.owner()}`);
  await until(() => holdersOf(key).length === 1);
  expect(await storyAtRest(key, 3)).toContain(`force_released a:${one.owner()} exact`);
  expect(await two.group(key, ["a"])).toBeNull();
});
