import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { catchLockError, getErrorCode, measureMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildLatchChannel } from "../../formats/redisson/redisson-keys.ts";

const it = locksTest()
  .extend("other", { scope: "file" }, async ({ env }) => (await env.openVerbs()).locks.latches)
  .extend(
    "waitForSubscribers",
    { scope: "file" },
    ({ direct }) =>
      (key: string, clients: number) =>
        waitUntil(async () => {
          const [, count] = (await direct.call("PUBSUB", "NUMSUB", String(buildLatchChannel(key)))) as [
            string,
            number,
          ];
          return count === clients;
        }),
  );

describe("a latch in the client library", () => {
  it("counts down to 0, and is then open", async ({ client, direct, key }) => {
    const latch = client.latch(key);
    expect(await latch.getCount()).toBe(0);
    await latch.await({ waitMs: 0 });
    expect(await latch.countDown()).toBe(0);
    expect(await direct.exists(key)).toBe(0);
    expect(await latch.trySetCount(2)).toBe(true);
    expect(await latch.trySetCount(5)).toBe(false);
    expect(await direct.get(key)).toBe("2");
    expect(await latch.countDown()).toBe(1);
    expect(await catchLockError(latch.await({ waitMs: 20 }))).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("count of 1"),
    });
    expect(await latch.countDown()).toBe(0);
    await latch.await({ waitMs: 0 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("opens for all waiters of all clients at once", async ({ client, other, waitForSubscribers, key }) => {
    const latch = client.latch(key);
    await latch.trySetCount(1);
    const waits = [1, 2, 3].flatMap(() => [latch.await(), other.wait(key, { waitMs: 20_000 })]);
    const opened = measureMs(Promise.all(waits));
    await waitForSubscribers(key, 2);
    await other.countDown(key);
    const { code, ms } = await opened;
    expect(code).toBe("ok");
    // Without a message, waiters retry after two seconds.
    expect(ms).toBeLessThan(1000);
  });

  it("a waiter sees that the latch was opened although a new count was set at once", async ({
    client,
    other,
    waitForSubscribers,
    key,
  }) => {
    const latch = client.latch(key);
    await latch.trySetCount(1);
    const waiting = other.wait(key, { waitMs: 20_000 });
    await waitForSubscribers(key, 1);
    await Promise.all([latch.countDown(), latch.trySetCount(7)]);
    expect(await waiting).toMatchObject({ count: 0 });
    expect(await getErrorCode(latch.await({ waitMs: 20 }))).toBe("timeout");
  });

  it("a wait ends with its signal and when the client is closed", async ({
    env,
    waitForSubscribers,
    key,
  }) => {
    const client = await env.openClient();
    const latch = client.latch(key);
    await latch.trySetCount(1);
    const leave = new AbortController();
    const [first, second] = [latch.await({ signal: leave.signal }), latch.await()].map(getErrorCode);
    await waitForSubscribers(key, 1);
    leave.abort();
    expect(await first).toBe("aborted");
    client.close();
    expect(await second).toBe("aborted");
    expect(await getErrorCode(latch.countDown())).toBe("unavailable");
  });
});

describe("requests for a latch", () => {
  it("a repeated request counts once, also from another client", async ({ locks, other, key }) => {
    const [set, down] = [{ requestId: randomUUID() }, { requestId: randomUUID() }];
    for (const latches of [locks.latches, other])
      expect(await latches.trySetCount(key, 3, set)).toMatchObject({ isSet: true, count: 3 });
    for (const latches of [locks.latches, other])
      expect(await latches.countDown(key, down)).toMatchObject({ count: 2 });
    expect(await getErrorCode(other.countDown(key, set))).toBe("idempotency_key_reused");
    expect(await other.countDown(key, { ...down, principal: "key_1" })).toMatchObject({ count: 1 });
  });

  it("other data is not a latch, and is not changed", async ({ locks, direct, key }) => {
    const plants = {
      a: () => direct.set(`${key}:a`, "abc"),
      b: () => direct.hset(`${key}:b`, "a", 1),
      c: () => direct.set(`${key}:c`, 0),
      d: () => direct.set(`${key}:d`, 3, "EX", 100),
      e: () => direct.multi().set(`${key}:e`, 3).zadd(`{${key}:e}:timeout`, 1, Buffer.alloc(16)).exec(),
    };
    for (const [name, plant] of Object.entries(plants)) {
      await plant();
      const before = String(await direct.dumpBuffer(`${key}:${name}`));
      const latch = `${key}:${name}`;
      const code = name === "e" ? "kind_conflict" : "not_a_lock";
      expect(await getErrorCode(locks.latches.countDown(latch))).toBe(code);
      expect(await getErrorCode(locks.latches.trySetCount(latch, 2))).toBe(code);
      expect(await getErrorCode(locks.latches.wait(latch, { waitMs: 50 }))).toBe(code);
      expect(String(await direct.dumpBuffer(latch))).toBe(before);
    }
    for (const count of [0, 1.5, -1, 1e10])
      expect(await getErrorCode(locks.latches.trySetCount(key, count))).toBe("invalid");
  });
});
