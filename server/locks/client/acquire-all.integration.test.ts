import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { catchLockError, createTestKey, getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LostError } from "../../errors/lock-errors.ts";

const it = locksTest().extend("keys", () => ["b", "a"].map((name) => createTestKey(`lock:${name}`)));

describe("client.acquireAll", () => {
  it("returns one group, whose holds are renewed beyond their lease and released together", async ({
    client,
    direct,
    keys,
  }) => {
    const group = await client.acquireAll(keys, { leaseMs: 1000 });
    expect(group.holds.map(({ key }) => key)).toEqual(keys);
    expect(group.remainingMs()).toBeGreaterThan(0);
    const [fence = ""] = group.holds.map((hold) => hold.fence);
    expect(group.getHold(keys[0] ?? "")?.fence).toBe(fence);
    const firstDeadline = performance.now() + 1000;
    await waitUntil(async () => performance.now() > firstDeadline + 200);
    group.assertHeld();
    expect(await direct.exists(...keys)).toBe(2);
    expect(await group.release()).toMatchObject([{ outcome: "released" }, { outcome: "released" }]);
    expect(group.state).toBe("released");
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("the loss of one hold aborts the signal of the group, and the others can still be released", async ({
    client,
    direct,
    keys,
  }) => {
    const [first = "", second = ""] = keys;
    const group = await client.acquireAll(keys, { leaseMs: 3000 });
    await direct.del(second);
    await waitUntil(async () => group.signal.aborted);
    expect(group.signal.reason).toBeInstanceOf(LostError);
    expect(group).toMatchObject({ state: "lost", loss: { facts: { key: second } } });
    expect(() => group.assertHeld()).toThrow(LostError);
    expect(group.getHold(first)?.state).toBe("held");
    await group.release();
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("a held lock refuses all, also with retries, and is waited for with waitMs", async ({
    client,
    direct,
    keys,
  }) => {
    const [first = "", second = ""] = keys;
    const hold = await client.acquire(second);
    const error = await catchLockError(client.acquireAll(keys, { retry: { tries: 2, pauseMs: 10 } }));
    expect(error).toMatchObject({ code: "held", facts: { key: second } });
    expect(await direct.exists(first)).toBe(0);
    const waiting = client.acquireAll(keys, { waitMs: Number.POSITIVE_INFINITY });
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${second}}`)) === 1);
    await hold.release();
    await (await waiting).release();
  });

  it("wrong arguments are refused", async ({ client, key }) => {
    const wrong: unknown[] = ["lock:a", [key, 7], [], [key, key]];
    for (const keys of wrong) expect(await getErrorCode(client.acquireAll(keys as string[]))).toBe("invalid");
    expect(await getErrorCode(client.acquireAll([key], { reentrant: true } as object))).toBe("invalid");
  });

  it("a client that is closed while it waits acquires nothing", async ({ env, client, direct, keys }) => {
    const [, second = ""] = keys;
    await client.acquire(second);
    const other = await env.openClient();
    const waiting = getErrorCode(other.acquireAll(keys, { waitMs: 20_000 }));
    await waitUntil(async () => (await direct.zcard(`lockkeeper:waiters:{${second}}`)) === 1);
    other.close();
    expect(await waiting).toBe("unavailable");
  });
});

describe("client.withLocks", () => {
  it("runs the work while all locks are held, and releases them", async ({ client, direct, keys }) => {
    const held = await client.withLocks(keys, async (group) => {
      group.assertHeld();
      return await direct.exists(...keys);
    });
    expect(held).toBe(2);
    expect(await direct.exists(...keys)).toBe(0);
    const failure = new Error("mine");
    await expect(client.withLocks(keys, { leaseMs: 5000 }, () => Promise.reject(failure))).rejects.toBe(
      failure,
    );
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("rejects with the loss if one hold was lost, even if the work returned", async ({
    client,
    direct,
    keys,
  }) => {
    const result = client.withLocks(keys, { leaseMs: 400 }, async ({ signal }) => {
      await direct.del(keys[0] ?? "");
      await waitUntil(async () => signal.aborted);
    });
    await expect(result).rejects.toBeInstanceOf(LostError);
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("a nested withLock re-enters each of its locks, and a nested acquireAll is refused", async ({
    client,
    keys,
  }) => {
    await client.withLocks(keys, async () => {
      for (const key of keys)
        expect(await client.withLock(key, { reentrant: true }, async ({ count }) => count)).toBe(2);
      const error = await catchLockError(client.acquireAll([...keys, createTestKey()]));
      expect(error).toMatchObject({ code: "held", facts: { heldByCaller: true } });
    });
  });
});
