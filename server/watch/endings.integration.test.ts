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

describe("timestamp locks past their deadline", () => {
  async function ended(): Promise<string> {
    const key = fresh();
    await direct.set(key, String(Date.now() + 300));
    await until(() => stateOf(key) === "held");
    await until(() => stateOf(key) === "ended");
    return key;
  }

  it("a timestamp lock past its deadline is listed as ended, emits one expired event and causes no extra reads", async () => {
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

  it("a timestamp lock past its deadline can be acquired, and force-release reports it already gone", async () => {
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

  it("a deadline that had passed before the first read emits no events", async () => {
    const key = fresh();
    await direct.set(key, String(Date.now() - 60_000));
    await until(() => stateOf(key) === "ended");
    expect(typesOf(key)).toEqual([]);
  });
});

it("an owner string with tabs and line breaks is reported verbatim and once", async () => {
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

describe("holds that reappear after a force-release", () => {
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

  it("a reappearing hold emits recreated when its format never reuses owner strings", async () => {
    const value = randomBytes(16).toString("hex");
    const key = await forced(value);
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key)).toEqual(["acquired", "force_released", "recreated"]);
    expect(watcher.mirror.get(key)?.seen.format).toBe("redlock");
  });

  it("a reappearing hold emits recreated even after another owner held the lock", async () => {
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

  it("a reappearing hold emits recreated when the operator named a format that never reuses owner strings", async () => {
    const value = randomUUID();
    const key = await forced(value, "redlock-rb");
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key).at(-1)).toBe("recreated");
  });

  it("a reappearing hold emits acquired when its format can reuse the owner string", async () => {
    const value = randomUUID();
    const key = await forced(value);
    await take(key, value);
    await until(() => typesOf(key).length === 3);
    expect(typesOf(key).at(-1)).toBe("acquired");
    expect(await codeOf(force(key, "laravel"))).toBe("invalid");
  });
});
