import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import { buildHolderVersion, matchVersion } from "./holds/hold-version.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let watching: TestWatcher;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
  watching = await startTestWatcher(redis.url);
  ({ watcher, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  await redis.stop();
});

const createKey = () => `lock:${randomUUID()}`;
const formatThreadOwner = (number: number) => `5f0c0c1e-0000-4000-8000-000000000001:${number}`;
const listEvents = (key: string) =>
  journal
    .listKeyEvents(key, 100)
    .items.reverse()
    .map(({ type, owner }) => `${type} ${owner?.at(-1)}`);
const listHolders = (key: string) => watcher.index.get(key)?.holders ?? [];

function getHolderVersion(key: string, owner: string): string {
  const hold = watcher.index.get(key);
  const holder = hold?.holders.find(({ seen }) => seen.owner === owner);
  return hold === undefined || holder === undefined ? "" : buildHolderVersion(hold, holder);
}

function compareVersion(key: string, version: string): string | undefined {
  const hold = watcher.index.get(key);
  return hold && matchVersion(version, hold).comparison;
}

async function acquireShared(...numbers: number[]): Promise<string> {
  const key = createKey();
  for (const number of numbers) {
    await direct.multi().hset(key, formatThreadOwner(number), 1).pexpire(key, 30_000).exec();
    await waitUntil(() => listHolders(key).some(({ seen }) => seen.owner === formatThreadOwner(number)));
  }
  return key;
}

it("acquired and released events of a shared lock name only the holders that joined or left", async () => {
  const key = await acquireShared(1, 2);
  const version = getHolderVersion(key, formatThreadOwner(1));
  await direct.hdel(key, formatThreadOwner(2));
  await waitUntil(() => listHolders(key).length === 1);
  await waitUntil(() => listEvents(key).length === 3);
  expect(compareVersion(key, version)).toBe("same");
  await direct.hset(key, formatThreadOwner(3), 1);
  await waitUntil(() => listEvents(key).length === 4);
  await direct.hincrby(key, formatThreadOwner(1), 1);
  await waitUntil(() => listEvents(key).length === 5);
  await direct.del(key);
  await waitUntil(() => listEvents(key).length === 7);
  expect(listEvents(key).slice(0, 5)).toEqual([
    "acquired 1",
    "acquired 2",
    "released 2",
    "acquired 3",
    "reentered 1",
  ]);
  expect(listEvents(key).slice(5).sort()).toEqual(["released 1", "released 3"]);
});

it("a holder that left and rejoined unseen under the same name has an unsure version", async () => {
  const key = await acquireShared(1, 2);
  const version = getHolderVersion(key, formatThreadOwner(2));
  expect(compareVersion(key, version)).toBe("same");
  await direct.multi().hdel(key, formatThreadOwner(2)).hset(key, formatThreadOwner(2), 1).exec();
  await waitUntil(() => compareVersion(key, version) === "unsure");
  expect(compareVersion(key, getHolderVersion(key, formatThreadOwner(2)))).toBe("same");
});

it("the expiration of a shared lock emits one expired event per holder", async () => {
  const key = await acquireShared(1, 2);
  await direct.pexpire(key, 50);
  await waitUntil(() => listEvents(key).length === 4);
  expect(listEvents(key).slice(2).sort()).toEqual(["expired 1", "expired 2"]);
});
