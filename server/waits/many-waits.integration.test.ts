import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { Waits } from "../../lib/contract/waits/waits.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestServer } from "../../test/support/test-server.ts";
import { buildWaitersKey } from "../formats/keys.ts";
import { LockClient } from "../locks/client/lock-client.ts";

const it = serverTest();
const LOCKS = 6000;
/** The server needs 300 ms to read a new wait, reads the deadlock twice, and shares the machine with other tests. */
const FOUND_WITHIN_MS = 5000;

it("a deadlock is found in time while thousands of locks have waiters", async ({ server, direct }) => {
  const until = Date.now() + 120_000;
  const waits = direct.pipeline();
  for (let at = 0; at < LOCKS; at++) {
    const key = createTestKey("lock:crowd");
    waits.hset(key, `${randomUUID()}:1`, 1).pexpire(key, 120_000);
    waits.zadd(String(buildWaitersKey(key)), until, `${randomUUID()}\t${Date.now()}\tcrowd`);
  }
  await waits.exec();
  // Reads the waits that began before it started.
  const late = await startTestServer({
    environment: { REDIS_URL: server.redis.url },
    waitFor: "nothing",
  });
  const client = await LockClient.open(server.redis.url);
  const stop = new AbortController();
  try {
    const readWaits = async (key = "") => {
      const { status, body } = await late.call(key === "" ? "/waits" : `/waits?key=${key}`);
      return status === 200 ? Waits.parse(body) : undefined;
    };
    const waitFor = async (isAsExpected: (waits: Waits) => boolean, key = "") => {
      const startedAt = performance.now();
      for (;;) {
        const seen = await readWaits(key);
        const tookMs = performance.now() - startedAt;
        if (seen !== undefined && isAsExpected(seen)) return tookMs;
        expect(tookMs).toBeLessThan(20_000);
        await sleep(200);
      }
    };
    await waitFor(({ waiting, locksLeftOut }) => waiting >= LOCKS && locksLeftOut === 0);
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const nest = (outer: string, inner: string) =>
      client.withLock(outer, { leaseMs: 60_000 }, () =>
        client.withLock(inner, { leaseMs: 60_000, waitMs: 60_000, signal: stop.signal }, () =>
          Promise.resolve(),
        ),
      );
    const ended = Promise.allSettled([nest(a, b), nest(b, a)]);
    const tookMs = await waitFor(({ deadlocks }) => deadlocks.length === 1, a);
    expect(tookMs).toBeLessThan(FOUND_WITHIN_MS);
    stop.abort();
    await ended;
  } finally {
    stop.abort();
    client.close();
    await late.stop();
  }
});
