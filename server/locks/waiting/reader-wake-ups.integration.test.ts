import { expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { countWaiters, measureMs, openTestVerbs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const READERS = 40;
const WAIT = { kind: "read", waitMs: 20_000 } as const;

const it = locksTest().extend("remote", { scope: "file" }, async ({ env }, { onCleanup }) => {
  const proxy = await startTestProxy(env.redis.port);
  const verbs = await openTestVerbs(proxy.port);
  onCleanup(async () => {
    verbs.close();
    await proxy.stop();
  });
  return { proxy, ...verbs };
});

it("when a reader acquires the lock, all other waiting readers of its process try at once", async ({
  remote,
  acquire,
  locks,
  direct,
  key,
}) => {
  const writer = await acquire(key, "writer", { kind: "write" });
  const reading = Array.from({ length: READERS }, () => remote.acquire(key, "reader", WAIT));
  await waitUntil(async () => (await countWaiters(direct, key)) === READERS);
  const before = remote.proxy.countRequests("verbs");
  remote.proxy.getDelayMs = () => 20;
  await locks.release(writer);
  await Promise.all(reading);
  remote.proxy.getDelayMs = () => 0;
  // One after another, they would need a request each.
  expect(remote.proxy.countRequests("verbs") - before).toBeLessThan(READERS / 2);
});

it("a reader that receives its wake-up together with the grant of another reader tries at once", async ({
  remote,
  acquire,
  locks,
  direct,
  key,
}) => {
  const writer = await acquire(key, "writer", { kind: "write" });
  const reading = remote.acquire(key, "reader", WAIT);
  await waitUntil(async () => (await countWaiters(direct, key)) === 1);
  // Until the first notification arrives, a waiter polls.
  await locks.renew(writer, { leaseMs: 60_000 });
  remote.proxy.stall("wake");
  await locks.release(writer);
  await acquire(key, "other", { kind: "read" });
  remote.proxy.stall(undefined);
  expect((await measureMs(reading)).ms).toBeLessThan(1000);
});
