import { expect } from "vitest";
import { watcherTest } from "../../test/support/fixtures.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { buildHolderVersion, matchVersion } from "./holds/hold-version.ts";

const formatThreadOwner = (number: number) => `5f0c0c1e-0000-4000-8000-000000000001:${number}`;
const it = watcherTest()
  .extend(
    "listOwnerEvents",
    { scope: "file" },
    ({ listEvents }) =>
      (key: string) =>
        listEvents(key).map(({ type, owner }) => `${type} ${owner?.at(-1)}`),
  )
  .extend(
    "listHolders",
    { scope: "file" },
    ({ watcher }) =>
      (key: string) =>
        watcher.index.get(key)?.holders ?? [],
  )
  .extend("getHolderVersion", { scope: "file" }, ({ watcher }) => (key: string, owner: string) => {
    const hold = watcher.index.get(key);
    const holder = hold?.holders.find(({ seen }) => seen.owner === owner);
    return hold === undefined || holder === undefined ? "" : buildHolderVersion(hold, holder);
  })
  .extend("compareVersion", { scope: "file" }, ({ watcher }) => (key: string, version: string) => {
    const hold = watcher.index.get(key);
    return hold && matchVersion(version, hold).comparison;
  })
  // A lock shared by two threads.
  .extend("shared", async ({ direct, key, listHolders }) => {
    for (const owner of [1, 2].map(formatThreadOwner)) {
      await acquireForeignLock(direct, key, 30_000, owner);
      await waitUntil(() => listHolders(key).some(({ seen }) => seen.owner === owner));
    }
    return key;
  });

it("acquired and released events of a shared lock name only the holders that joined or left", async ({
  shared: key,
  direct,
  listOwnerEvents,
  listHolders,
  getHolderVersion,
  compareVersion,
}) => {
  const version = getHolderVersion(key, formatThreadOwner(1));
  await direct.hdel(key, formatThreadOwner(2));
  await waitUntil(() => listHolders(key).length === 1);
  await waitUntil(() => listOwnerEvents(key).length === 3);
  expect(compareVersion(key, version)).toBe("same");
  await direct.hset(key, formatThreadOwner(3), 1);
  await waitUntil(() => listOwnerEvents(key).length === 4);
  await direct.hincrby(key, formatThreadOwner(1), 1);
  await waitUntil(() => listOwnerEvents(key).length === 5);
  await direct.del(key);
  await waitUntil(() => listOwnerEvents(key).length === 7);
  expect(listOwnerEvents(key).slice(0, 5)).toEqual([
    "acquired 1",
    "acquired 2",
    "released 2",
    "acquired 3",
    "reentered 1",
  ]);
  expect(listOwnerEvents(key).slice(5).sort()).toEqual(["released 1", "released 3"]);
});

it("a holder that left and rejoined unseen under the same name has an unsure version", async ({
  shared: key,
  direct,
  getHolderVersion,
  compareVersion,
}) => {
  const version = getHolderVersion(key, formatThreadOwner(2));
  expect(compareVersion(key, version)).toBe("same");
  await direct.multi().hdel(key, formatThreadOwner(2)).hset(key, formatThreadOwner(2), 1).exec();
  await waitUntil(() => compareVersion(key, version) === "unverified");
  expect(compareVersion(key, getHolderVersion(key, formatThreadOwner(2)))).toBe("same");
});

it("the expiration of a shared lock emits one expired event per holder", async ({
  shared: key,
  direct,
  listOwnerEvents,
}) => {
  await direct.pexpire(key, 50);
  await waitUntil(() => listOwnerEvents(key).length === 4);
  expect(listOwnerEvents(key).slice(2).sort()).toEqual(["expired 1", "expired 2"]);
});
