import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormatName } from "../../lib/contract/format.ts";
import {
  countScriptCalls,
  getErrorCode,
  openTestVerbs,
  sleepMs,
  type TestVerbs,
} from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { RedisLocks } from "../locks/verbs/redis-locks.ts";
import { forceReleaseLock } from "../operator/force-release.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let locks: RedisLocks;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
  verbs = await openTestVerbs(redis.port);
  ({ locks } = verbs);
  watching = await startTestWatcher(redis.url);
  ({ watcher, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  verbs.close();
  await redis.stop();
});

const createKey = () => `lock:${randomUUID()}`;
const listEventTypes = (key: string) =>
  journal
    .listKeyEvents(key, 100)
    .items.reverse()
    .map(({ type }) => type);
const getState = (key: string) => watcher.index.get(key)?.seen.state;

async function forceRelease(key: string, format?: FormatName) {
  const { hold } = await watcher.readKey(key);
  const expect = (hold && watcher.locks.toLock(hold).version) ?? "gone";
  const ask = { expect, reason: "stuck", by: "mei", ifUnsure: "refuse" as const, format };
  return await forceReleaseLock({ locks, watcher, journal }, key, ask);
}

describe("timestamp locks past their deadline", () => {
  async function ended(): Promise<string> {
    const key = createKey();
    await direct.set(key, String(Date.now() + 300));
    await waitUntil(() => getState(key) === "held");
    await waitUntil(() => getState(key) === "ended");
    return key;
  }

  it("a timestamp lock past its deadline is listed as ended, emits one expired event and causes no extra reads", async () => {
    const key = await ended();
    await waitUntil(() => listEventTypes(key).length === 2);
    const hold = watcher.index.get(key);
    expect(hold && watcher.locks.toLock(hold)).toMatchObject({ state: "ended", format: "timestamp" });
    const before = await countScriptCalls(direct);
    await sleepMs(300);
    expect((await countScriptCalls(direct)) - before).toBeLessThanOrEqual(watcher.index.size);
    await watcher.readKey(key);
    expect(listEventTypes(key)).toEqual(["acquired", "expired"]);
  });

  it("a timestamp lock past its deadline can be acquired, and force-release reports it already gone", async () => {
    const key = await ended();
    expect(await forceRelease(key)).toMatchObject({ outcome: "already_gone", ended: { type: "expired" } });
    expect(await direct.exists(key)).toBe(1);
    const { grant } = await locks.acquire(key, {
      ...{ owner: "me", format: "timestamp", leaseMs: 30_000, reentrant: true },
    });
    await waitUntil(() => getState(key) === "held");
    expect(watcher.index.get(key)?.seen.holders[0].fence).toBe(grant.fence);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key)).toEqual(["acquired", "expired", "acquired"]);
  });

  it("a deadline that had passed before the first read emits no events", async () => {
    const key = createKey();
    await direct.set(key, String(Date.now() - 60_000));
    await waitUntil(() => getState(key) === "ended");
    expect(listEventTypes(key)).toEqual([]);
  });
});

it("an owner string with tabs and line breaks is reported verbatim and once", async () => {
  const key = createKey();
  const owner = `${randomBytes(16).toString("base64url")}host\tpod-7\n{"job":\t"mail"}\n\t`;
  await direct.set(key, owner, "PX", 30_000);
  await waitUntil(() => listEventTypes(key).length === 1);
  expect(await forceRelease(key, "bsm-redislock")).toMatchObject({ outcome: "released", owner });
  await waitUntil(() => listEventTypes(key).length === 2);
  await sleepMs(150);
  await watcher.readKey(key);
  const { items } = journal.listKeyEvents(key, 10);
  expect(items.map(({ type, owner: of }) => `${type} ${of}`)).toEqual([
    `force_released ${owner}`,
    `acquired ${owner}`,
  ]);
});

describe("holds that reappear after a force-release", () => {
  const take = (key: string, value: string) => direct.set(key, value, "PX", 30_000, "NX");

  async function forced(value: string, format?: FormatName): Promise<string> {
    const key = createKey();
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 1);
    const freed = await forceRelease(key, format);
    expect(freed).toMatchObject({ outcome: "released", owner: value });
    expect(freed.watchMs).toBeGreaterThanOrEqual(1000);
    await waitUntil(() => listEventTypes(key).length === 2);
    return key;
  }

  it("a reappearing hold emits recreated when its format never reuses owner strings", async () => {
    const value = randomBytes(16).toString("hex");
    const key = await forced(value);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key)).toEqual(["acquired", "force_released", "recreated"]);
    expect(watcher.index.get(key)?.seen.format).toBe("redlock");
  });

  it("a reappearing hold emits recreated even after another owner held the lock", async () => {
    const value = randomBytes(16).toString("hex");
    const key = await forced(value);
    await take(key, randomBytes(16).toString("hex"));
    await waitUntil(() => listEventTypes(key).length === 3);
    await direct.del(key);
    await waitUntil(() => listEventTypes(key).length === 4);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 5);
    expect(listEventTypes(key).slice(2)).toEqual(["acquired", "released", "recreated"]);
  });

  it("a reappearing hold emits recreated when the operator named a format that never reuses owner strings", async () => {
    const value = randomUUID();
    const key = await forced(value, "redlock-rb");
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key).at(-1)).toBe("recreated");
  });

  it("a reappearing hold emits acquired when its format can reuse the owner string", async () => {
    const value = randomUUID();
    const key = await forced(value);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key).at(-1)).toBe("acquired");
    expect(await getErrorCode(forceRelease(key, "laravel"))).toBe("invalid");
  });
});
