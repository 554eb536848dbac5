import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { FormatName } from "../../lib/contract/format.ts";
import { watcherTest } from "../../test/support/fixtures.ts";
import { countScriptCalls, getErrorCode, sleepMs } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { forceReleaseLock } from "../operator/force-release.ts";

const it = watcherTest()
  .extend(
    "getState",
    { scope: "file" },
    ({ watcher }) =>
      (key: string) =>
        watcher.index.get(key)?.seen.state,
  )
  .extend(
    "listEventTypes",
    { scope: "file" },
    ({ listEvents }) =>
      (key: string) =>
        listEvents(key).map(({ type }) => type),
  )
  .extend(
    "forceRelease",
    { scope: "file" },
    ({ watcher, locks, journal }) =>
      async (key: string, format?: FormatName) => {
        const { hold } = await watcher.readKey(key);
        const expectedVersion = (hold && watcher.locks.toLock(hold).version) ?? "gone";
        const ask = { expectedVersion, reason: "stuck", by: "mei", onUnverified: "refuse" as const, format };
        return await forceReleaseLock({ locks, watcher, journal }, key, ask);
      },
  )
  .extend("endedKey", async ({ key, direct, getState }) => {
    await direct.set(key, String(Date.now() + 300));
    await waitUntil(() => getState(key) === "held");
    await waitUntil(() => getState(key) === "ended");
    return key;
  })
  .extend(
    "take",
    { scope: "file" },
    ({ direct }) =>
      (key: string, value: string) =>
        direct.set(key, value, "PX", 30_000, "NX"),
  )
  .extend(
    "forced",
    ({ key, take, listEventTypes, forceRelease }) =>
      async (value: string, format?: FormatName) => {
        await take(key, value);
        await waitUntil(() => listEventTypes(key).length === 1);
        const freed = await forceRelease(key, format);
        expect(freed).toMatchObject({ outcome: "released", owner: value });
        expect(freed.watchMs).toBeGreaterThanOrEqual(1000);
        await waitUntil(() => listEventTypes(key).length === 2);
        return key;
      },
  );

describe("timestamp locks past their deadline", () => {
  it("a timestamp lock past its deadline is listed as ended, emits one expired event and causes no extra reads", async ({
    endedKey: key,
    direct,
    watcher,
    listEventTypes,
  }) => {
    await waitUntil(() => listEventTypes(key).length === 2);
    const hold = watcher.index.get(key);
    expect(hold && watcher.locks.toLock(hold)).toMatchObject({ state: "ended", format: "timestamp" });
    const before = await countScriptCalls(direct);
    await sleepMs(300);
    expect((await countScriptCalls(direct)) - before).toBeLessThanOrEqual(watcher.index.size);
    await watcher.readKey(key);
    expect(listEventTypes(key)).toEqual(["acquired", "expired"]);
  });

  it("a timestamp lock past its deadline can be acquired, and force-release reports it already gone", async ({
    endedKey: key,
    direct,
    watcher,
    locks,
    getState,
    listEventTypes,
    forceRelease,
  }) => {
    expect(await forceRelease(key)).toMatchObject({ outcome: "already_gone", ended: { type: "expired" } });
    expect(await direct.exists(key)).toBe(1);
    const { grant } = await locks.acquire(key, {
      ...{ owner: "me", format: "timestamp", leaseMs: 30_000 },
    });
    await waitUntil(() => getState(key) === "held");
    expect(watcher.index.get(key)?.seen.holders[0].fence).toBe(grant.fence);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key)).toEqual(["acquired", "expired", "acquired"]);
  });

  it("a deadline that had passed before the first read emits no events", async ({
    key,
    direct,
    getState,
    listEventTypes,
  }) => {
    await direct.set(key, String(Date.now() - 60_000));
    await waitUntil(() => getState(key) === "ended");
    expect(listEventTypes(key)).toEqual([]);
  });
});

it("an owner string with tabs and line breaks is reported verbatim and once", async ({
  key,
  direct,
  watcher,
  journal,
  listEventTypes,
  forceRelease,
}) => {
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
  it("a reappearing hold emits recreated when its format never reuses owner strings", async ({
    key,
    watcher,
    listEventTypes,
    take,
    forced,
  }) => {
    const value = randomBytes(16).toString("hex");
    await forced(value);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key)).toEqual(["acquired", "force_released", "recreated"]);
    expect(watcher.index.get(key)?.seen.format).toBe("redlock");
  });

  it("a reappearing hold emits recreated even after another owner held the lock", async ({
    key,
    direct,
    listEventTypes,
    take,
    forced,
  }) => {
    const value = randomBytes(16).toString("hex");
    await forced(value);
    await take(key, randomBytes(16).toString("hex"));
    await waitUntil(() => listEventTypes(key).length === 3);
    await direct.del(key);
    await waitUntil(() => listEventTypes(key).length === 4);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 5);
    expect(listEventTypes(key).slice(2)).toEqual(["acquired", "released", "recreated"]);
  });

  it("a reappearing hold emits recreated when the operator named a format that never reuses owner strings", async ({
    key,
    listEventTypes,
    take,
    forced,
  }) => {
    const value = randomUUID();
    await forced(value, "redlock-rb");
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key).at(-1)).toBe("recreated");
  });

  it("a reappearing hold emits acquired when its format can reuse the owner string", async ({
    key,
    listEventTypes,
    forceRelease,
    take,
    forced,
  }) => {
    const value = randomUUID();
    await forced(value);
    await take(key, value);
    await waitUntil(() => listEventTypes(key).length === 3);
    expect(listEventTypes(key).at(-1)).toBe("acquired");
    expect(await getErrorCode(forceRelease(key, "laravel"))).toBe("invalid");
  });
});
