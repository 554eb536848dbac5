import { describe, expect } from "vitest";
import { conditionTest } from "../../../test/support/condition-fixture.ts";
import { catchLockError, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildConditionKeys } from "../../formats/condition-keys.ts";
import { readDetails } from "../../formats/registry/read-details.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";

const it = conditionTest();

const WAIT = { waitMs: 20_000 };

describe("a condition in the client library", () => {
  it("await gives the lock up with its whole count and gets it back with the same count", async ({
    client,
    other,
    direct,
    waitForWaiters,
    key,
  }) => {
    const outer = await client.acquire(key, {
      owner: "consumer",
      record: { purpose: "consume" },
      leaseMs: 45_000,
    });
    const inner = await outer.reenter();
    const before = { token: outer.token, fence: outer.fence, holdId: outer.holdId };
    const awaited = inner.condition("filled").await();
    await waitForWaiters(key, 1);
    expect([outer.state, inner.state]).toEqual(["waiting", "waiting"]);
    expect(await getErrorCode(Promise.resolve().then(() => outer.assertHeld()))).toBe("lost");
    expect(outer.signal.aborted).toBe(false);

    const signaller = await other.acquire(key, WAIT);
    expect(await signaller.condition("filled").signal()).toBe(true);
    expect(await signaller.condition("filled").signal()).toBe(false);
    expect(outer.state).toBe("waiting");
    await signaller.release();

    expect(await awaited).toBe(true);
    expect([outer.state, inner.state]).toEqual(["held", "held"]);
    expect(await direct.hgetall(key)).toEqual({ [outer.token]: "2" });
    expect(Number(outer.fence)).toBeGreaterThan(Number(signaller.fence));
    expect(outer.token).not.toBe(before.token);
    expect(outer.holdId).not.toBe(before.holdId);
    expect(inner).toMatchObject({ token: outer.token, leaseMs: 45_000, owner: "consumer" });
    const [seen] = await readDetails(direct, await readKeys(direct, [key]));
    expect(seen).toMatchObject({
      state: "held",
      holders: [{ owner: "consumer", count: 2, leaseMs: 45_000, record: { purpose: "consume" } }],
    });
    expect(await inner.release()).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await outer.release()).toMatchObject({ outcome: "released" });
    expect(await direct.exists(buildConditionKeys(key).map(String))).toBe(0);
  });

  it("the watchdog does not renew a hold that waits, and renews it again afterwards", async ({
    client,
    other,
    waitForWaiters,
    key,
  }) => {
    const hold = await client.acquire(key, { leaseMs: 1000 });
    const awaited = hold.condition("c").await();
    await waitForWaiters(key, 1);
    await sleepMs(1500);
    expect(hold.state).toBe("waiting");
    await other.withLock(key, WAIT, async (signaller) => void (await signaller.condition("c").signal()));
    await awaited;
    await sleepMs(1500);
    hold.assertHeld();
    expect(await hold.release()).toMatchObject({ outcome: "released" });
  });

  it("signals wake clients in the order in which they began to wait, and signalAll wakes all", async ({
    client,
    other,
    waitForWaiters,
    key,
  }) => {
    const order: number[] = [];
    const start = async (index: number) => {
      const hold = await (index % 2 === 0 ? client : other).acquire(key, WAIT);
      await hold.condition("c").await();
      order.push(index);
      await hold.release();
    };
    const waits: Promise<void>[] = [];
    for (let index = 0; index < 6; index++) {
      waits.push(start(index));
      await waitForWaiters(key, index + 1);
    }
    for (let index = 0; index < 3; index++) {
      await client.withLock(key, WAIT, async (hold) => {
        expect(await hold.condition("other").signal()).toBe(false);
        expect(await hold.condition("c").signal()).toBe(true);
      });
      await waits[index];
    }
    await client.withLock(key, WAIT, async (hold) => {
      expect(await hold.condition("c").signalAll()).toBe(3);
      expect(await hold.condition("c").signalAll()).toBe(0);
    });
    await Promise.all(waits);
    expect(order.slice(0, 3)).toEqual([0, 1, 2]);
    // Within one process, a release can hand over the lock, so the order of these clients is not fixed.
    expect(order.slice(3).sort()).toEqual([3, 4, 5]);
  });

  it("after waitMs without a signal, await returns false with the lock", async ({ client, other, key }) => {
    const hold = await client.acquire(key, { leaseMs: 5000 });
    expect(await hold.condition("c").await({ waitMs: 50 })).toBe(false);
    hold.assertHeld();
    const late = hold.condition("c").await({ waitMs: 50 });
    const busy = await other.acquire(key, WAIT);
    await sleepMs(200);
    expect(hold.state).toBe("waiting");
    await busy.release();
    expect(await late).toBe(false);
    hold.assertHeld();
    await hold.release();
  });

  it("after reacquireMs without the lock, await fails, and its signal passes to the next client", async ({
    client,
    other,
    waitForWaiters,
    key,
  }) => {
    const [first, second] = [await client.acquire(key), client.acquire(key, WAIT)] as const;
    const timed = catchLockError(first.condition("c").await({ reacquireMs: 100 }));
    const next = (await second).condition("c").await();
    await waitForWaiters(key, 2);
    const signaller = await other.acquire(key, WAIT);
    expect(await signaller.condition("c").signal()).toBe(true);
    await waitForWaiters(key, 1);
    expect(await timed).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("Nothing is held"),
    });
    expect(first.state).toBe("lost");
    await waitForWaiters(key, 0);
    await signaller.release();
    expect(await next).toBe(true);
    await (await second).release();
    expect(await first.release()).toMatchObject({ outcome: "not_held" });
  });

  it("an aborted wait ends without the lock, before and after its signal", async ({
    client,
    other,
    waitForWaiters,
    key,
  }) => {
    const abort = new AbortController();
    const first = await client.acquire(key);
    const waiting = catchLockError(first.condition("c").await({ signal: abort.signal }));
    await waitForWaiters(key, 1);
    abort.abort(new Error("shutdown"));
    expect(await waiting).toMatchObject({
      code: "aborted",
      cause: expect.objectContaining({ message: "shutdown" }),
    });
    expect(first.state).toBe("lost");
    expect(first.signal.aborted).toBe(true);
    await waitForWaiters(key, 0);

    const late = new AbortController();
    const [one, two] = [await client.acquire(key), client.acquire(key, WAIT)] as const;
    const cancelled = catchLockError(one.condition("c").await({ signal: late.signal }));
    const passed = (await two).condition("c").await();
    await waitForWaiters(key, 2);
    const signaller = await other.acquire(key, WAIT);
    await signaller.condition("c").signal();
    late.abort();
    expect(await cancelled).toMatchObject({ code: "aborted" });
    await waitForWaiters(key, 0);
    await signaller.release();
    expect(await passed).toBe(true);
    await (await two).release();
  });

  it("a release while the hold waits cancels the wait", async ({ client, waitForWaiters, direct, key }) => {
    const hold = await client.acquire(key);
    const waiting = getErrorCode(hold.condition("c").await());
    await waitForWaiters(key, 1);
    expect(await hold.release()).toMatchObject({ outcome: "not_held" });
    expect(await waiting).toBe("aborted");
    await waitForWaiters(key, 0);
    expect(await direct.exists(key)).toBe(0);
  });

  it("close ends the waits of a client, and another one gets the signal", async ({
    env,
    client,
    waitForWaiters,
    key,
  }) => {
    const closing = await env.openClient();
    const first = await closing.acquire(key);
    const closed = getErrorCode(first.condition("c").await());
    await waitForWaiters(key, 1);
    closing.close();
    expect(await closed).toBe("aborted");
    const hold = await client.acquire(key, WAIT);
    const next = hold.condition("c").await();
    await waitForWaiters(key, 2);
    // Redis still lists the first client as a waiter.
    await client.withLock(key, WAIT, async (signaller) => void (await signaller.condition("c").signal()));
    expect(await next).toBe(true);
    await hold.release();
  });

  it("a lost hold is refused, and a refused await leaves the hold as it is", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key);
    await direct.del(key);
    expect(await getErrorCode(hold.condition("c").signal())).toBe("lost");
    expect(hold.state).toBe("lost");
    const other = await client.acquire(key);
    await direct.del(key);
    expect(await getErrorCode(other.condition("c").await())).toBe("lost");
    expect(other.state).toBe("lost");

    const writer = await client.acquire(key, { kind: "write" });
    expect(await catchLockError(writer.condition("c").await())).toMatchObject({
      code: "condition_unsupported",
    });
    expect(writer.state).toBe("held");
    expect(await getErrorCode(writer.condition("c").signal())).toBe("condition_unsupported");
    await writer.release();
    for (const options of [{ format: "token" }, { minHoldMs: 10 }] as const) {
      const each = await client.acquire(key, options);
      expect(await getErrorCode(each.condition("c").await())).toBe("condition_unsupported");
      expect(each.state).toBe("held");
      await each.release();
      await waitUntil(async () => (await direct.exists(key)) === 0);
    }
  });

  it("withLock holds the lock again after await, and fails with the error of a lost wait", async ({
    client,
    other,
    waitForWaiters,
    direct,
    key,
  }) => {
    const work = client.withLock(key, async () => {
      return await client.withLock(key, { reentrant: true }, async (hold) => {
        await hold.condition("c").await();
        return await direct.hget(key, hold.token);
      });
    });
    await waitForWaiters(key, 1);
    await other.withLock(key, WAIT, async (hold) => void (await hold.condition("c").signal()));
    expect(await work).toBe("2");
    const abort = new AbortController();
    const failed = catchLockError(
      client.withLock(key, async (hold) => await hold.condition("c").await({ signal: abort.signal })),
    );
    await waitForWaiters(key, 1);
    abort.abort();
    expect(await failed).toMatchObject({ code: "aborted" });
  });

  it.for(["", "a b", "a:b", "x".repeat(65)])("the name %j is invalid", async (name, { client, key }) => {
    const hold = await client.acquire(key);
    expect(() => hold.condition(name)).toThrow(expect.objectContaining({ code: "invalid" }));
    await hold.release();
  });
});
