import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { until } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import { holderVersionOf, matchVersion } from "./holds/hold-version.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let watching: TestWatcher;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
  watching = await startTestWatcher(redis.url);
  ({ watcher, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  await redis.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const thread = (number: number) => `5f0c0c1e-0000-4000-8000-000000000001:${number}`;
const story = (key: string) =>
  journal
    .ofKey(key, 100)
    .items.reverse()
    .map(({ type, owner }) => `${type} ${owner?.at(-1)}`);
const holders = (key: string) => watcher.mirror.get(key)?.holders ?? [];

function versionOf(key: string, owner: string): string {
  const hold = watcher.mirror.get(key);
  const holder = hold?.holders.find(({ seen }) => seen.owner === owner);
  return hold === undefined || holder === undefined ? "" : holderVersionOf(hold, holder);
}

function compared(key: string, version: string): string | undefined {
  const hold = watcher.mirror.get(key);
  return hold && matchVersion(version, hold).comparison;
}

async function shared(...numbers: number[]): Promise<string> {
  const key = fresh();
  for (const number of numbers) {
    await direct.multi().hset(key, thread(number), 1).pexpire(key, 30_000).exec();
    await until(() => holders(key).some(({ seen }) => seen.owner === thread(number)));
  }
  return key;
}

it("acquired and released events of a shared lock name only the holders that joined or left", async () => {
  const key = await shared(1, 2);
  const version = versionOf(key, thread(1));
  await direct.hdel(key, thread(2));
  await until(() => holders(key).length === 1);
  await until(() => story(key).length === 3);
  expect(compared(key, version)).toBe("same");
  await direct.hset(key, thread(3), 1);
  await until(() => story(key).length === 4);
  await direct.hincrby(key, thread(1), 1);
  await until(() => story(key).length === 5);
  await direct.del(key);
  await until(() => story(key).length === 7);
  expect(story(key).slice(0, 5)).toEqual([
    "acquired 1",
    "acquired 2",
    "released 2",
    "acquired 3",
    "reentered 1",
  ]);
  expect(story(key).slice(5).sort()).toEqual(["released 1", "released 3"]);
});

it("a holder that left and rejoined unseen under the same name has an unsure version", async () => {
  const key = await shared(1, 2);
  const version = versionOf(key, thread(2));
  expect(compared(key, version)).toBe("same");
  await direct.multi().hdel(key, thread(2)).hset(key, thread(2), 1).exec();
  await until(() => compared(key, version) === "unsure");
  expect(compared(key, versionOf(key, thread(2)))).toBe("same");
});

it("the expiration of a shared lock emits one expired event per holder", async () => {
  const key = await shared(1, 2);
  await direct.pexpire(key, 50);
  await until(() => story(key).length === 4);
  expect(story(key).slice(2).sort()).toEqual(["expired 1", "expired 2"]);
});
