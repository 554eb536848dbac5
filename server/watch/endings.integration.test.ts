import { randomBytes, randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormatName } from "../../lib/contract/format.ts";
import { codeOf, openVerbs, pause, scriptCalls, type TestVerbs } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { until } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import type { Journal } from "../history/journal.ts";
import type { Locks } from "../locks/verbs/redis-locks.ts";
import { freeByForce } from "../operator/force-release.ts";
import type { Watcher } from "./watcher.ts";

let redis: TestRedis;
let direct: Redis;
let verbs: TestVerbs;
let watching: TestWatcher;
let locks: Locks;
let journal: Journal;
let watcher: Watcher;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
  verbs = await openVerbs(redis.port);
  ({ locks } = verbs);
  watching = await startTestWatcher(redis.url);
  ({ watcher, journal } = watching);
});
afterAll(async () => {
  watching.stop();
  verbs.close();
  await redis.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const typesOf = (key: string) =>
  journal
    .ofKey(key, 100)
    .items.reverse()
    .map(({ type }) => type);
const stateOf = (key: string) => watcher.mirror.get(key)?.seen.state;

async function force(key: string, format?: FormatName) {
  const { hold } = await watcher.look(key);
  const expect = (hold && watcher.lockOf(hold).version) ?? "gone";
  const ask = { expect, reason: "stuck", by: "mei", ifUnsure: "refuse" as const, format };
  return await freeByForce({ locks, watcher, journal }, key, ask);
}

describe("a deadline that has passed and is still there", () => {
  async function ended(): Promise<string> {
    const key = fresh();
    await direct.set(key, String(Date.now() + 300));
    await until(() => stateOf(key) === "held");
    await until(() => stateOf(key) === "ended");
    return key;
  }

  it("is listed as ended, told to have expired once, and read no more than anything else", async () => {
    const key = await ended();
    await until(() => typesOf(key).length === 2);
    const hold = watcher.mirror.get(key);
    expect(hold && watcher.lockOf(hold)).toMatchObject({ state: "ended", format: "timestamp" });
    const before = await scriptCalls(direct);
    await pause(300);
    expect((await scriptCalls(direct)) - before).toBeLessThanOrEqual(watcher.mirror.size);
    await watcher.look(key);
    expect(typesOf(key)).toEqual(["acquired", "expired"]);
  });

  it("is free to take, and nothing is left to be freed", async () => {
    const key = await ended();
    expect(await force(key)).toMatchObject({ outcome: "already_gone", ended: { type: "expired" } });
    expect(await direct.exists(key)).toBe(1);
    const { grant } = await locks.acquire(key, {
      ...{ owner: "me", format: "timestamp", leaseMs: 30_000, reentrant: true },
    });
    await until(() => stateOf(key) === "held");
    expect(watcher.mirror.get(key)?.seen.holders[0].fence).toBe(grant.fence);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key)).toEqual(["acquired", "expired", "acquired"]);
  });

  it("that was so before we looked first has no story", async () => {
    const key = fresh();
    await direct.set(key, String(Date.now() - 60_000));
    await until(() => stateOf(key) === "ended");
    expect(typesOf(key)).toEqual([]);
  });
});

it("an owner string with tabs and line breaks is told as it is, and once", async () => {
  const key = fresh();
  const owner = `${randomBytes(16).toString("base64url")}host\tpod-7\n{"job":\t"mail"}\n\t`;
  await direct.set(key, owner, "PX", 30_000);
  await until(() => typesOf(key).length === 1);
  expect(await force(key, "bsm-redislock")).toMatchObject({ outcome: "released", owner });
  await until(() => typesOf(key).length === 2);
  await pause(150);
  await watcher.look(key);
  const { items } = journal.ofKey(key, 10);
  expect(items.map(({ type, owner: of }) => `${type} ${of}`)).toEqual([
    `force_released ${owner}`,
    `acquired ${owner}`,
  ]);
});

describe("a hold that is there again after it was freed by force", () => {
  const take = (key: string, value: string) => direct.set(key, value, "PX", 30_000, "NX");

  async function forced(value: string, format?: FormatName): Promise<string> {
    const key = fresh();
    await take(key, value);
    await until(() => typesOf(key).length === 1);
    const freed = await force(key, format);
    expect(freed).toMatchObject({ outcome: "released", owner: value });
    expect(freed.watchMs).toBeGreaterThanOrEqual(1000);
    await until(() => typesOf(key).length === 2);
    return key;
  }

  it("was made again, where its owner string never comes back", async () => {
    const value = randomBytes(16).toString("hex");
    const key = await forced(value);
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key)).toEqual(["acquired", "force_released", "recreated"]);
    expect(watcher.mirror.get(key)?.seen.format).toBe("redlock");
  });

  it("was made again also after somebody else had the lock", async () => {
    const value = randomBytes(16).toString("hex");
    const key = await forced(value);
    await take(key, randomBytes(16).toString("hex"));
    await until(() => typesOf(key).length === 3);
    await direct.del(key);
    await until(() => typesOf(key).length === 4);
    await take(key, value);
    await until(() => typesOf(key).length === 5);
    expect(typesOf(key).slice(2)).toEqual(["acquired", "released", "recreated"]);
  });

  it("was made again, where the operator named such a format", async () => {
    const value = randomUUID();
    const key = await forced(value, "redlock-rb");
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key).at(-1)).toBe("recreated");
  });

  it("was taken again, where the next hold of its owner has the same string", async () => {
    const value = randomUUID();
    const key = await forced(value);
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key).at(-1)).toBe("acquired");
    expect(await codeOf(force(key, "laravel"))).toBe("invalid");
  });
});
