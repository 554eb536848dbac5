import { hostname } from "node:os";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey, readCompanion, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { parseHoldId } from "../../formats/hold-id.ts";
import { LockClient } from "./lock-client.ts";

const it = locksTest();

describe("Hold", () => {
  it("a hold has a token of its own, a fencing token, a hold ID and an owner label", async ({
    env,
    direct,
    key,
  }) => {
    const client = await env.openClient({ target: "orders" });
    const hold = await client.acquire(key);
    expect(await direct.hgetall(key)).toEqual({ [hold.token]: "1" });
    expect(hold.token).toMatch(/^[0-9a-f-]{36}:\d+$/);
    expect(hold.fence).toMatch(/^\d{16}$/);
    expect(hold.owner).toBe(`${hostname()}:${process.pid}`);
    expect((await readCompanion(direct, key))?.owner).toBe(hold.owner);
    const { token, fence } = hold;
    expect(parseHoldId(hold.holdId)).toMatchObject({
      target: "orders",
      key,
      format: "redisson",
      token,
      fence,
    });
    await hold.release();
    const next = await client.acquire(key, { owner: "mailer" });
    expect(next.token).not.toBe(token);
    expect(next.owner).toBe("mailer");
    await next.release();
  });

  it("a hold outlives its lease under one fencing token while its process renews it", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 1000 });
    await sleepMs(1500);
    hold.assertHeld();
    expect(hold.remainingMs()).toBeGreaterThan(0);
    expect((await readCompanion(direct, key))?.fence).toBe(hold.fence);
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    expect(hold.state).toBe("released");
    expect(() => hold.assertHeld()).toThrow("it was released");
  });

  it("a hold without renewal ends with its lease: the signal aborts and assertHeld throws", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 200, renew: false });
    await waitUntil(() => hold.signal.aborted, 1000);
    await waitUntil(async () => (await direct.exists(key)) === 0, 1000);
    expect(hold.signal.reason).toMatchObject({ code: "lost", facts: { fence: hold.fence } });
    expect(() => hold.assertHeld()).toThrow(LockkeeperError);
    expect((await hold.release()).outcome).toBe("not_held");
  });

  it("a hold is released by `await using`", async ({ client, direct, key }) => {
    {
      await using hold = await client.acquire(key);
      hold.assertHeld();
    }
    expect(await direct.exists(key)).toBe(0);
  });

  it("a deleted hold is reported as lost by the next renewal and not recreated", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 300 });
    await direct.del(key);
    await waitUntil(() => hold.signal.aborted);
    expect(hold.state).toBe("lost");
    await sleepMs(300);
    expect(await direct.exists(key)).toBe(0);
  });

  it("renew keeps the lease of the hold unless another is given, and reports a loss with its own error", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 10_000, renew: false });
    await hold.renew();
    expect(hold.leaseMs).toBe(10_000);
    expect(await direct.pttl(key)).toBeLessThanOrEqual(10_000);
    await hold.renew(20_000);
    expect(hold.leaseMs).toBe(20_000);
    expect(hold.remainingMs()).toBeGreaterThan(15_000);
    await direct.del(key);
    const error: unknown = await hold.renew().catch((reason: unknown) => reason);
    expect(error).toBe(hold.signal.reason);
    expect(error).toMatchObject({ code: "lost", facts: { fence: hold.fence, holders: [] } });
  });

  it("a failed renewal puts a hold in jeopardy; it is lost at its deadline, or held again if Redis returns earlier", async ({
    client,
    env,
  }) => {
    const jeopardy: string[] = [];
    const note = (name: string) => ({
      leaseMs: name === "long" ? 6000 : 900,
      onJeopardy: () => jeopardy.push(name),
    });
    const long = await client.acquire(createTestKey(), note("long"));
    const short = await client.acquire(createTestKey(), note("short"));
    await waitUntil(() => long.remainingMs() < 5000);
    env.redis.freeze();
    await waitUntil(() => short.signal.aborted, 2000);
    expect(jeopardy).toContain("short");
    env.redis.thaw();
    await waitUntil(() => long.state === "held" && long.remainingMs() > 4500, 5000);
    expect(long.signal.aborted).toBe(false);
    await long.release();
  });

  it("a renewal retried after a lost reply keeps the hold and counts from the retry", async ({ env }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const hold = await far.acquire(createTestKey(), { leaseMs: 1800, renew: false });
    // Caches the script in Redis, so that the next renewal is executed although its reply is lost.
    await hold.renew();
    const deadline = performance.now() + hold.remainingMs();
    proxy.mode = "drop_replies";
    const renewing = hold.renew();
    // Waits until the second half of the lease. The lease would have ended if the duration of the request were
    // subtracted twice.
    await sleepMs(1000);
    proxy.mode = "pass";
    await renewing;
    expect(hold.state).toBe("held");
    expect(performance.now() + hold.remainingMs()).toBeGreaterThan(deadline - 20);
    await hold.release();
    far.close();
    await proxy.stop();
  });
});
