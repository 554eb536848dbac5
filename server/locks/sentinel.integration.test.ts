import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestSentinel, type TestSentinel } from "../testing/sentinel.ts";
import { until } from "../testing/server.ts";
import { LockClient } from "./lock-client.ts";

const freshKey = () => `lock:${randomUUID()}`;

describe("on a Sentinel group", () => {
  let group: TestSentinel;
  let one: LockClient;
  let two: LockClient;
  beforeAll(async () => {
    group = await startTestSentinel({ password: "of-the-servers", sentinelPassword: "of-the-sentinels" });
    [one, two] = await Promise.all([LockClient.open(group.where), LockClient.open(group.where)]);
  }, 30_000);
  afterAll(async () => {
    one.close();
    two.close();
    await group.stop();
  });

  it("a hold outlives the death of its master, and who waits is woken at the next one", async () => {
    const key = freshKey();
    const hold = await one.acquire(key, { leaseMs: 20_000 });
    const waiting = two.acquire(key, { leaseMs: 5000, waitMs: 30_000 });
    await until(() => group.isWhole());
    const old = await group.killMaster();
    await group.promoted(old);
    await until(
      () =>
        hold.renew().then(
          () => true,
          () => false,
        ),
      5000,
    );
    const released = performance.now();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    const next = await waiting;
    expect(performance.now() - released).toBeLessThan(500);
    expect(Number(next.fence)).toBeGreaterThan(Number(hold.fence));
    await next.release();
    await old.restart();
    await until(() => group.isWhole(), 20_000);
  }, 60_000);
});
