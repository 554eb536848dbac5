import { describe, expect } from "vitest";
import type { ReleaseRequest } from "../../../lib/client/release-requests.ts";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import { locksTest } from "../../../test/support/fixtures.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { catchLockError, readCompanion, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Hold } from "./hold.ts";
import { LockClient } from "./lock-client.ts";

const FORMATS: readonly WritableFormat[] = ["redisson", "token", "timestamp"];

const it = locksTest()
  .extend("waitUntilDeclared", { scope: "file" }, ({ direct }) => async (key: string) => {
    await waitUntil(async () => (await readCompanion(direct, key))?.receivesReleaseRequests === true);
  })
  .extend("request", { scope: "file" }, ({ locks, direct }) => async (key: string, reason = "migration") => {
    const seen = await observeHeldLock(direct, key);
    return (await locks.requestRelease(seen, seen.holders[0], { by: "mei", reason })).outcome;
  })
  .extend("readRequest", { scope: "file" }, ({ direct }) => async (key: string) => {
    return (await readCompanion(direct, key))?.releaseRequested;
  });

function collectRequests(hold: Hold): ReleaseRequest[] {
  const requests: ReleaseRequest[] = [];
  hold.onReleaseRequested((request) => requests.push(request));
  return requests;
}

describe("hold.onReleaseRequested", () => {
  it.for(FORMATS)(
    "a request arrives long before the next renewal, once, and is answered (%s)",
    async (format, { client, request, readRequest, waitUntilDeclared, key }) => {
      const hold = await client.acquire(key, { format, leaseMs: 30_000, record: { service: "orders" } });
      expect(await request(key)).toBe("unsupported");
      const requests = collectRequests(hold);
      await waitUntilDeclared(key);
      expect(await request(key)).toBe("requested");
      // The next renewal is due after 10 s.
      await waitUntil(() => requests.length === 1, 5000);
      expect(requests[0]).toMatchObject({ requestedBy: "mei", reason: "migration" });
      await hold.renew();
      const inner = await hold.reenter();
      await requests[0]?.accept("after this batch");
      expect(await readRequest(key)).toMatchObject({ state: "accepted", answerText: "after this batch" });
      const late = await catchLockError(requests[0]?.refuse("no") ?? Promise.resolve());
      expect(late.code).toBe("changed");
      expect(hold.state).toBe("held");
      await inner.release();
      await hold.release();
      expect(requests).toHaveLength(1);
      const lost = await catchLockError(requests[0]?.accept() ?? Promise.resolve());
      expect(lost.code).toBe("lost");
    },
  );

  it("after a refusal, the next request arrives", async ({
    client,
    request,
    readRequest,
    waitUntilDeclared,
    key,
  }) => {
    const hold = await client.acquire(key);
    const requests = collectRequests(hold);
    await waitUntilDeclared(key);
    await request(key);
    await waitUntil(() => requests.length === 1);
    await requests[0]?.refuse("2 minutes");
    expect(await readRequest(key)).toMatchObject({ state: "refused", answerText: "2 minutes" });
    await request(key, "it is urgent");
    await waitUntil(() => requests.length === 2);
    expect(requests[1]?.reason).toBe("it is urgent");
    expect((await catchLockError(requests[0]?.refuse("2 minutes") ?? Promise.resolve())).code).toBe(
      "changed",
    );
    await hold.release();
  });

  it("an error of the listener does not disturb the hold", async ({
    client,
    request,
    waitUntilDeclared,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 2400 });
    const thrown: unknown[] = [];
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", (error) => thrown.push(error));
    hold.onReleaseRequested(() => {
      throw new Error("of the listener");
    });
    await waitUntilDeclared(key);
    await request(key);
    await waitUntil(() => thrown.length === 1);
    for (const listener of others) process.on("uncaughtException", listener);
    const { asOf } = hold;
    await waitUntil(() => hold.asOf > asOf + 1000);
    hold.assertHeld();
    await hold.release();
  });

  it("a request whose message was lost arrives with the next renewal of the watchdog", async ({
    env,
    request,
    waitUntilDeclared,
    key,
  }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const hold = await far.acquire(key, { leaseMs: 3000 });
    const requests = collectRequests(hold);
    await waitUntilDeclared(key);
    proxy.stall("wake");
    await request(key);
    await sleepMs(100);
    expect(requests).toEqual([]);
    // Discards what was sent on the stalled connection.
    proxy.cut();
    proxy.stall(undefined);
    await waitUntil(() => requests.length === 1, 5000);
    await hold.release();
    far.close();
    await proxy.stop();
  });

  it("withLock ends when its work accepts and returns", async ({
    client,
    request,
    waitUntilDeclared,
    direct,
    key,
  }) => {
    const work = client.withLock(key, async (hold) => {
      const asked = new Promise<string>((resolve) => {
        hold.onReleaseRequested(async ({ accept, reason }) => {
          await accept();
          resolve(reason);
        });
      });
      return await asked;
    });
    await waitUntilDeclared(key);
    await request(key);
    expect(await work).toBe("migration");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a listener is refused after the hold has ended, and if it is not a function", async ({
    client,
    key,
  }) => {
    const hold = await client.acquire(key);
    // @ts-expect-error: as from JavaScript
    expect(() => hold.onReleaseRequested("log")).toThrow("The listener must be a function.");
    await hold.release();
    expect(() => hold.onReleaseRequested(() => undefined)).toThrow("it was released");
  });
});
