import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import {
  catchLockError,
  countScriptCalls,
  countWaiters,
  createTestKey,
  getErrorCode,
  readCompanion,
  sleepMs,
  WRITABLE_FORMATS,
} from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { waitForWaiters } from "../../../test/support/wait-for-waiters.ts";
import type { Grant } from "./contract/grant.ts";

const it = locksTest().extend("keys", () => ["c", "a", "b"].map((name) => createTestKey(`lock:${name}`)));

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, ...more });
const toKeys = (grants: readonly Grant[]) => grants.map(({ key }) => key);

describe.each(WRITABLE_FORMATS)("several free locks (%s)", (format) => {
  it("all are acquired by one script, in the order of the request, each with its own token and fencing token", async ({
    locks,
    direct,
    keys,
  }) => {
    await locks.acquireAll([createTestKey()], ask("warm-up", { format }));
    const before = await countScriptCalls(direct);
    const { grants, isReplayed } = await locks.acquireAll(keys, ask("me", { format }));
    expect((await countScriptCalls(direct)) - before).toBe(1);
    expect(isReplayed).toBe(false);
    expect(toKeys(grants)).toEqual(keys);
    expect(new Set(grants.map(({ token }) => token)).size).toBe(3);
    for (const grant of grants) {
      expect(grant).toMatchObject({ owner: "me", count: 1, leaseMs: 30_000, format });
      expect(await locks.verify(grant)).toMatchObject({ held: true, fence: grant.fence });
      expect(await locks.release(grant)).toMatchObject({ outcome: "released" });
    }
  });

  it("a held lock refuses all, is named in the error, and the others are untouched", async ({
    acquire,
    locks,
    direct,
    keys,
  }) => {
    const held = keys[2] ?? "";
    await acquire(held, "you", { format });
    const error = await catchLockError(locks.acquireAll(keys, ask("me", { format })));
    expect(error).toMatchObject({ code: "held", facts: { key: held, holders: [{ owner: "you" }] } });
    const others = keys.filter((key) => key !== held);
    expect(await direct.exists(...others)).toBe(0);
    expect(await Promise.all(others.map((key) => readCompanion(direct, key)))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("a repeated request id returns the same holds", async ({ locks, keys }) => {
    const options = ask("me", { format, requestId: randomUUID() });
    const first = await locks.acquireAll(keys, options);
    const again = await locks.acquireAll([...keys].reverse(), options);
    expect(again.isReplayed).toBe(true);
    const toIds = (grants: readonly Grant[]) =>
      grants.map(({ key, token, fence }) => ({ key, token, fence }));
    expect(toIds(again.grants)).toEqual(toIds(first.grants).reverse());
    expect(await getErrorCode(locks.acquireAll(keys.slice(1), options))).toBe("idempotency_key_reused");
    await locks.release(first.grants[1] ?? failMissing());
    expect(await getErrorCode(locks.acquireAll(keys, options))).toBe("lost");
  });

  it("abandoned holds are withdrawn, and the same request id acquires nothing later", async ({
    locks,
    direct,
    keys,
  }) => {
    const group = await locks.acquireAll(keys, ask("me", { format }));
    group.abandon();
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
  });
});

function failMissing(): never {
  throw new Error("a grant is missing");
}

describe("invalid requests", () => {
  it("the same key twice, no key, too many keys and a key that may not be locked change nothing", async ({
    locks,
    direct,
    key,
  }) => {
    const many = Array.from({ length: 33 }, () => createTestKey());
    const codes = [[key, key], [], many, [key, "config:x"], [key, ""]].map((keys) =>
      getErrorCode(locks.acquireAll(keys, ask("me"))),
    );
    expect(await Promise.all(codes)).toEqual([
      ...["invalid", "invalid", "invalid", "key_not_allowed", "key_not_allowed"],
    ]);
    expect(await direct.exists(key, ...many)).toBe(0);
    expect(await getErrorCode(locks.acquireAll(many.slice(1), ask("me")))).toBe("ok");
  });

  it("other data in one key refuses all at once, even if another lock is held", async ({
    acquire,
    locks,
    direct,
    keys,
  }) => {
    const [held = "", data = "", free = ""] = [...keys].sort();
    await acquire(held, "you");
    await direct.rpush(data, "job");
    expect(await getErrorCode(locks.acquireAll(keys, ask("me", { waitMs: 10_000 })))).toBe("not_a_lock");
    expect(await direct.exists(free)).toBe(0);
    expect(await countWaiters(direct, held)).toBe(0);
  });

  it("a lock of another format refuses all", async ({ acquire, locks, direct, keys }) => {
    await acquire(keys[1] ?? "", "you", { format: "token" });
    expect(await getErrorCode(locks.acquireAll(keys, ask("me")))).toBe("not_a_lock");
    expect(await direct.exists(...keys)).toBe(1);
  });
});

describe("waiting for several locks", () => {
  it("the request waits for each held lock in turn, holds nothing meanwhile, and is granted within 500 ms", async ({
    acquire,
    locks,
    direct,
    keys,
  }) => {
    const [first = "", second = "", third = ""] = [...keys].sort();
    const [one, two] = [await acquire(first, "you"), await acquire(second, "you")];
    const waits = locks.acquireAll(keys, ask("me", { waitMs: 20_000 }));
    await waitUntil(async () => (await countWaiters(direct, first)) === 1);
    expect(await direct.exists(third)).toBe(0);
    await locks.release(one);
    await waitUntil(async () => (await countWaiters(direct, second)) === 1);
    await waitUntil(async () => (await countWaiters(direct, first)) === 0);
    expect(await direct.exists(first, third)).toBe(0);
    const releasedAt = performance.now();
    await locks.release(two);
    expect(toKeys((await waits).grants)).toEqual(keys);
    expect(performance.now() - releasedAt).toBeLessThan(500);
    for (const key of keys) expect(await countWaiters(direct, key)).toBe(0);
  });

  it("a timeout names the lock and leaves the waiting list", async ({ acquire, locks, direct, keys }) => {
    const [held = ""] = keys;
    await acquire(held, "you");
    const error = await catchLockError(locks.acquireAll(keys, ask("me", { waitMs: 300 })));
    expect(error).toMatchObject({ code: "timeout", facts: { key: held } });
    await waitUntil(async () => (await countWaiters(direct, held)) === 0);
    expect(await direct.exists(...keys)).toBe(1);
  });

  it("an aborted wait holds nothing", async ({ acquire, locks, direct, keys }) => {
    const held = await acquire(keys[1] ?? "", "you");
    const stop = new AbortController();
    const waits = getErrorCode(locks.acquireAll(keys, ask("me", { waitMs: 20_000, signal: stop.signal })));
    await waitUntil(async () => (await countWaiters(direct, held.key)) === 1);
    stop.abort();
    expect(await waits).toBe("aborted");
    await locks.release(held);
    await sleepMs(50);
    expect(await direct.exists(...keys)).toBe(0);
  });

  it("a release wakes the next waiter of the lock if the first one needs another lock as well", async ({
    env,
    acquire,
    locks,
    direct,
    keys,
  }) => {
    const [first = "", second = ""] = [...keys].sort();
    const [one] = [await acquire(first, "you"), await acquire(second, "you")];
    const group = getErrorCode(locks.acquireAll(keys, ask("group", { waitMs: 3000 })));
    await waitForWaiters(direct, first, 1);
    const elsewhere = await env.openVerbs();
    const single = elsewhere.acquire(first, "single", { waitMs: 3000 });
    await waitForWaiters(direct, first, 2);
    const releasedAt = performance.now();
    await locks.release(one);
    expect((await single).owner).toBe("single");
    // Without the wake-up, the next attempt would follow after more than 1.5 s.
    expect(performance.now() - releasedAt).toBeLessThan(1400);
    expect(await group).toBe("timeout");
  });
});

describe("lost replies", () => {
  it("a request without an id that was executed without a reply is withdrawn", async ({
    env,
    direct,
    keys,
  }) => {
    const verbs = await env.openVerbs();
    await verbs.locks.acquireAll([createTestKey()], ask("warm-up"));
    env.redis.freeze();
    const code = getErrorCode(verbs.locks.acquireAll(keys, ask("me")));
    await sleepMs(2500);
    env.redis.thaw();
    expect(await code).toBe("unknown_outcome");
    await waitUntil(async () => (await direct.exists(...keys)) === 0);
  });
});
