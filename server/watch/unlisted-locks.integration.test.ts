import { describe, expect, test } from "vitest";
import { startTestCluster } from "../../test/support/cluster.ts";
import { mastersTest, redisTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { startTestWatcher, type TestWatcher } from "../../test/support/test-watcher.ts";
import { FormatRules } from "../formats/format-rules.ts";

/** A value that could belong to a lock or to other data. */
const VALUE = "worker-7";
const LOCKABLE = ["lock:*"];
const SETTINGS = { watch: ["*"], rules: new FormatRules([], LOCKABLE) };

/** Waits for up to 15 s, which is sufficient even on a loaded machine. */
const waitUntilSeen = (holds: () => boolean) => waitUntil(holds, 15_000);
const readCounts = ({ watcher }: TestWatcher) => {
  const { locks, unlisted, needsAttention } = watcher.health();
  return { locks, unlisted, needsAttention };
};
const listTypes = ({ listEvents }: TestWatcher, key: string) => listEvents(key).map(({ type }) => type);
const isListed = ({ watcher }: TestWatcher, key: string) => watcher.index.get(key)?.isListed;

const it = redisTest()
  .extend("watching", async ({ redis, direct }, { onCleanup }) => {
    await direct.flushall();
    const watching = await startTestWatcher(redis.url, SETTINGS);
    onCleanup(() => watching.stop());
    return watching;
  })
  .extend("key", () => createTestKey("mutex"));

describe("possible locks under keys that the API cannot acquire", () => {
  it("are counted apart, and emit no events", async ({ watching, direct, key }) => {
    const listed = createTestKey();
    await direct.set(key, VALUE);
    await direct.set(listed, VALUE);
    await waitUntilSeen(() => isListed(watching, listed) === true && isListed(watching, key) === false);
    expect(readCounts(watching)).toEqual({ locks: 1, unlisted: 1, needsAttention: 1 });
    await direct.set(key, "worker-8", "PX", 60_000);
    await waitUntilSeen(() => watching.watcher.index.get(key)?.holders[0].seen.owner === "worker-8");
    await direct.del(key);
    await direct.del(listed);
    await waitUntilSeen(() => watching.watcher.index.size === 0);
    await watching.waitForEvents(listed, 2);
    expect([listTypes(watching, listed), listTypes(watching, key)]).toEqual([["acquired", "released"], []]);
    expect(readCounts(watching)).toEqual({ locks: 0, unlisted: 0, needsAttention: 0 });
  });

  it("are listed as soon as a format rule names their format, without an end when the rule is removed", async ({
    watching,
    direct,
    key,
  }) => {
    await direct.set(key, VALUE);
    await waitUntilSeen(() => isListed(watching, key) === false);
    watching.watcher.setFormatRules(new FormatRules([{ pattern: key, format: "token" }], LOCKABLE));
    await waitUntilSeen(() => isListed(watching, key) === true);
    expect(readCounts(watching)).toEqual({ locks: 1, unlisted: 0, needsAttention: 1 });
    await watching.waitForEvents(key, 1);
    watching.watcher.setFormatRules(SETTINGS.rules);
    await waitUntilSeen(() => isListed(watching, key) === false);
    expect(readCounts(watching)).toEqual({ locks: 0, unlisted: 1, needsAttention: 0 });
    await watching.waitForEvents(key, 1);
    expect(listTypes(watching, key)).toEqual(["seen"]);
  });

  it("are listed from the time on at which they get the TTL of a lock", async ({ watching, direct, key }) => {
    await direct.set(key, "5f0c0c1e-0000-4000-8000-000000000001");
    await waitUntilSeen(() => isListed(watching, key) === false);
    const [since] = watching.watcher.index.get(key)?.holders ?? [];
    await direct.pexpire(key, 60_000);
    await waitUntilSeen(() => isListed(watching, key) === true);
    const [acquired] = await watching.waitForEvents(key, 1);
    expect(acquired).toMatchObject({ type: "acquired", at: since?.firstSeenMs });
    await direct.persist(key);
    await waitUntilSeen(() => isListed(watching, key) === false);
    await direct.del(key);
    await waitUntilSeen(() => watching.watcher.index.size === 0);
    await watching.waitForEvents(key, 1);
    expect(listTypes(watching, key)).toEqual(["acquired"]);
  });

  it("report the end of a listed hold that an unlisted one replaced", async ({ watching, direct, key }) => {
    const token = "5f0c0c1e-0000-4000-8000-000000000001";
    await direct.hset(key, `${token}:1`, 1);
    await direct.pexpire(key, 60_000);
    await waitUntilSeen(() => isListed(watching, key) === true);
    await direct.set(key, VALUE);
    await waitUntilSeen(() => isListed(watching, key) === false);
    await watching.waitForEvents(key, 2);
    expect(listTypes(watching, key)).toEqual(["acquired", "released"]);
  });
});

const clusterIt = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("watching", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const watching = await startTestWatcher({ cluster: cluster.urls }, SETTINGS);
    onCleanup(() => watching.stop());
    return watching;
  });

clusterIt(
  "on a cluster, possible locks of every master are counted together",
  async ({ cluster, watching }) => {
    const plant = async (namespace: string) => {
      const keys = [0, 1, 2].map((master) => cluster.findKeyOnMaster(master, createTestKey(namespace)));
      for (const key of keys) await cluster.getMasterClient(key).set(key, VALUE);
      return keys;
    };
    const [listed, unlisted] = [await plant("lock"), await plant("mutex")];
    await waitUntilSeen(() => watching.watcher.index.size === 6);
    expect(listed.map((key) => isListed(watching, key))).toEqual([true, true, true]);
    expect(unlisted.map((key) => isListed(watching, key))).toEqual([false, false, false]);
    expect(readCounts(watching)).toEqual({ locks: 3, unlisted: 3, needsAttention: 3 });
  },
);

mastersTest(3)(
  "on a quorum, a possible lock at a majority is counted once",
  async ({ masters, onTestFinished }) => {
    const watching = await startTestWatcher({ quorum: masters.urls }, SETTINGS);
    onTestFinished(() => watching.stop());
    const [listed, unlisted] = [createTestKey(), createTestKey("mutex")];
    for (const client of masters.clients.slice(0, 2)) {
      await client.set(listed, VALUE);
      await client.set(unlisted, VALUE);
    }
    await waitUntilSeen(() => watching.watcher.index.size === 2);
    expect([isListed(watching, listed), isListed(watching, unlisted)]).toEqual([true, false]);
    expect(readCounts(watching)).toEqual({ locks: 1, unlisted: 1, needsAttention: 1 });
  },
);
