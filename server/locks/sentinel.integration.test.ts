import { describe, expect, test } from "vitest";
import { checkConditions } from "../../test/conformance/conditions.ts";
import { checkSharedObjects } from "../../test/conformance/shared-objects.ts";
import { countWaiters, createTestKey, getErrorCode } from "../../test/support/test-locks.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { LostError } from "../errors/lock-errors.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { LockClient, type LockClientOptions } from "./client/lock-client.ts";

const HOLD_OFF_MS = 6000;

const it = test
  .extend("group", { scope: "file" }, async ({}, { onCleanup }) => {
    const group = await startTestSentinel({
      password: "of-the-servers",
      sentinelPassword: "of-the-sentinels",
    });
    onCleanup(() => group.stop());
    return group;
  })
  .extend("openClient", { scope: "file" }, async ({ group }, { onCleanup }) => {
    const opened: LockClient[] = [];
    onCleanup(() => {
      for (const client of opened) client.close();
    });
    return async (options: LockClientOptions = {}) => {
      const client = await LockClient.open(group.where, options);
      opened.push(client);
      return client;
    };
  });

// The Sentinel group starts before the tests, because its start may take longer than the time limit of a test.
it.beforeAll(async ({ group }) => {
  await group.findMaster();
}, 30_000);

function replicaOf(group: TestSentinel, master: TestRedis): TestRedis {
  const replica = group.servers.find((server) => server !== master);
  if (replica === undefined) throw new Error("there is no replica");
  return replica;
}

const isRenewed = (hold: { renew(): Promise<unknown> }) => async () =>
  (await getErrorCode(hold.renew())) === "ok";

it("semaphores and latches work for two clients of a Sentinel group", async ({ openClient }) => {
  await checkSharedObjects(await openClient(), await openClient(), createTestKey());
});

it("conditions work for two clients of a Sentinel group", async ({ openClient }) => {
  await checkConditions(await openClient(), await openClient(), createTestKey());
});

describe("Sentinel group", () => {
  it("a grant its replica does not confirm is withdrawn, and an earlier hold is renewed once the replica is back", async ({
    openClient,
    group,
  }) => {
    const client = await openClient({ replicas: 1, replicaTimeoutMs: 1000 });
    const plain = await openClient();
    const [kept, key] = [createTestKey(), createTestKey()];
    const hold = await client.acquire(kept, { renew: false });
    const replica = replicaOf(group, await group.findMaster());
    replica.freeze();
    try {
      const refused = client.acquire(key, { renew: false });
      await expect(refused).rejects.toMatchObject({
        code: "not_replicated",
        facts: { replicas: 1, confirmed: 0 },
      });
      // The lock is free, because the refused grant was released.
      expect(await getErrorCode(plain.acquire(key, { renew: false }))).toBe("ok");
      expect(await getErrorCode(hold.renew())).toBe("not_replicated");
      hold.assertHeld();
    } finally {
      replica.thaw();
    }
    await waitUntil(isRenewed(hold));
    expect(await getErrorCode(client.acquire(createTestKey(), { renew: false }))).toBe("ok");
    await hold.release();
  });

  it("after the failover of a frozen master, holds continue and a waiter is woken on the new master", async ({
    openClient,
    group,
  }) => {
    const [one, two, guarded] = [
      await openClient(),
      await openClient(),
      await openClient({ failoverHoldOffMs: HOLD_OFF_MS }),
    ];
    const key = createTestKey();
    const hold = await one.acquire(key, { leaseMs: 20_000 });
    const kept = await guarded.acquire(createTestKey(), { leaseMs: 20_000 });
    await waitUntil(() => group.isInSync());
    const waiting = two.acquire(key, { leaseMs: 5000, waitMs: 30_000 });
    // A client waits only after its first attempt is refused. Before that, the call would fail because of the outage.
    const direct = (await group.findMaster()).createClient();
    await waitUntil(async () => (await countWaiters(direct, key)) === 1);
    const old = await group.freezeMaster();
    await group.waitForPromotion(old);
    await waitUntil(isRenewed(hold));
    const released = performance.now();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    const next = await waiting;
    expect(performance.now() - released).toBeLessThan(800);
    expect(BigInt(next.fence)).toBeGreaterThan(BigInt(hold.fence));
    // Existing holds can be renewed while nothing new is granted.
    await waitUntil(isRenewed(kept));
    expect(await getErrorCode(guarded.acquire(createTestKey()))).toBe("unavailable");
    expect(await kept.release()).toMatchObject({ outcome: "released" });
    old.thaw();
    await waitUntil(() => group.isInSync(), 20_000);
  }, 60_000);

  it("an unreplicated lock is lost in a failover; a client with failover hold-off waits until its lease has ended", async ({
    openClient,
    group,
  }) => {
    const [holder, eager, careful] = [
      await openClient(),
      await openClient(),
      await openClient({ failoverHoldOffMs: HOLD_OFF_MS }),
    ];
    const key = createTestKey();
    const master = await group.findMaster();
    await group.cutReplicas();
    const grantedAt = performance.now();
    const hold = await holder.acquire(key, { leaseMs: HOLD_OFF_MS, renew: false });
    await group.killMaster();
    replicaOf(group, master).thaw();
    await group.promote(master);
    // Another client can acquire the lock, because the first client does not know of the failover yet.
    const second = await eager.acquire(key, { waitMs: 5000, renew: false });
    hold.assertHeld();
    expect(BigInt(second.fence)).toBeGreaterThan(BigInt(hold.fence));
    await second.release();
    const refusal: unknown = await careful.acquire(key, { renew: false }).catch((error: unknown) => error);
    if (!(refusal instanceof UnavailableError)) throw refusal;
    expect(refusal.facts.reason).toBe("failover_hold_off");
    expect(refusal.facts.remainingMs).toBeGreaterThan(HOLD_OFF_MS - (performance.now() - grantedAt));
    await waitUntil(
      async () => (await getErrorCode(careful.acquire(key, { renew: false }))) === "ok",
      10_000,
    );
    expect(performance.now() - grantedAt).toBeGreaterThan(HOLD_OFF_MS);
    expect(() => hold.assertHeld()).toThrow(LostError);
  }, 60_000);
});
