import { describe, expect, test } from "vitest";
import { startTestCluster } from "../../../test/support/cluster.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockClient } from "../client/lock-client.ts";
import { openBackend } from "./open-backend.ts";

const REQUEST = { by: "mei", reason: "migration" };

const it = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3, replicas: 0 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("client", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const client = await LockClient.open({ cluster: cluster.urls });
    onCleanup(() => client.close());
    return client;
  })
  .extend("requestRelease", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    onCleanup(() => backend.close());
    return async (key: string) => {
      const seen = await observeHeldLock(cluster.getMasterClient(key), key);
      return (await backend.verbs.requestRelease(seen, seen.holders[0], REQUEST)).outcome;
    };
  })
  .extend("forceRelease", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    onCleanup(() => backend.close());
    return async (key: string) => {
      const seen = await observeHeldLock(cluster.getMasterClient(key), key);
      await backend.verbs.forceRelease(seen, { holder: undefined, by: "mei", reason: "stuck" });
    };
  });

// The cluster starts before the tests, because its start may take longer than the time limit of a test.
it.beforeAll(async ({ cluster }) => {
  await cluster.masters[0]?.runCli("PING");
});

describe("release requests on a cluster", () => {
  it("a request at any master reaches the client", async ({ cluster, client, requestRelease }) => {
    for (const master of [0, 1, 2]) {
      const key = cluster.findKeyOnMaster(master, createTestKey());
      const hold = await client.acquire(key, { leaseMs: 30_000 });
      const reasons: string[] = [];
      hold.onReleaseRequested(({ reason }) => reasons.push(reason));
      await waitUntil(async () => (await requestRelease(key)) === "requested");
      // The first renewal is due after 10 s.
      await waitUntil(() => reasons.length > 0, 5000);
      expect(reasons[0]).toBe("migration");
      await hold.release();
    }
  });
});

describe("force-release on a cluster", () => {
  it("a force-release at any master reaches the client, also after the node that it subscribed at has lost the connection", async ({
    cluster,
    client,
    forceRelease,
  }) => {
    const countSubscribers = async (token: string) => {
      const channel = `lockkeeper:client:${token.slice(0, 36)}`;
      const counts = await Promise.all(
        cluster.masters.map(async (master) =>
          Number((await master.runCli("PUBSUB", "NUMSUB", channel)).split("\n")[1]),
        ),
      );
      return counts;
    };
    const expectLoss = async (master: number) => {
      const key = cluster.findKeyOnMaster(master, createTestKey());
      // The first renewal is due after 10 s.
      const hold = await client.acquire(key, { leaseMs: 30_000 });
      await waitUntil(async () => (await countSubscribers(hold.token)).some((count) => count === 1));
      await forceRelease(key);
      await waitUntil(() => hold.signal.aborted, 5000);
      expect(hold.signal.reason).toMatchObject({ message: expect.stringMatching(/force-released/) });
      return hold.token;
    };
    const token = await expectLoss(0);
    await expectLoss(1);
    await expectLoss(2);
    const before = (await countSubscribers(token)).indexOf(1);
    expect(before).toBeGreaterThanOrEqual(0);
    await cluster.masters[before]?.runCli("CLIENT", "KILL", "TYPE", "pubsub");
    await waitUntil(async () => {
      const now = (await countSubscribers(token)).indexOf(1);
      return now >= 0 && now !== before;
    });
    for (const master of [0, 1, 2]) await expectLoss(master);
  });
});
