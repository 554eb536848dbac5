import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { watcherTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildPermitsKey } from "../formats/redisson/redisson-keys.ts";
import type { AcquireOptions } from "../locks/verbs/contract/verbs.ts";

const it = watcherTest()
  .extend(
    "take",
    { scope: "file" },
    ({ locks }) =>
      async (key: string, owner: string, permits: number, more: Partial<AcquireOptions> = {}) => {
        const options = { owner, leaseMs: 20_000, kind: "semaphore", permits, limit: 9, ...more } as const;
        return (await locks.acquire(key, options)).grant;
      },
  )
  .extend(
    "listHolders",
    { scope: "file" },
    ({ watcher }) =>
      (key: string) =>
        (watcher.index.get(key)?.holders ?? []).map(({ seen }) => seen),
  );

it("shows each hold with its label, permits, fence and record, and foreign permits", async ({
  take,
  listHolders,
  watcher,
  direct,
  locks,
  key,
}) => {
  const first = await take(key, "a", 3, { record: { purpose: "export" }, renewEveryMs: 5000 });
  const second = await take(key, "b", 1);
  const foreign = randomBytes(16);
  await direct
    .multi()
    .decr(key)
    .zadd(String(buildPermitsKey(key)), Date.now() + 60_000, foreign)
    .exec();
  await waitUntil(() => listHolders(key).length === 3);
  const holders = new Map(listHolders(key).map((holder) => [holder.owner, holder]));
  expect(holders.get("a")).toMatchObject({
    token: first.token,
    fence: first.fence,
    count: 3,
    leaseMs: 20_000,
    record: { purpose: "export" },
    statedRenewal: { everyMs: 5000 },
  });
  expect(holders.get("b")).toMatchObject({ token: second.token, fence: second.fence, count: 1 });
  expect(holders.get(foreign.toString("hex"))).toMatchObject({ fence: null, count: 1 });
  expect(watcher.index.get(key)?.seen).toMatchObject({
    kind: "semaphore",
    permits: { available: 4, total: 9 },
  });
  await locks.release(first);
  await waitUntil(() => listHolders(key).length === 2);
});

it.for(["semaphore", "plain_semaphore"] as const)(
  "the history of a %s has one event for each hold that begins or ends",
  async (kind, { take, listEvents, watcher, locks, key }) => {
    const first = await take(key, "a", 3, { kind });
    const second = await take(key, "b", 1, { kind });
    await locks.release(first);
    await locks.release(second);
    await waitUntil(() => listEvents(key).length >= 4);
    // The key still contains the number of permits, which must not be taken for an owner.
    await waitUntil(() => watcher.index.get(key) === undefined);
    expect(await watcher.readKey(key)).toMatchObject({ observation: { state: "free" } });
    expect(listEvents(key).find(({ type }) => type === "acquired")).toMatchObject({ shared: true });
    expect(listEvents(key).map(({ type, owner, fence }) => [type, owner, fence])).toEqual([
      ["acquired", "a", first.fence],
      ["acquired", "b", second.fence],
      ["released", "a", first.fence],
      ["released", "b", second.fence],
    ]);
  },
);
