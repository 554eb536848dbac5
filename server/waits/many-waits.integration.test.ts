import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestServer } from "../../test/support/test-server.ts";
import { buildWaitersKey } from "../formats/keys.ts";
import { LockClient } from "../locks/client/lock-client.ts";

const it = redisTest();
const LOCKS = 6000;
/**
 * Maximum time in ms until a deadlock is reported. The server reads a new wait after 300 ms, confirms a deadlock with a
 * second read, and shares the machine with other tests.
 */
const FOUND_WITHIN_MS = 5000;
const LEASE = { leaseMs: 60_000 };

it("a deadlock is found in time while thousands of locks have waiters", async ({ redis, direct }) => {
  const until = Date.now() + 120_000;
  const waits = direct.pipeline();
  for (let at = 0; at < LOCKS; at++) {
    const key = createTestKey("lock:crowd");
    waits.hset(key, `${randomUUID()}:1`, 1).pexpire(key, 120_000);
    waits.zadd(String(buildWaitersKey(key)), until, `${randomUUID()}\t${Date.now()}\tcrowd`);
  }
  await waits.exec();
  // This server must find waits that began before it started.
  const server = await startTestServer({ environment: { REDIS_URL: redis.url }, waitFor: "nothing" });
  const client = await LockClient.open(redis.url);
  try {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const { status, body } = await server.call("/waits");
      if (status === 200 && body.waiting >= LOCKS) break;
      expect(performance.now()).toBeLessThan(deadline);
      await sleep(500);
    }
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const [one, two] = [await client.acquire(a, LEASE), await client.acquire(b, LEASE)];
    const options = { ...LEASE, waitMs: 30_000 };
    const waiting = client.acquire(b, { ...options, holding: [one] });
    const closedAt = performance.now();
    const refused = client.acquire(a, { ...options, holding: [two], onDeadlock: "refuse" });
    await expect(refused).rejects.toMatchObject({ code: "deadlock" });
    expect(performance.now() - closedAt).toBeLessThan(FOUND_WITHIN_MS);
    await two.release();
    await waiting;
  } finally {
    client.close();
    await server.stop();
  }
});
