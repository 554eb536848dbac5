import { describe, expect, test } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { checkConditions } from "../../test/conformance/conditions.ts";
import { catchHolders } from "../../test/conformance/conformance-fixture.ts";
import { checkSharedObjects } from "../../test/conformance/shared-objects.ts";
import { startTestCluster } from "../../test/support/cluster.ts";
import { countWaiters, createTestKey, getErrorCode, sleepMs } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildCompanionKey, buildFairKeys, buildWaitersKey } from "../formats/keys.ts";
import { openBackend } from "./backends/open-backend.ts";
import { LockClient } from "./client/lock-client.ts";

const it = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3, replicas: 1 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("client", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const client = await LockClient.open({ cluster: cluster.urls });
    onCleanup(() => client.close());
    return client;
  })
  .extend("other", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const other = await LockClient.open({ cluster: cluster.urls });
    onCleanup(() => other.close());
    return other;
  })
  .extend("backend", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const backend = await openBackend({ cluster: cluster.urls }, ["*"]);
    onCleanup(() => backend.close());
    return backend;
  })
  // A key in a slot of the master that no other test uses.
  .extend(
    "createKeyAt",
    { scope: "file" },
    ({ cluster }) =>
      (master: number) =>
        cluster.findKeyOnMaster(master, createTestKey()),
  );

// The cluster starts before the tests, because its start may take longer than the time limit of a test.
it.beforeAll(async ({ cluster }) => {
  await cluster.masters[0]?.runCli("PING");
});

const FORMATS: readonly WritableFormat[] = ["redisson", "token", "timestamp"];
const both = (key: string) => [key, String(buildCompanionKey(key))] as const;

it("semaphores and latches work for two clients of a cluster", async ({ client, other, createKeyAt }) => {
  for (const master of [0, 1]) await checkSharedObjects(client, other, createKeyAt(master));
});

it("conditions work for two clients of a cluster", async ({ client, other, createKeyAt }) => {
  for (const master of [0, 1]) await checkConditions(client, other, createKeyAt(master));
});

describe("opening a cluster", () => {
  const opens = async (where: Parameters<typeof LockClient.open>[0]) =>
    (await LockClient.open(where)).close();

  it("a cluster can be opened when one of its listed nodes is reachable", async ({ cluster }) => {
    await opens({ cluster: ["redis://127.0.0.1:1", ...cluster.urls.slice(0, 1)] });
    await expect(opens({ cluster: ["redis://127.0.0.1:1"] })).rejects.toThrow(
      /Redis Cluster at 127.0.0.1:1 .*ECONNREFUSED/,
    );
  });

  it("opening a single cluster node as a server fails and names the cluster option", async ({ cluster }) => {
    await expect(opens(cluster.urls[0] ?? "")).rejects.toThrow("{ cluster: [url] }");
  });
});

describe.concurrent("slot migration", () => {
  it.for(FORMATS)(
    "a lock in a migrating slot is renewed and released under one fencing token at every step (%s)",
    async (format, { createKeyAt, backend, cluster }) => {
      const key = createKeyAt(1);
      const { verbs } = backend;
      const ask = { owner: "me", leaseMs: 30_000, format };
      const { grant } = await verbs.acquire(key, ask);
      const { token, fence } = grant;
      const move = await cluster.startSlotMove(key, 2);
      expect(await verbs.renew(grant)).toMatchObject({ token, fence });
      const [lock, companion] = both(key);
      await move.moveKeys(companion);
      // One key of the lock has moved and the other has not, so no script can run on both.
      const renewal = verbs.renew(grant);
      await sleepMs(200);
      await move.moveKeys(lock);
      expect(await renewal).toMatchObject({ token, fence });
      expect(await getErrorCode(verbs.acquire(key, ask))).toBe("held");
      await move.finish();
      expect(await verbs.renew(grant)).toMatchObject({ token, fence });
      expect(await getErrorCode(verbs.acquire(key, ask))).toBe("held");
      expect(await verbs.release(grant)).toMatchObject({ outcome: "released", count: 0 });
    },
  );

  it.for(FORMATS)(
    "a release with reservation in a migrating slot reserves the lock in the name of its owner (%s)",
    async (format, { createKeyAt, backend, cluster }) => {
      const key = createKeyAt(1);
      const { verbs } = backend;
      const ask = { owner: "me", leaseMs: 30_000, format };
      const { grant } = await verbs.acquire(key, ask);
      const move = await cluster.startSlotMove(key, 2);
      expect(await verbs.release(grant, { reservedMs: 60_000 })).toMatchObject({ outcome: "released" });
      await move.moveKeys(...both(key));
      await move.finish();
      const next = verbs.acquire(key, { ...ask, owner: "you" });
      expect(await catchHolders(next)).toEqual(["lockkeeper:reserve:me"]);
    },
  );

  it.for([...FORMATS, "fair" as const])(
    "a free lock in a migrating slot can be acquired, re-entered and released (%s)",
    async (variant, { createKeyAt, backend, cluster }) => {
      const key = createKeyAt(1);
      const { verbs } = backend;
      const form = variant === "fair" ? ({ kind: "fair" } as const) : { format: variant };
      const ask = { owner: "me", leaseMs: 30_000, ...form };
      const move = await cluster.startSlotMove(key, 2);
      const first = (await verbs.acquire(key, ask)).grant;
      expect(await getErrorCode(verbs.acquire(key, ask))).toBe("held");
      const { token, fence } = first;
      expect(await verbs.reenter(first, { requestId: "r1" })).toMatchObject({ count: 2, token, fence });
      const inner = await verbs.release(first, { requestId: "r2" });
      expect(inner).toMatchObject({ outcome: "still_held", count: 1 });
      expect(await verbs.release(first)).toMatchObject({ outcome: "released", count: 0 });
      const second = (await verbs.acquire(key, { ...ask, waitMs: 1000 })).grant;
      expect(BigInt(second.fence)).toBeGreaterThan(BigInt(fence));
      await move.finish();
      expect(await verbs.renew(second)).toMatchObject({ token: second.token, fence: second.fence });
    },
  );

  it("a lock cannot be acquired until its companion key has been migrated", async ({
    createKeyAt,
    backend,
    cluster,
  }) => {
    const key = createKeyAt(1);
    const { verbs } = backend;
    const ask = { owner: "me", leaseMs: 30_000 };
    const { grant } = await verbs.acquire(key, ask);
    await verbs.release(grant);
    const move = await cluster.startSlotMove(key, 2);
    expect(await getErrorCode(verbs.acquire(key, ask))).toBe("unavailable");
    await move.moveKeys(...both(key));
    const next = await verbs.acquire(key, ask);
    expect(BigInt(next.grant.fence)).toBeGreaterThan(BigInt(grant.fence));
    await move.finish();
  });

  it("a pending acquire succeeds as soon as the slot has been migrated", async ({
    createKeyAt,
    cluster,
    client,
  }) => {
    const key = createKeyAt(1);
    const move = await cluster.startSlotMove(key, 2);
    const taking = client.acquire(key, { renew: false });
    await sleepMs(300);
    await move.finish();
    expect((await taking).count).toBe(1);
  });

  it.for(["lock", "fair"] as const)(
    "a waiter follows a migrated slot and is woken by a release on the new master (%s)",
    async (kind, { createKeyAt, client, other, cluster }) => {
      const key = createKeyAt(1);
      const hold = await client.acquire(key, { kind });
      const waits = other.acquire(key, { kind, waitMs: 20_000, renew: false });
      const waiters = String(buildWaitersKey(key));
      await waitUntil(async () => (await cluster.getMasterClient(key).zcard(waiters)) > 0);
      await sleepMs(100);
      const move = await cluster.startSlotMove(key, 2);
      await move.moveKeys(...both(key), waiters, ...(kind === "fair" ? buildFairKeys(key).map(String) : []));
      await move.finish();
      await sleepMs(500);
      const releasedAt = performance.now();
      await hold.release();
      await waits;
      expect(performance.now() - releasedAt).toBeLessThan(800);
    },
  );
});

describe("flushed cluster scripts", () => {
  it("scripts are reloaded on every node after SCRIPT FLUSH", async ({ cluster, client, createKeyAt }) => {
    for (const master of cluster.masters) await master.runCli("SCRIPT", "FLUSH");
    for (const master of [0, 1, 2]) {
      for (const kind of ["lock", "fair"] as const) {
        const hold = await client.acquire(createKeyAt(master), { kind });
        expect((await hold.release()).outcome).toBe("released");
      }
    }
  });
});

describe("frozen cluster master", () => {
  it("a frozen master loses only its own locks, and holds on other masters are renewed in time", async ({
    createKeyAt,
    client,
    cluster,
    backend,
  }) => {
    const [near, far] = [createKeyAt(1), createKeyAt(2)];
    const holds = await Promise.all([near, far].map((key) => client.acquire(key, { leaseMs: 1500 })));
    const [held, lost] = holds;
    cluster.masters[2]?.freeze();
    try {
      const startedAt = performance.now();
      const ask = { owner: "you", leaseMs: 30_000 };
      expect(await getErrorCode(backend.verbs.acquire(createKeyAt(2), ask))).toBe("unknown_outcome");
      expect(performance.now() - startedAt).toBeLessThan(2800);
      await waitUntil(() => lost?.signal.aborted === true);
      held?.assertHeld();
      expect(await getErrorCode(backend.verbs.acquire(createKeyAt(1), ask))).toBe("ok");
    } finally {
      cluster.masters[2]?.thaw();
    }
    await waitUntil(
      async () => (await getErrorCode(client.acquire(createKeyAt(2), { renew: false }))) === "ok",
      8000,
    );
    held?.assertHeld();
  });
});

describe("killed cluster master without a replica", () => {
  it("locks of a killed master are unavailable within the time budget until it is back, other locks are unaffected", async ({
    client,
    createKeyAt,
    cluster,
  }) => {
    const held = await client.acquire(createKeyAt(1), { leaseMs: 6000 });
    const lost = await client.acquire(createKeyAt(2), { leaseMs: 1200 });
    await cluster.masters[2]?.kill();
    // The outcome of a call that was in flight when the master was killed may be unknown.
    const first = getErrorCode(client.acquire(createKeyAt(2)));
    await waitUntil(async () => (await getErrorCode(client.acquire(createKeyAt(2)))) === "unavailable", 8000);
    const startedAt = performance.now();
    expect(await getErrorCode(client.acquire(createKeyAt(2)))).toBe("unavailable");
    expect(performance.now() - startedAt).toBeLessThan(3300);
    expect(["unavailable", "unknown_outcome"]).toContain(await first);
    const nearAt = performance.now();
    expect(await getErrorCode(client.acquire(createKeyAt(1), { renew: false }))).toBe("ok");
    expect(performance.now() - nearAt).toBeLessThan(1500);
    await waitUntil(() => lost.signal.aborted);
    held.assertHeld();
    expect(await getErrorCode(LockClient.open({ cluster: cluster.urls }).then((late) => late.close()))).toBe(
      "ok",
    );
    await cluster.masters[2]?.restart();
    await waitUntil(
      async () => (await getErrorCode(client.acquire(createKeyAt(2), { renew: false }))) === "ok",
      10_000,
    );
  });
});

describe("killed cluster master with a replica", () => {
  it("after a failover to the replica, holds continue and waiters are woken by a release", async ({
    createKeyAt,
    client,
    cluster,
    other,
    backend,
  }) => {
    const key = createKeyAt(0);
    const hold = await client.acquire(key, { leaseMs: 40_000 });
    const careful = await LockClient.open({ cluster: cluster.urls }, { failoverHoldOffMs: 60_000 });
    const confirmed = await LockClient.open({ cluster: cluster.urls }, { replicas: 1 });
    expect(await getErrorCode(confirmed.acquire(createKeyAt(0), { renew: false }))).toBe("ok");
    const kept = await careful.acquire(createKeyAt(0), { leaseMs: 30_000 });
    const waits = other.acquire(key, { waitMs: 55_000, renew: false });
    await waitUntil(async () => (await countWaiters(cluster.getMasterClient(key), key)) > 0);
    await waitUntil(
      async () =>
        (await cluster.replicas[0]?.runCli("INFO", "replication"))?.includes("link_status:up") === true,
    );
    await cluster.masters[0]?.kill();
    const ask = { owner: "you", leaseMs: 30_000 };
    await waitUntil(
      async () => (await getErrorCode(backend.verbs.acquire(createKeyAt(0), ask))) === "ok",
      40_000,
    );
    await hold.renew();
    hold.assertHeld();
    // `failoverHoldOffMs` applies only to the new master, and existing holds can still be renewed.
    await waitUntil(async () => (await getErrorCode(kept.renew())) === "ok");
    const refusal: unknown = await careful.acquire(createKeyAt(0)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "unavailable", facts: { reason: "failover_hold_off" } });
    expect(await getErrorCode(careful.acquire(createKeyAt(1), { renew: false }))).toBe("ok");
    expect(await kept.release()).toMatchObject({ outcome: "released" });
    expect(await getErrorCode(confirmed.acquire(createKeyAt(0), { renew: false }))).toBe("not_replicated");
    for (const each of [careful, confirmed]) each.close();
    await sleepMs(2500);
    const releasedAt = performance.now();
    await hold.release();
    expect(BigInt((await waits).fence)).toBeGreaterThan(BigInt(hold.fence));
    expect(performance.now() - releasedAt).toBeLessThan(800);
  }, 70_000);
});
