import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forceByName } from "../../../test/support/force-release-by-owner.ts";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { companionKeyOf, fencedCounterKeyOf } from "../../formats/keys.ts";
import { FORMATS } from "../../formats/lock-writer.ts";
import { addressOf, connect, whenReady } from "../../redis/connect.ts";
import { Locks } from "./redis-locks.ts";

let redis: TestRedis;
let direct: Redis;
let connection: Redis;
let wake: Redis;
let operatorConnection: Redis;
let locks: Locks;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
  connection = connect(addressOf(redis.url), "test");
  wake = connect(addressOf(redis.url), "wake", { autoResubscribe: false });
  operatorConnection = connect(addressOf(redis.url), "operator");
  await Promise.all(
    [connection, operatorConnection].map((each) => whenReady(each, AbortSignal.timeout(5000))),
  );
  locks = new Locks(connection, wake, 0, ["lock:*"]);
});

afterAll(async () => {
  connection.disconnect();
  wake.disconnect();
  operatorConnection.disconnect();
  await redis.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, reentrant: true, ...more });
const acquire = async (key: string, owner: string, more = {}) =>
  (await locks.acquire(key, ask(owner, more))).grant;

async function refusalOf(promise: Promise<unknown>): Promise<LockkeeperError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof LockkeeperError) return error;
  throw new Error(`expected a refusal, got ${String(error)}`);
}

describe("acquire", () => {
  it("writes exactly what Redisson writes and nothing else into the lock", async () => {
    const key = fresh();
    await acquire(key, "me", { record: { service: "checkout" } });
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
    expect(await direct.pttl(key)).toBeGreaterThan(29_000);
  });

  it("counts a re-entry in Redis, keeps the fence and never shortens the lease", async () => {
    const key = fresh();
    const first = await acquire(key, "me", { leaseMs: 60_000 });
    const second = await acquire(key, "me", { leaseMs: 1000 });
    expect(second.count).toBe(2);
    expect(second.fence).toBe(first.fence);
    expect(second.remainingMs).toBeGreaterThan(50_000);
    expect(await direct.hget(key, "me")).toBe("2");
  });

  it("refuses another owner and tells who holds it and for how long", async () => {
    const key = fresh();
    await acquire(key, "me", { record: { service: "checkout" } });
    const refusal = await refusalOf(locks.acquire(key, ask("you")));
    if (!(refusal instanceof HeldError)) throw refusal;
    expect(refusal.code).toBe("held");
    expect(refusal.facts).toMatchObject({
      holders: [{ owner: "me", count: 1, record: { service: "checkout" } }],
    });
    expect(refusal.facts.remainingMs).toBeGreaterThan(29_000);
  });

  it("refuses the same owner when re-entry is not wanted", async () => {
    const key = fresh();
    await acquire(key, "me");
    expect((await refusalOf(locks.acquire(key, ask("me", { reentrant: false })))).code).toBe("held");
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("hands out a larger fence with every new hold, also after DEL by hand and after FLUSHALL", async () => {
    const key = fresh();
    const fences = [Number((await acquire(key, "a")).fence)];
    await locks.release(key, { owner: "a" });
    fences.push(Number((await acquire(key, "b")).fence));
    await direct.del(key);
    fences.push(Number((await acquire(key, "c")).fence));
    await direct.flushall();
    fences.push(Number((await acquire(key, "d")).fence));
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it("hands out a larger fence even when the stored one is ahead of the server's clock", async () => {
    const key = fresh();
    const ahead = Date.now() * 1000 + 3_600_000_000;
    await direct.set(String(companionKeyOf(key)), ["", "", 0, ahead, 0, 0, 0, 0, 0, "", ""].join("\n"));
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
  });

  it("shares one rising sequence with Redisson's fenced lock", async () => {
    const key = fresh();
    const ahead = Date.now() * 1000 + 3_600_000_000;
    const counter = String(fencedCounterKeyOf(key));
    await direct.set(counter, String(ahead));
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
    expect(await direct.get(counter)).toBe(String(ahead + 1));
  });

  it("keeps the companion for ten minutes longer than the lease", async () => {
    const key = fresh();
    await acquire(key, "me", { leaseMs: 10_000 });
    const ttl = await direct.pttl(String(companionKeyOf(key)));
    expect(ttl).toBeGreaterThan(605_000);
    expect(ttl).toBeLessThanOrEqual(610_000);
  });

  it("re-enters a hold that Redisson took, without claiming a fence for it", async () => {
    const key = fresh();
    const owner = `${randomUUID()}:42`;
    await direct.hset(key, owner, 1);
    await direct.pexpire(key, 20_000);
    const grant = await acquire(key, owner);
    expect(grant).toMatchObject({ count: 2, fence: null });
  });

  it.each([
    ["a string", (key: string) => direct.set(key, "x")],
    ["a list", (key: string) => direct.rpush(key, "x")],
    ["a user's own hash", (key: string) => direct.hset(key, "name", "Ada")],
    ["a user's own hash that has the owner as a field", (key: string) => direct.hset(key, "me", "5")],
    [
      "a hash that is too large to be a lock",
      (key: string) =>
        direct.hset(
          key,
          Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${randomUUID()}:${n}`, "1"])),
        ),
    ],
  ])("leaves %s untouched and says that it is not a lock", async (_, write) => {
    const key = fresh();
    await write(key);
    const before = await direct.dump(key);
    for (const attempt of [
      () => locks.acquire(key, ask("me")),
      () => locks.renew(key, { owner: "me", leaseMs: 1000 }),
      () => locks.release(key, { owner: "me" }),
      () => forceByName(locks, key, "redisson", { owner: "me", fence: null, by: "x", reason: "y" }),
    ]) {
      const outcome = await attempt().then(
        (reply) => ("outcome" in reply ? reply.outcome : "granted"),
        (error) => (error instanceof LockkeeperError ? error.code : String(error)),
      );
      expect(outcome).toBe("not_a_lock");
    }
    expect(await direct.dump(key)).toBe(before);
    expect(await direct.pttl(key)).toBe(-1);
  });

  it("lets exactly one of many contenders in", async () => {
    const key = fresh();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        acquire(key, `owner-${n}`).then(
          () => "granted",
          () => "held",
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "granted")).toHaveLength(1);
  });
});

describe("renew", () => {
  it("prolongs a hold, keeps the fence, and never shortens it", async () => {
    const key = fresh();
    const { fence } = await acquire(key, "me", { leaseMs: 5000 });
    expect(await locks.renew(key, { owner: "me", leaseMs: 20_000 })).toMatchObject({
      fence,
      remainingMs: 20_000,
    });
    expect((await locks.renew(key, { owner: "me", leaseMs: 1000 })).remainingMs).toBeGreaterThan(19_000);
  });

  it("never creates a lock", async () => {
    const key = fresh();
    expect((await refusalOf(locks.renew(key, { owner: "me", leaseMs: 1000 }))).code).toBe("lost");
    expect(await direct.exists(key)).toBe(0);
  });

  it("tells who holds the lock that was lost", async () => {
    const key = fresh();
    await acquire(key, "you");
    const refusal = await refusalOf(locks.renew(key, { owner: "me", leaseMs: 1000 }));
    expect(refusal.code).toBe("lost");
    expect(refusal.facts).toMatchObject({ holders: [{ owner: "you" }] });
  });
});

describe("release", () => {
  it("gives back one count at a time and frees the lock with the last", async () => {
    const key = fresh();
    await acquire(key, "me");
    await acquire(key, "me");
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released", count: 1 });
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released", count: 0 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("answers not_held for what is free or another's, and touches nothing", async () => {
    const key = fresh();
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "not_held" });
    await acquire(key, "you");
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "not_held" });
    expect(await direct.hgetall(key)).toEqual({ you: "1" });
  });

  it("wakes Redisson's waiters with one 0, and only when the lock is free", async () => {
    const key = fresh();
    const messages: string[] = [];
    const listener = redis.client();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    await acquire(key, "me");
    await acquire(key, "me");
    await locks.release(key, { owner: "me" });
    await locks.release(key, { owner: "me" });
    await expect.poll(() => messages).toEqual(["0"]);
  });
});

describe("a repeated request id", () => {
  it("takes a lock once, however often it is asked", async () => {
    const key = fresh();
    const first = await acquire(key, "me", { requestId: "r1" });
    await acquire(key, "me", { requestId: "r2" });
    const replay = await acquire(key, "me", { requestId: "r1" });
    expect(replay).toMatchObject({ count: 2, fence: first.fence });
    expect(await direct.hget(key, "me")).toBe("2");
  });

  it("answers lost when the hold it took has ended, also if the same owner holds the lock anew", async () => {
    const key = fresh();
    await acquire(key, "me", { requestId: "r1" });
    await locks.release(key, { owner: "me" });
    expect((await refusalOf(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
    await acquire(key, "me", { requestId: "r2" });
    expect((await refusalOf(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
  });

  it("releases once", async () => {
    const key = fresh();
    await acquire(key, "me");
    await acquire(key, "me");
    await locks.release(key, { owner: "me", requestId: "r1" });
    expect(await locks.release(key, { owner: "me", requestId: "r1" })).toMatchObject({
      outcome: "released",
      count: 1,
    });
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("does not release a hold that was taken after it found nothing to release", async () => {
    const key = fresh();
    await locks.release(key, { owner: "me", requestId: "r1" });
    await acquire(key, "me");
    expect(await locks.release(key, { owner: "me", requestId: "r1" })).toMatchObject({ outcome: "not_held" });
    expect(await direct.hget(key, "me")).toBe("1");
  });

  it("is refused for another verb, owner or body", async () => {
    const key = fresh();
    await acquire(key, "me", { requestId: "r1" });
    for (const other of [
      locks.acquire(key, ask("you", { requestId: "r1" })),
      locks.acquire(key, ask("me", { requestId: "r1", leaseMs: 999 })),
      locks.renew(key, { owner: "me", leaseMs: 30_000, requestId: "r1" }),
      locks.release(key, { owner: "me", requestId: "r1" }),
    ]) {
      expect((await refusalOf(other)).code).toBe("request_id_reused");
    }
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
  });
});

describe("a companion that does not belong to the hold", () => {
  const fenceOf = async (key: string) => (await locks.verify(key, { owner: native })).fence;
  const native = `${randomUUID()}:7`;

  it("is not taken for it: the same owner took the lock without us after it was released", async () => {
    const key = fresh();
    const { fence } = await acquire(key, native);
    await locks.release(key, { owner: native });
    await direct.multi().hset(key, native, 1).pexpire(key, 30_000).exec();
    expect(await fenceOf(key)).toBeNull();
    expect((await acquire(key, native)).fence).toBeNull();
    const reply = await forceByName(locks, key, "redisson", {
      owner: native,
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("changed");
  });

  it("or is gone: its owner can renew and release all the same", async () => {
    const key = fresh();
    await acquire(key, "me");
    await direct.del(String(companionKeyOf(key)));
    expect(await locks.renew(key, { owner: "me", leaseMs: 60_000 })).toMatchObject({ count: 1, fence: null });
    expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released" });
  });

  it.each([
    ["a string", (companion: string) => direct.set(companion, "x")],
    [
      "nonsense",
      (companion: string) =>
        direct.set(companion, "me\n\n-1e400\nabc\nzz\nNaN\n0\n0\n-1\nredisson\n{}\n\t\n"),
    ],
    [
      "numbers beyond all bounds",
      (companion: string) =>
        direct.set(companion, `me\n\n${"9".repeat(400)}\n1\n${"9".repeat(30)}\n1\n1\n1\n1\nredisson\n{`),
    ],
    ["a hash", (companion: string) => direct.multi().del(companion).hset(companion, "owner", "me").exec()],
  ])("or is %s: nothing is held halfway", async (_, spoil) => {
    const key = fresh();
    await spoil(String(companionKeyOf(key)));
    expect(await acquire(key, "me")).toMatchObject({ count: 1, fence: expect.stringMatching(/^\d{16}$/) });
    await spoil(String(companionKeyOf(key)));
    expect(["released", "not_a_lock"]).toContain(
      (await locks.release(key, { owner: "me" }).catch((error) => ({ outcome: error.code }))).outcome,
    );
  });
});

describe("a hash that is almost a lock", () => {
  it.each([
    ["a count that cannot be counted on", `${randomUUID()}:1`, "9".repeat(20)],
    ["an owner of a megabyte", `${randomUUID()}:${"1".repeat(1_000_000)}`, "1"],
  ])("for %s, is somebody's data", async (_, owner, count) => {
    const key = fresh();
    await direct.hset(key, owner, count);
    expect((await refusalOf(locks.acquire(key, ask("me")))).code).toBe("not_a_lock");
    expect(await direct.hget(key, owner)).toBe(count);
    expect((await refusalOf(locks.verify(key, { owner: "me" }))).code).toBe("not_a_lock");
  });
});

describe("a read/write lock", () => {
  it("holds off an acquire, and is touched by no verb of the plain lock", async () => {
    const key = fresh();
    const reader = `${randomUUID()}:7`;
    await direct
      .multi()
      .hset(key, { mode: "read", [reader]: 1 })
      .pexpire(key, 30_000)
      .exec();
    const before = await direct.dump(key);
    expect((await refusalOf(locks.acquire(key, ask("me")))).code).toBe("held");
    expect((await refusalOf(locks.release(key, { owner: reader }))).code).toBe("not_a_lock");
    expect((await refusalOf(locks.renew(key, { owner: reader, leaseMs: 1000 }))).code).toBe("not_a_lock");
    expect(await direct.dump(key)).toBe(before);
  });
});

describe("a repetition after a lost reply", () => {
  it("is neither answered nor carried out when its first try may have been pushed out of the window", async () => {
    const key = fresh();
    await acquire(key, "me");
    const first = { owner: "me", id: "lost", digest: "-" };
    for (let n = 0; n < 120; n++) await acquire(key, "me");
    expect(await FORMATS.redisson.release(connection, "none", key, { ...first, retryMs: 5000 })).toEqual({
      outcome: "unknown",
    });
    expect(await direct.hget(key, "me")).toBe("121");
  });

  it("is answered as long as it is in the window, also among a dozen that were lost together", async () => {
    const key = fresh();
    await acquire(key, "me");
    const lost = Array.from({ length: 12 }, (_, n) => ({
      owner: "me",
      id: `lost-${n}`,
      digest: "-",
      leaseMs: 30_000,
      reentrant: true,
      record: undefined,
      graceMs: 0,
      minHoldMs: 0,
      unit: "ms" as const,
    }));
    for (const each of lost) await FORMATS.redisson.acquire(connection, "none", key, each);
    for (const each of lost) {
      const again = await FORMATS.redisson.acquire(connection, "none", key, { ...each, retryMs: 5000 });
      expect(again.outcome).toBe("granted");
    }
    expect(await direct.hget(key, "me")).toBe("13");
  });

  it("is carried out when it cannot have been before, however much has happened before that", async () => {
    const key = fresh();
    await acquire(key, "me");
    for (let n = 0; n < 120; n++) await acquire(key, "me");
    await new Promise((resolve) => setTimeout(resolve, 60));
    const first = { owner: "me", id: "lost", digest: "-" };
    expect((await FORMATS.redisson.release(connection, "none", key, { ...first, retryMs: 30 })).outcome).toBe(
      "released",
    );
  });

  it("is carried out when it cannot have been before", async () => {
    const key = fresh();
    await acquire(key, "me");
    const first = { owner: "me", id: "lost", digest: "-" };
    expect(
      (await FORMATS.redisson.release(connection, "none", key, { ...first, retryMs: 500 })).outcome,
    ).toBe("released");
  });
});

describe("forceRelease", () => {
  it("frees the hold that was seen, wakes its waiters with one 0 and keeps the fence rising", async () => {
    const key = fresh();
    const messages: string[] = [];
    const listener = redis.client();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    const { fence } = await acquire(key, "me");
    const reply = await forceByName(locks, key, "redisson", {
      owner: "me",
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await expect.poll(() => messages).toEqual(["0"]);
    expect(Number((await acquire(key, "you")).fence)).toBeGreaterThan(Number(fence));
  });

  it("frees nothing when the same owner took the lock anew", async () => {
    const key = fresh();
    const { fence } = await acquire(key, "me");
    await locks.release(key, { owner: "me" });
    await acquire(key, "me");
    const reply = await forceByName(locks, key, "redisson", {
      owner: "me",
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("changed");
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
  });

  it("never frees the wrong hold in a thousand races with a changing holder", async () => {
    const key = fresh();
    const operator = new Locks(operatorConnection, wake, 0, ["lock:*"]);
    let wrong = 0;
    let freed = 0;
    for (let round = 0; round < 1000; round++) {
      const { fence } = await acquire(key, "a");
      const change = async () => {
        await locks.release(key, { owner: "a" });
        await locks.acquire(key, ask("b"));
      };
      const free = () =>
        forceByName(operator, key, "redisson", { owner: "a", fence, by: "mei", reason: "race" });
      const [first, second] = round % 2 === 0 ? [change, free] : [free, change];
      const begun = first();
      if (round % 4 > 1) await new Promise((resolve) => setImmediate(resolve));
      const replies = await Promise.all([begun, second()]);
      if ((await direct.hget(key, "b")) !== "1") wrong++;
      if (replies.some((reply) => reply?.outcome === "released")) freed++;
      await direct.del(key);
    }
    expect(wrong).toBe(0);
    expect(freed).toBeGreaterThan(0);
    expect(freed).toBeLessThan(1000);
  });
});

describe("key_not_allowed", () => {
  it.each([
    "orders:1",
    "lockkeeper:hold:{x}",
    "{lockkeeper}:home",
    "lock:}a{b",
    "lock:{open",
    "lock:{}x",
    "redisson_lock_queue:{lock:1}",
  ])("refuses to lock %s", async (key) => {
    expect((await refusalOf(locks.acquire(key, ask("me")))).code).toBe("key_not_allowed");
    expect(await direct.exists(key)).toBe(0);
  });

  it("takes keys with a hash tag, and keeps the companion in the tag's slot", async () => {
    const key = `lock:{tag-${randomUUID()}}:1`;
    await acquire(key, "me");
    expect(await direct.exists(`lockkeeper:hold:${key.slice(5, -2)}:${key}`)).toBe(1);
  });
});
