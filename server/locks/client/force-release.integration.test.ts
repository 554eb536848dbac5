import { describe, expect } from "vitest";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import { locksTest } from "../../../test/support/fixtures.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { catchLockError, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockClient } from "./lock-client.ts";

const FORMATS: readonly WritableFormat[] = ["redisson", "token", "timestamp"];
const MEI = { holder: undefined, by: "mei", reason: "stuck" };

const it = locksTest().extend(
  "forceRelease",
  { scope: "file" },
  ({ locks, direct }) =>
    async (key: string) => {
      const seen = await observeHeldLock(direct, key);
      expect((await locks.forceRelease(seen, MEI)).outcome).toBe("released");
    },
);

describe("force-release", () => {
  it.for(FORMATS)(
    "a force-release reaches the signal of the hold long before the next renewal (%s)",
    async (format, { client, forceRelease, key }) => {
      const hold = await client.acquire(key, { format, leaseMs: 30_000 });
      const inner = await hold.reenter();
      await forceRelease(key);
      // The next renewal is due after 10 s.
      await waitUntil(() => hold.signal.aborted, 5000);
      expect(hold.signal.reason).toMatchObject({
        code: "lost",
        message: expect.stringMatching(/force-released/),
      });
      expect(inner.state).toBe("lost");
      expect((await hold.release()).outcome).toBe("not_held");
    },
  );

  it("withLock rejects after a force-release, and a nested call acquires the lock again", async ({
    client,
    forceRelease,
    key,
  }) => {
    const fences: string[] = [];
    const work = client.withLock(key, async (outer) => {
      await forceRelease(key);
      // The nested call must succeed both before and after the client receives the force-release message.
      await client.withLock(key, { reentrant: true }, async (inner) => {
        fences.push(outer.fence, inner.fence);
        expect(inner.count).toBe(1);
      });
    });
    expect((await catchLockError(work)).code).toBe("lost");
    expect(fences[0]).not.toBe(fences[1]);
  });

  it("only the hold that was released is lost", async ({ client, forceRelease, key }) => {
    const [one, two] = await Promise.all([client.acquire(key), client.acquire(`${key}:two`)]);
    await forceRelease(key);
    await waitUntil(() => one.signal.aborted);
    two.assertHeld();
    await two.renew();
    await two.release();
  });

  it("each client subscribes to its own channel once, however many holds it has", async ({
    env,
    direct,
    key,
  }) => {
    const countChannels = async () => (await direct.pubsub("CHANNELS", "lockkeeper:client:*")).length;
    const before = await countChannels();
    const client = await env.openClient();
    const holds = [await client.acquire(key), await client.acquire(`${key}:two`)];
    const [channel] = holds.map(({ token }) => `lockkeeper:client:${token.slice(0, 36)}`);
    await waitUntil(async () => (await countChannels()) === before + 1);
    expect(await direct.pubsub("NUMSUB", String(channel))).toEqual([channel, 1]);
    for (const hold of holds) await hold.release();
  });

  it("a force-release while the subscription is down is found when it is made again", async ({
    env,
    forceRelease,
    key,
  }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    // After a subscription, the client checks its holds once more. The check must be finished before the subscription
    // is stalled.
    const first = await far.acquire(`${key}:first`, { leaseMs: 30_000 });
    await forceRelease(first.key);
    await waitUntil(() => first.signal.aborted, 5000);
    const hold = await far.acquire(key, { leaseMs: 30_000 });
    // Holds back all data that Redis sends on the connection "wake" until that connection is cut.
    proxy.stall("wake");
    await forceRelease(key);
    await sleepMs(100);
    expect(hold.state).toBe("held");
    proxy.cut();
    proxy.stall(undefined);
    await waitUntil(() => hold.signal.aborted, 5000);
    far.close();
    await proxy.stop();
  });
});
