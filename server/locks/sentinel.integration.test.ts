import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catchErrorCode } from "../../test/conformance/conformance-fixture.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { LostError } from "../errors/lock-errors.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { buildWaitersKey } from "../formats/keys.ts";
import { LockClient, type LockClientOptions } from "./client/lock-client.ts";

const HOLD_OFF_MS = 6000;
const freshKey = () => `lock:${randomUUID()}`;

describe("Sentinel group", () => {
  let group: TestSentinel;
  const opened: LockClient[] = [];
  const open = async (options: LockClientOptions = {}) => {
    const client = await LockClient.open(group.where, options);
    opened.push(client);
    return client;
  };
  const replicaOf = (master: TestRedis): TestRedis => {
    const replica = group.servers.find((server) => server !== master);
    if (replica === undefined) throw new Error("there is no replica");
    return replica;
  };
  const isRenewed = (hold: { renew(): Promise<unknown> }) => async () =>
    (await catchErrorCode(hold.renew())) === "granted";

  beforeAll(async () => {
    group = await startTestSentinel({ password: "of-the-servers", sentinelPassword: "of-the-sentinels" });
  }, 30_000);
  afterAll(async () => {
    for (const client of opened) client.close();
    await group.stop();
  });

  it("a grant its replica does not confirm is withdrawn, and an earlier hold is renewed once the replica is back", async () => {
    const client = await open({ replicas: 1, replicaTimeoutMs: 150 });
    const plain = await open();
    const [kept, key] = [freshKey(), freshKey()];
    const hold = await client.acquire(kept, { renew: false });
    const replica = replicaOf(await group.findMaster());
    replica.freeze();
    try {
      const refused = client.acquire(key, { renew: false });
      await expect(refused).rejects.toMatchObject({
        code: "not_replicated",
        status: 503,
        facts: { replicas: 1, confirmed: 0 },
      });
      // Nobody holds it: it was given back.
      expect(await catchErrorCode(plain.acquire(key, { renew: false }))).toBe("granted");
      expect(await catchErrorCode(hold.renew())).toBe("not_replicated");
      hold.assertHeld();
    } finally {
      replica.thaw();
    }
    await waitUntil(isRenewed(hold));
    expect(await catchErrorCode(client.acquire(freshKey(), { renew: false }))).toBe("granted");
    await hold.release();
  });

  it("after the failover of a frozen master, holds continue and a waiter is woken on the new master", async () => {
    const [one, two, guarded] = [await open(), await open(), await open({ failoverHoldOffMs: HOLD_OFF_MS })];
    const key = freshKey();
    const hold = await one.acquire(key, { leaseMs: 20_000 });
    const kept = await guarded.acquire(freshKey(), { leaseMs: 20_000 });
    await waitUntil(() => group.isInSync());
    const waiting = two.acquire(key, { leaseMs: 5000, waitMs: 30_000 });
    // Who has not been refused yet does not wait, and is told of the outage.
    const direct = (await group.findMaster()).createClient();
    await waitUntil(async () => (await direct.zcard(String(buildWaitersKey(key)))) === 1);
    const old = await group.freezeMaster();
    await group.waitForPromotion(old);
    await waitUntil(isRenewed(hold));
    const released = performance.now();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    const next = await waiting;
    expect(performance.now() - released).toBeLessThan(800);
    expect(BigInt(next.fence ?? 0)).toBeGreaterThan(BigInt(hold.fence ?? 0));
    // What was granted before the failover goes on while nothing new is granted.
    await waitUntil(isRenewed(kept));
    expect(await catchErrorCode(guarded.acquire(freshKey()))).toBe("unavailable");
    expect(await kept.release()).toMatchObject({ outcome: "released" });
    old.thaw();
    await waitUntil(() => group.isInSync(), 20_000);
  }, 60_000);

  it("an unreplicated lock is lost in a failover; a client with failover hold-off waits until its lease has ended", async () => {
    const [holder, eager, careful] = [
      await open(),
      await open(),
      await open({ failoverHoldOffMs: HOLD_OFF_MS }),
    ];
    const key = freshKey();
    const master = await group.findMaster();
    await group.cutReplicas();
    const grantedAt = performance.now();
    const hold = await holder.acquire(key, { leaseMs: HOLD_OFF_MS, renew: false });
    await group.killMaster();
    replicaOf(master).thaw();
    await group.promote(master);
    // The first is told only when it asks, and somebody else may have the lock by then.
    const second = await eager.acquire(key, { waitMs: 5000, renew: false });
    hold.assertHeld();
    expect(BigInt(second.fence ?? 0)).toBeGreaterThan(BigInt(hold.fence ?? 0));
    await second.release();
    const refusal: unknown = await careful.acquire(key, { renew: false }).catch((error: unknown) => error);
    if (!(refusal instanceof UnavailableError)) throw refusal;
    expect(refusal.facts.reason).toBe("failover_hold_off");
    expect(refusal.facts.remainingMs).toBeGreaterThan(HOLD_OFF_MS - (performance.now() - grantedAt));
    await waitUntil(
      async () => (await catchErrorCode(careful.acquire(key, { renew: false }))) === "granted",
      10_000,
    );
    expect(performance.now() - grantedAt).toBeGreaterThan(HOLD_OFF_MS);
    expect(() => hold.assertHeld()).toThrow(LostError);
  }, 60_000);
});
