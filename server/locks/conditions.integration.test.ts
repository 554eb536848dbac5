import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { checkConditions } from "../../test/conformance/conditions.ts";
import { conditionTest } from "../../test/support/condition-fixture.ts";
import { createWriteRefusal, prependLua } from "../../test/support/lua-prelude.ts";
import { catchLockError, createTestKey, getErrorCode } from "../../test/support/test-locks.ts";
import { startTestProxy } from "../../test/support/test-proxy.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildConditionKeys } from "../formats/condition-keys.ts";
import { ConditionScripts } from "../formats/conditions/condition-scripts.ts";
import { buildEventChannel } from "../formats/keys.ts";
import type { Grant } from "./verbs/contract/grant.ts";

const SCRIPTS = new ConditionScripts();
const CHANNEL = buildEventChannel(0);
const LIMITS = { waitersMax: 1000, fairWaitMs: 300_000 };
const WAIT = { waitMs: 20_000 };
const ENDLESS = { waitMs: 20_000, reacquireMs: 20_000 };

const createAsk = ({ token, fence }: Grant, id: string = randomUUID(), condition = "c") => ({
  ...{ token, fence, id, condition, digest: "-" },
});

const it = conditionTest()
  .extend("beats", { scope: "file" }, () => (key: string) => String(buildConditionKeys(key)[2]))
  /**
   * Starts a wait for a condition as a client that then sends nothing more. The returned `die` expires the heartbeat,
   * so that other clients regard the waiter as dead.
   */
  .extend("awaitAndKill", { scope: "file" }, ({ direct, acquire, beats }) => async (key: string) => {
    const ask = createAsk(await acquire(key, "dead", WAIT));
    const { id } = ask;
    expect(await SCRIPTS.await(direct, CHANNEL, { key, kind: "lock" }, ask, LIMITS)).toMatchObject({
      state: "waiting",
    });
    return { id, die: () => direct.zadd(beats(key), "1", id) };
  });

describe("conditions of a lock", () => {
  it("plain and fair locks have conditions", async ({ client, other, key }) => {
    await checkConditions(client, other, key);
  });

  it("the signal of a client that died passes to the next one that waited when it was sent", async ({
    awaitAndKill,
    acquire,
    locks,
    direct,
    waitForWaiters,
    key,
  }) => {
    const [first, second] = [await awaitAndKill(key), await awaitAndKill(key)];
    const third = locks.conditions.await(await acquire(key, "third", WAIT), "c", ENDLESS);
    await waitForWaiters(key, 3);
    const signaller = await acquire(key, "signaller", WAIT);
    expect(await locks.conditions.signal(signaller, "c", { who: "one" })).toMatchObject({ count: 1 });
    const keys = buildConditionKeys(key);
    expect(await SCRIPTS.renew(direct, key, [first.id, second.id])).toMatchObject([
      { state: "signalled" },
      { state: "waiting" },
    ]);
    await locks.release(signaller);
    const late = locks.conditions.await(await acquire(key, "late", WAIT), "c", { ...ENDLESS, waitMs: 6000 });
    await waitForWaiters(key, 3);
    await Promise.all([first.die(), second.die()]);
    const { grant, isSignalled } = await third;
    expect([grant.owner, isSignalled]).toEqual(["third", true]);
    await locks.release(grant);
    // This client began to wait after the signal.
    const ended = await late;
    expect(ended.isSignalled).toBe(false);
    await locks.release(ended.grant);
    await waitUntil(async () => (await direct.zcard(String(keys[0]))) === 0);
  });

  it("a client that was silent for too long loses its place, and gets the lock back without a signal", async ({
    awaitAndKill,
    acquire,
    locks,
    direct,
    countWaiters,
    key,
  }) => {
    const silent = await awaitAndKill(key);
    await silent.die();
    const signaller = await acquire(key, "signaller", WAIT);
    expect(await locks.conditions.signal(signaller, "c", { who: "all" })).toMatchObject({ count: 0 });
    expect(await countWaiters(key)).toBe(0);
    const [status] = await SCRIPTS.renew(direct, key, [silent.id]);
    expect(status).toMatchObject({ state: "stopped", sinceMs: expect.any(Number) });
    await locks.release(signaller);
  });

  it("the signal of a client that is cancelled while it re-acquires the lock passes to the next one", async ({
    acquire,
    locks,
    waitForWaiters,
    countWaiters,
    key,
  }) => {
    for (const kind of ["lock", "fair"] as const) {
      // The grant reaches Redis before the cancellation takes effect, because `onSend` is called right before.
      const abort = new AbortController();
      const cancelled = { ...ENDLESS, signal: abort.signal, onSend: () => abort.abort() };
      const first = getErrorCode(
        locks.conditions.await(await acquire(key, "first", { kind, ...WAIT }), "c", cancelled),
      );
      await waitForWaiters(key, 1);
      const second = locks.conditions.await(await acquire(key, "second", { kind, ...WAIT }), "c", ENDLESS);
      await waitForWaiters(key, 2);
      const signaller = await acquire(key, "signaller", { kind, ...WAIT });
      expect(await locks.conditions.signal(signaller, "c", { who: "one" })).toMatchObject({ count: 1 });
      await locks.release(signaller);
      expect(await first).toBe("aborted");
      const { grant, isSignalled } = await second;
      expect(isSignalled).toBe(true);
      await locks.release(grant);
      expect(await countWaiters(key)).toBe(0);
    }
  });

  it("a signal is not passed on when the wait had ended without one", async ({
    acquire,
    locks,
    waitForWaiters,
    key,
  }) => {
    const abort = new AbortController();
    const cancelled = { ...ENDLESS, waitMs: 10, signal: abort.signal, onSend: () => abort.abort() };
    const holder = acquire(key, "holder");
    const waiting = locks.conditions.await(await holder, "c", { ...ENDLESS, waitMs: 3000 });
    await waitForWaiters(key, 1);
    const hold = await acquire(key, "me", WAIT);
    expect(await getErrorCode(locks.conditions.await(hold, "c", cancelled))).toBe("aborted");
    const { grant, isSignalled } = await waiting;
    expect(isSignalled).toBe(false);
    await locks.release(grant);
  });

  it("a repeated request continues the wait from another instance, also of a fair lock", async ({
    env,
    acquire,
    locks,
    waitForWaiters,
    direct,
    key,
  }) => {
    const { locks: elsewhere } = await env.openVerbs();
    for (const kind of ["lock", "fair"] as const) {
      const hold = await acquire(key, "me", { kind, ...WAIT });
      await locks.reenter(hold, { requestId: randomUUID() });
      const requestId = randomUUID();
      const abort = new AbortController();
      const first = getErrorCode(
        locks.conditions.await(hold, "c", { ...ENDLESS, requestId, signal: abort.signal }),
      );
      await waitForWaiters(key, 1);
      abort.abort();
      expect(await first).toBe("aborted");
      const second = elsewhere.conditions.await(hold, "c", { ...ENDLESS, requestId });
      const signaller = await acquire(key, "signaller", { kind, ...WAIT });
      expect(await locks.conditions.signal(signaller, "c", { who: "one" })).toMatchObject({ count: 1 });
      await locks.release(signaller);
      const { grant } = await second;
      expect(grant).toMatchObject({ count: 2, owner: "me", kind });
      const again = await locks.conditions.await(hold, "c", { ...ENDLESS, requestId });
      expect([again.isReplayed, again.grant.token, again.grant.count]).toEqual([true, grant.token, 2]);
      for (let count = 2; count > 0; count--) await locks.release(grant, { requestId: randomUUID() });
      expect(await direct.exists(key)).toBe(0);
      expect(await getErrorCode(locks.conditions.await(hold, "c", { ...ENDLESS, requestId }))).toBe("lost");
    }
  });

  it("requests whose replies were lost take effect once", async ({
    env,
    acquire,
    locks,
    waitForWaiters,
    key,
  }) => {
    const proxy = await startTestProxy(env.redis.port);
    const { locks: flaky, acquire: acquireThere } = await env.openVerbs(proxy.port);
    const hold = await acquireThere(key, "me");
    proxy.mode = "drop_replies";
    const awaited = flaky.conditions.await(hold, "c", ENDLESS);
    await waitForWaiters(key, 1);
    proxy.mode = "pass";
    const other = locks.conditions.await(await acquire(key, "other", WAIT), "c", ENDLESS);
    await waitForWaiters(key, 2);
    const signaller = await acquireThere(key, "signaller", WAIT);
    proxy.mode = "drop_replies";
    const signalled = flaky.conditions.signal(signaller, "c", { who: "one" });
    await waitForWaiters(key, 1);
    proxy.mode = "pass";
    expect(await signalled).toMatchObject({ count: 1 });
    await waitForWaiters(key, 1);
    await flaky.release(signaller);
    const { grant } = await awaited;
    expect(grant.owner).toBe("me");
    expect(await flaky.conditions.signal(grant, "c", { who: "all" })).toMatchObject({ count: 1 });
    await flaky.release(grant);
    await locks.release((await other).grant);
    await proxy.stop();
  });

  it("a message that is lost costs two seconds at most", async ({
    acquire,
    locks,
    direct,
    waitForWaiters,
    key,
  }) => {
    const awaited = locks.conditions.await(await acquire(key, "me"), "c", ENDLESS);
    await waitForWaiters(key, 1);
    const signaller = await acquire(key, "signaller", WAIT);
    // The script publishes on a channel to which the client has not subscribed.
    const mute = prependLua(direct, () => "local KEYS, ARGV = KEYS, ARGV ARGV[9] = 'nowhere'");
    await SCRIPTS.signal(mute, { key, kind: "lock" }, createAsk(signaller), "one");
    await locks.release(signaller);
    const { grant } = await awaited;
    await locks.release(grant);
  });

  it("a full list of waiters refuses the next one, and leaves its hold", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    const hold = await acquire(key, "me");
    const limits = { ...LIMITS, waitersMax: 0 };
    const lock = { key, kind: "lock" } as const;
    expect(await SCRIPTS.await(direct, CHANNEL, lock, createAsk(hold), limits)).toEqual({
      outcome: "queue_full",
      waiting: 0,
    });
    expect((await locks.verify(hold)).held).toBe(true);
  });

  it("keys of another type are replaced, and records that do not parse are ignored", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    const keys = buildConditionKeys(key).map(String);
    for (const each of keys) await direct.set(each, "text");
    const hold = await acquire(key, "me");
    expect(await locks.conditions.signal(hold, "c", { who: "all" })).toMatchObject({ count: 0 });
    const [order = "", records = "", beats = ""] = keys;
    for (const [id, record] of [
      ["a", "nonsense"],
      ["b", `waiting\tc\t0000000000000001\t\t\t0\t1\t0\t-\nme\n\n`],
      ["c", "x".repeat(10_000)],
    ] as const) {
      await direct.zadd(order, 0, `c\t0000000000000001\t${id}`);
      await direct.hset(records, id, record);
      await direct.zadd(beats, Date.now() + 5000, id);
    }
    await direct.zadd(order, 0, "c\t", 0, "c\tnot a place");
    expect(await locks.conditions.signal(hold, "c", { who: "one" })).toMatchObject({ count: 0 });
    expect(await locks.conditions.signal(hold, "c", { who: "all" })).toMatchObject({ count: 0 });
    await locks.release(hold);
    await direct.del(keys);
  });

  it.for([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    "if Redis refuses write %i of await, the hold is unchanged or was given up",
    async (n, { acquire, direct, locks, countWaiters }) => {
      const key = createTestKey();
      const hold = await acquire(key, "me");
      const lock = { key, kind: "lock" } as const;
      const ask = createAsk(hold);
      const refusing = prependLua(direct, () => createWriteRefusal(n));
      const failed = await SCRIPTS.await(refusing, CHANNEL, lock, ask, LIMITS).then(
        () => false,
        () => true,
      );
      const isHeld = (await locks.verify(hold)).held;
      if (!isHeld) {
        // Redis lists the waiter, so the client can continue the wait.
        expect(await countWaiters(key)).toBe(1);
        expect((await SCRIPTS.renew(direct, key, [ask.id]))[0]?.state).toBe("waiting");
      } else if (failed) {
        await direct.zadd(String(buildConditionKeys(key)[2]), "1", ask.id);
      }
    },
  );

  it("a hold of another principal, and one that was re-acquired, are refused", async ({
    acquire,
    locks,
    key,
  }) => {
    const hold = await acquire(key, "me", { principal: "key_1" });
    const thief = { ...hold, principal: "key_2" };
    expect(await getErrorCode(locks.conditions.await(thief, "c", ENDLESS))).toBe("not_owner");
    expect(await getErrorCode(locks.conditions.signal(thief, "c", { who: "one" }))).toBe("not_owner");
    const owned = { ...hold, principal: "key_1" };
    const { grant } = await locks.conditions.await(owned, "c", { ...ENDLESS, waitMs: 10 });
    expect(await catchLockError(locks.conditions.signal(owned, "c", { who: "one" }))).toMatchObject({
      code: "lost",
      facts: { holders: [{ fence: grant.fence }] },
    });
    expect(
      await locks.conditions.signal({ ...grant, principal: "key_1" }, "c", { who: "one" }),
    ).toMatchObject({ count: 0 });
  });
});
