import { describe, expect } from "vitest";
import { createTakePermits, semaphoreTest } from "../../../test/support/semaphore-fixture.ts";
import { catchLockError, getErrorCode, measureMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { waitForWaiters } from "../../../test/support/wait-for-waiters.ts";
import { buildSemaphoreChannel } from "../../formats/redisson/redisson-keys.ts";

const it = semaphoreTest();
const WAIT = { waitMs: 20_000 };

describe("waiting for permits", () => {
  it("a waiter for many permits is served before clients that ask later for fewer", async ({
    take,
    other,
    locks,
    direct,
    key,
  }) => {
    const holds = [await take(key, 1, { limit: 3 }), await take(key), await take(key)] as const;
    const many = other(key, 3, WAIT);
    await waitForWaiters(direct, key, 1);
    const order: string[] = [];
    const few = take(key, 1, WAIT);
    void many.then(() => order.push("many"));
    void few.then(() => order.push("few"));
    await waitForWaiters(direct, key, 2);
    await locks.release(holds[0]);
    await locks.release(holds[1]);
    expect(await catchLockError(take(key))).toMatchObject({
      code: "held",
      message: expect.stringContaining("has waited longer"),
      facts: { permits: { available: 2, total: 3 } },
    });
    await locks.release(holds[2]);
    await locks.release(await many);
    await few;
    expect(order).toEqual(["many", "few"]);
  });

  it("waiters of several clients are served in the order in which they began to wait, also after one was served", async ({
    env,
    take,
    locks,
    direct,
    key,
  }) => {
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => createTakePermits((await env.openVerbs()).locks)),
    );
    const hold = await take(key, 5, { limit: 5 });
    const served: bigint[] = [];
    const waiting: Promise<unknown>[] = [];
    for (const [n, client] of clients.entries()) {
      waiting.push(
        client(key, 1, WAIT).then(({ fence }) => {
          served[n] = BigInt(fence);
        }),
      );
      await waitForWaiters(direct, key, n + 1);
    }
    // Without a claim, the first client that tries decides whose turn it is. All try at once.
    await direct.del(`lockkeeper:turn:{${key}}`);
    await locks.release(hold);
    await Promise.all(waiting);
    expect(served).toEqual(served.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  it("a client that has not waited does not overtake a waiter between two turns", async ({
    take,
    other,
    locks,
    direct,
    key,
  }) => {
    const hold = await take(key, 2, { limit: 3 });
    const many = other(key, 2, WAIT);
    await waitForWaiters(direct, key, 1);
    await direct.del(`lockkeeper:turn:{${key}}`);
    expect(await catchLockError(take(key))).toMatchObject({
      code: "held",
      message: expect.stringContaining("has waited longer"),
    });
    await locks.release(hold);
    await locks.release(await many);
    await locks.release(await take(key));
  });

  it("waiters of a process that makes no attempts delay the others by up to five seconds", async ({
    take,
    locks,
    direct,
    key,
  }) => {
    await take(key, 1, { limit: 2 });
    const [seconds = 0] = (await direct.time()).map(Number);
    const turns = `lockkeeper:turns:{${key}}`;
    const addWaiter = async (triedMs: number) =>
      await direct.hset(turns, { "w:gone": "1\t9007199254740991\tdead\t", "p:dead": Math.round(triedMs) });
    await addWaiter(seconds * 1000 - 6000);
    await locks.release(await take(key));
    expect(await direct.exists(turns)).toBe(0);
    // The attempt of this waiter is in the future, as if the clock of the server had been set back.
    await addWaiter(seconds * 1000 + 60_000);
    await locks.release(await take(key));
    expect(await direct.exists(turns)).toBe(0);
    await direct.hset(turns, { "w:over": "1\t2\tdead\t", "w:claimed": "1\t9007199254740991\tdead\tclaimed" });
    await direct.hset(turns, { "p:dead": seconds * 1000 });
    await locks.release(await take(key));
    expect(await direct.hkeys(turns)).toEqual(["p:dead"]);
    await addWaiter(seconds * 1000);
    expect(await getErrorCode(take(key))).toBe("held");
    const { code, ms } = await measureMs(take(key, 1, WAIT));
    expect(code).toBe("ok");
    expect(ms).toBeLessThan(6500);
  });

  it("a waiter that left without a trace delays the others once, although its process lives", async ({
    take,
    other,
    locks,
    direct,
    key,
  }) => {
    const hold = await take(key, 1, { limit: 1 });
    const waiting = other(key, 1, WAIT);
    await waitForWaiters(direct, key, 1);
    const turns = `lockkeeper:turns:{${key}}`;
    const process = (await direct.hkeys(turns)).find((field) => field.startsWith("p:")) ?? "";
    await direct.hset(turns, { "w:gone": `1\t9007199254740991\t${process.slice(2)}\t` });
    await direct.del(`lockkeeper:turn:{${key}}`);
    await locks.release(hold);
    const { code, ms } = await measureMs(waiting);
    expect(code).toBe("ok");
    expect(ms).toBeLessThan(6500);
    expect(await direct.hexists(turns, "w:gone")).toBe(0);
  });

  it("two waiters of a client that asked in the same millisecond do not give way to each other", async ({
    take,
    locks,
    direct,
    key,
  }) => {
    // Whether two calls share a millisecond is random, so the test uses several pairs.
    const pairs = Array.from({ length: 20 }, async (_, n) => {
      const name = `${key}:${n}`;
      const hold = await take(name, 3, { limit: 3 });
      const waiting = ["b", "a"].map((id) => take(name, 2, { waitMs: 4000, requestId: `${id}-${name}` }));
      await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${name}}`)) === 2);
      await locks.release(hold);
      // A claim lasts for five seconds. If the two waits blocked each other, both would time out before that.
      await Promise.all(waiting.map(async (each) => locks.release(await each)));
    });
    await Promise.all(pairs);
  });

  it("waiters of several clients are served together if enough permits are available", async ({
    take,
    other,
    locks,
    direct,
    key,
  }) => {
    const hold = await take(key, 4, { limit: 4 });
    const waiting: Promise<unknown>[] = [];
    for (const each of [take, other, take, other]) {
      waiting.push(each(key, 1, WAIT));
      await waitForWaiters(direct, key, waiting.length);
    }
    const served = measureMs(Promise.all(waiting));
    await locks.release(hold);
    const { code, ms } = await served;
    expect(code).toBe("ok");
    // Without a message, waiters retry after two seconds.
    expect(ms).toBeLessThan(1000);
  });

  it("a waiter that gives up lets the next one in at once", async ({ take, other, direct, key }) => {
    await take(key, 2, { limit: 3 });
    const leave = new AbortController();
    const first = getErrorCode(other(key, 2, { ...WAIT, signal: leave.signal }));
    await waitForWaiters(direct, key, 1);
    const second = measureMs(take(key, 1, WAIT));
    await waitForWaiters(direct, key, 2);
    leave.abort();
    expect(await first).toBe("aborted");
    const { code, ms } = await second;
    expect(code).toBe("ok");
    expect(ms).toBeLessThan(1000);
  });

  it("the claim of a dead waiter ends by itself", async ({ take, direct, key }) => {
    await take(key, 1, { limit: 2 });
    await direct.set(`lockkeeper:turn:{${key}}`, "1\tgone", "PX", 100);
    expect(await getErrorCode(take(key))).toBe("held");
    expect((await take(key, 1, WAIT)).count).toBe(1);
  });

  it("acquires the permits of a client that died when they expire, without any message", async ({
    take,
    other,
    key,
  }) => {
    await take(key, 1, { limit: 2, leaseMs: 20_000 });
    await take(key, 1, { leaseMs: 300 });
    const { code, ms } = await measureMs(other(key, 1, WAIT));
    expect(code).toBe("ok");
    expect(ms).toBeLessThan(1000);
  });

  it("each release states how many permits are available", async ({ take, locks, redisMessages, key }) => {
    const messages = await redisMessages(String(buildSemaphoreChannel(key)));
    const [two, one] = [await take(key, 2, { limit: 3 }), await take(key)];
    await locks.release(one);
    await locks.release(two);
    // The first message is about the new semaphore.
    await expect.poll(() => messages).toEqual(["1", "1", "3"]);
  });

  it("a wait that times out reports the permits, and leaves no keys", async ({ take, direct, key }) => {
    await take(key, 2, { limit: 2 });
    const refusal = await catchLockError(take(key, 1, { waitMs: 50 }));
    expect(refusal).toMatchObject({ code: "timeout", facts: { permits: { available: 0, total: 2 } } });
    await waitForWaiters(direct, key, 0);
    await waitUntil(async () => (await direct.exists(`lockkeeper:turn:{${key}}`)) === 0);
  });
});
