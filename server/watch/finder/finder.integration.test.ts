import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import { openMasters } from "../../redis/masters/open-masters.ts";
import { Finder } from "./finder.ts";

const FILL = `
for at = 1, 300 do
  redis.call('HSET', 'order-' .. at, string.format('5f0c0c1e-0000-4000-8000-%012d:1', at), 1)
  redis.call('PEXPIRE', 'order-' .. at, 600000)
end
for at = 1, 12 do
  redis.call('HSET', 'job:' .. string.rep(string.char(96 + at), 3) .. ':mutex', '5f0c0c1e-0000-4000-8000-000000000009:1', 1)
end
for at = 1, 20000 do redis.call('SET', 'cache:page:' .. at, 'some text of a page') end
redis.call('RPUSH', 'queue:mails', 'x')
redis.call('HSET', 'lock:watched', '5f0c0c1e-0000-4000-8000-000000000001:7', 1)`;

const it = redisTest()
  .extend("masters", { scope: "file" }, async ({ redis, direct }, { onCleanup }) => {
    const masters = openMasters(redis.url);
    onCleanup(() => masters.close());
    await direct.eval(FILL, 0);
    await waitUntil(() => masters.list[0]?.redis.status === "ready");
    return masters;
  })
  .extend(
    "finder",
    ({ masters }) =>
      new Finder({
        masters,
        watch: ["lock:*"],
        readKeys: (master, keys) => readKeys(master.redis, keys),
        isWatched: (key) => key.startsWith("lock:"),
        isAlwaysListed: (key) => key.startsWith("lock:"),
      }),
  );

const summarizeGroups = ({ report: { groups } }: Finder) =>
  groups.map(({ pattern, format, count, isWatched }) => ({ pattern, format, count, isWatched }));

it("the finder identifies locks by key pattern and format and suggests what to watch", async ({ finder }) => {
  expect(finder.report).toMatchObject({ state: "idle", groups: [], watch: null });
  finder.start(false);
  expect(finder.report.state).toBe("running");
  await waitUntil(() => finder.report.state === "done", 20_000);
  const { keys, scanned, skipped, watch } = finder.report;
  expect(summarizeGroups(finder)).toEqual([
    { pattern: "job:*:mutex", format: "redisson", count: 12, isWatched: false },
    { pattern: "lock:watched", format: "redisson", count: 1, isWatched: true },
    { pattern: "order-*", format: "redisson", count: 300, isWatched: false },
  ]);
  const unlisted = finder.report.groups.filter(({ isListed }) => !isListed);
  expect(unlisted.map(({ pattern, confidence }) => [pattern, confidence])).toEqual([["order-*", "possible"]]);
  // The finder does not suggest patterns that match only possible locks.
  expect(watch).toBe("lock:*,job:*:mutex");
  expect(scanned).toBe(keys);
  // Most keys of the cache are not read.
  expect(skipped).toBeGreaterThan(15_000);
});

it("a cancelled search resumes where it stopped", async ({ finder }) => {
  finder.start(false);
  await waitUntil(() => finder.report.scanned > 2000, 20_000);
  finder.cancel();
  await sleep(50);
  const { scanned, state, groups } = finder.report;
  expect(state).toBe("cancelled");
  expect(scanned).toBeLessThan(20_000);
  finder.start(false);
  await waitUntil(() => finder.report.state === "done", 20_000);
  const counted = groups.find(({ pattern }) => pattern === "order-*")?.count ?? 0;
  expect(counted).toBeLessThan(300);
  expect(summarizeGroups(finder)).toContainEqual(expect.objectContaining({ pattern: "order-*", count: 300 }));
});
