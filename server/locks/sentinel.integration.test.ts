import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../../test/conformance/conformance-fixture.ts";
import type { TestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../test/support/test-sentinel.ts";
import { until } from "../../test/support/test-server.ts";
import { LostError } from "../errors/lock-errors.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { waitersKeyOf } from "../formats/keys.ts";
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
    (await codeOf(hold.renew())) === "granted";

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
    const replica = replicaOf(await group.master());
    replica.freeze();
    try {
      const refused = client.acquire(key, { renew: false });
      await expect(refused).rejects.toMatchObject({
        code: "not_replicated",
        status: 503,
        facts: { replicas: 1, confirmed: 0 },
      });
      // Nobody holds it: it was given back.
      expect(await codeOf(plain.acquire(key, { renew: false }))).toBe("granted");
      expect(await codeOf(hold.renew())).toBe("not_replicated");
      hold.assertHeld();
    } finally {
      replica.thaw();
    }
    await until(isRenewed(hold));
    expect(await codeOf(client.acquire(freshKey(), { renew: false }))).toBe("granted");
    await hold.release();
  });

  it("after the failover of a frozen master, holds continue and a waiter is woken on the new master", async () => {
    const [one, two, guarded] = [await open(), await open(), await open({ failoverHoldOffMs: HOLD_OFF_MS })];
    const key = freshKey();
    const hold = await one.acquire(key, { leaseMs: 20_000 });
    const kept = await guarded.acquire(freshKey(), { leaseMs: 20_000 });
    await until(() => group.isWhole());
    const waiting = two.acquire(key, { leaseMs: 5000, waitMs: 30_000 });
    // Who has not been refused yet does not wait, and is told of the outage.
    const direct = (await group.master()).client();
    await until(async () => (await direct.zcard(String(waitersKeyOf(key)))) === 1);
    const old = await group.freezeMaster();
    await group.promoted(old);
    await until(isRenewed(hold));
    const released = performance.now();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    const next = await waiting;
    expect(performance.now() - released).toBeLessThan(800);
    expect(BigInt(next.fence ?? 0)).toBeGreaterThan(BigInt(hold.fence ?? 0));
    // What was granted before the failover goes on while nothing new is granted.
    await until(isRenewed(kept));
    expect(await codeOf(guarded.acquire(freshKey()))).toBe("unavailable");
    expect(await kept.release()).toMatchObject({ outcome: "released" });
    old.thaw();
    await until(() => group.isWhole(), 20_000);
  }, 60_000);

  it("an unreplicated lock is lost in a failover; a client with failover hold-off waits until its lease has ended", async () => {
    const [holder, eager, careful] = [
      await open(),
      await open(),
      await open({ failoverHoldOffMs: HOLD_OFF_MS }),
    ];
    const key = freshKey();
    const master = await group.master();
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
    await until(async () => (await codeOf(careful.acquire(key, { renew: false }))) === "granted", 10_000);
    expect(performance.now() - grantedAt).toBeGreaterThan(HOLD_OFF_MS);
    expect(() => hold.assertHeld()).toThrow(LostError);
  }, 60_000);
});
