import { describe, expect } from "vitest";
import { type FormatName, WritableFormat } from "../../lib/contract/format.ts";
import { watcherTest } from "../../test/support/fixtures.ts";
import { getErrorCode } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { extendLock } from "./extend-lock.ts";
import { forceReleaseLock } from "./force-release.ts";

const it = watcherTest()
  .extend(
    "forceRelease",
    { scope: "file" },
    ({ watcher, locks, journal }) =>
      (key: string, version: string, format?: FormatName) =>
        forceReleaseLock({ locks, watcher, journal }, key, {
          ...{ expectedVersion: version, reason: "stuck", by: "mei", onUnverified: "refuse", format },
        }),
  )
  .extend(
    "extend",
    { scope: "file" },
    ({ watcher, locks }) =>
      (key: string, version: string) =>
        extendLock({ locks, watcher }, key, {
          ...{
            expectedVersion: version,
            leaseMs: 60_000,
            reason: "still at work",
            by: "mei",
            onUnverified: "refuse",
          },
          allowedKeys: undefined,
        }),
  )
  .extend("getVersion", { scope: "file" }, ({ watcher }) => (key: string) => {
    const hold = watcher.index.get(key);
    return hold && (watcher.locks.toLock(hold).version ?? undefined);
  });

describe.each(WritableFormat.options)("two holds of one label (%s)", (format) => {
  const ask = { owner: "worker", leaseMs: 30_000, format } as const;

  it("the version of the first neither releases nor extends the second", async ({
    locks,
    key,
    getVersion,
    forceRelease,
    extend,
  }) => {
    const { grant: first } = await locks.acquire(key, ask);
    await waitUntil(() => getVersion(key) !== undefined);
    const version = getVersion(key) ?? "";
    await locks.release(first);
    const { grant: second } = await locks.acquire(key, ask);
    expect(await getErrorCode(forceRelease(key, version))).toBe("changed");
    await waitUntil(() => getVersion(key) !== undefined && getVersion(key) !== version);
    expect(await getErrorCode(forceRelease(key, version))).toBe("changed");
    expect(await getErrorCode(extend(key, version))).toBe("changed");
    expect(await locks.verify(second)).toMatchObject({ held: true });
    const present = getVersion(key) ?? "";
    expect(await extend(key, present)).toMatchObject({ outcome: "extended", owner: "worker" });
    expect(await forceRelease(key, present)).toMatchObject({
      ...{ outcome: "released", owner: "worker", fence: second.fence },
    });
    expect(await locks.verify(second)).toMatchObject({ held: false });
  });
});

it("in a shared lock, the version of a Lockkeeper hold does not release the holder that its label names", async ({
  direct,
  locks,
  watcher,
  key,
  forceRelease,
}) => {
  const foreign = await acquireForeignLock(direct, key);
  await direct.del(key);
  const { grant } = await locks.acquire(key, { owner: foreign, leaseMs: 30_000 });
  await direct.hset(key, foreign, 1);
  await waitUntil(() => watcher.index.get(key)?.holders.length === 2);
  const hold = watcher.index.get(key);
  const own = (hold && watcher.locks.toLock(hold).holders)?.find(({ fence }) => fence === grant.fence);
  expect(own?.owner).toBe(foreign);
  expect(await forceRelease(key, own?.version ?? "", "redisson")).toMatchObject({
    outcome: "released",
    fence: grant.fence,
  });
  expect(await direct.hkeys(key)).toEqual([foreign]);
});
