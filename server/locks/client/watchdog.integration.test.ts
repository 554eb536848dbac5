import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { readCompanion, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestRedis } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockClient } from "./lock-client.ts";

const it = locksTest();

describe("watchdog", () => {
  it("the watchdog renews 1,000 holds with fewer than 100 script calls", async () => {
    const own = await startTestRedis();
    const many = await LockClient.open(own.url);
    const holds = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => many.acquire(`lock:${n}`, { leaseMs: 3000 })),
    );
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await own.createClient().info("commandstats"))?.[1]);
    const before = await calls();
    await waitUntil(() => holds.every((hold) => hold.remainingMs() > 2100) === false);
    await sleepMs(2500);
    expect(holds.every((hold) => hold.state === "held")).toBe(true);
    expect((await calls()) - before).toBeLessThan(100);
    many.close();
    await own.stop();
  });

  it("a hold states the interval at which the watchdog renews it, and none without the watchdog", async ({
    client,
    direct,
    key,
  }) => {
    const record = { service: "billing" };
    const hold = await client.acquire(key, { leaseMs: 6000, record });
    expect(await readCompanion(direct, key)).toMatchObject({
      ...{ record, statedRenewal: { everyMs: 2000, ofLeaseMs: 6000 } },
    });
    await hold.release();
    await client.acquire(key, { leaseMs: 6000, renew: false });
    expect(await readCompanion(direct, key)).toMatchObject({ record: undefined, statedRenewal: undefined });
  });

  it("a hold with several counts is renewed once at a time, and not after its last release", async ({
    env,
    direct,
    key,
  }) => {
    const client = await env.openClient();
    const renewals: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe("lockkeeper:events:0");
    listener.on("message", (_, message: string) => {
      if (message.startsWith("renewed") && message.includes(key)) renewals.push(message);
    });
    const outer = await client.acquire(key, { leaseMs: 3000 });
    const [one, two] = [await outer.reenter(), await outer.reenter()];
    await sleepMs(6500);
    // One renewal per third of the lease, about six in 6.5 s, regardless of the number of counts.
    expect(renewals.length).toBeGreaterThanOrEqual(4);
    expect(renewals.length).toBeLessThanOrEqual(8);
    await Promise.all([one.release(), outer.release()]);
    const before = renewals.length;
    await waitUntil(() => renewals.length > before + 1);
    await two.release();
    const after = renewals.length;
    const next = await client.acquire(key, { leaseMs: 500, renew: false });
    await waitUntil(async () => (await direct.exists(key)) === 0, 2000);
    expect(renewals.length).toBe(after);
    expect(next.state).toBe("lost");
  });

  it("a re-entry with a longer lease postpones the renewal", async ({ client, key }) => {
    const outer = await client.acquire(key, { leaseMs: 300 });
    const inner = await outer.reenter({ leaseMs: 30_000 });
    await sleepMs(700);
    // No renewal is due, so the remaining time decreases from the re-entry on.
    expect(inner.remainingMs()).toBeLessThan(29_500);
    expect(inner.remainingMs()).toBeGreaterThan(25_000);
    await inner.release();
    await outer.release();
  });
});
