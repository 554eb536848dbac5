import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { forceReleaseByOwner } from "../../../test/support/force-release-by-owner.ts";
import { catchLockError, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { buildClientChannel, buildCompanionKey, buildFencedCounterKey } from "../../formats/keys.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { VerbHold } from "./contract/grant.ts";

const it = locksTest();

const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, ...more });

/** Creates a reference to a hold that was never acquired. */
const createUnknownHold = (key: string): VerbHold => ({
  ...{ key, format: "redisson", unit: undefined, token: `${randomUUID()}:1`, fence: "1795216496123456" },
});

describe("acquire", () => {
  it("acquire writes exactly the fields Redisson writes", async ({ acquire, direct, key }) => {
    const { token } = await acquire(key, "me", { record: { service: "checkout" } });
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
    expect(token).toMatch(/^[0-9a-f-]{36}:\d+$/);
    expect(await direct.pttl(key)).toBeGreaterThan(29_000);
  });

  it("a re-entry is counted in Redis, keeps token and fence and never shortens the lease", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const first = await acquire(key, "me", { leaseMs: 60_000 });
    const second = await locks.reenter(first, { leaseMs: 1000 });
    expect(second).toMatchObject({ count: 2, token: first.token, fence: first.fence, owner: "me" });
    expect(second.remainingMs).toBeGreaterThan(50_000);
    expect(await direct.hget(key, first.token)).toBe("2");
  });

  it("an acquire by another owner is refused with the holder and the remaining lease", async ({
    acquire,
    locks,
    key,
  }) => {
    await acquire(key, "me", { record: { service: "checkout" } });
    const refusal = await catchLockError(locks.acquire(key, ask("you")));
    if (!(refusal instanceof HeldError)) throw refusal;
    expect(refusal.code).toBe("held");
    expect(refusal.facts).toMatchObject({
      holders: [{ owner: "me", count: 1, record: { service: "checkout" } }],
    });
    expect(refusal.facts.remainingMs).toBeGreaterThan(29_000);
  });

  it("an acquire by the same owner on the same client is refused as any other", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const { token } = await acquire(key, "me");
    expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("held");
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
  });

  it("every new hold has a larger fencing token, even after a manual DEL and FLUSHALL", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const first = await acquire(key, "a");
    const fences = [Number(first.fence)];
    await locks.release(first);
    fences.push(Number((await acquire(key, "b")).fence));
    await direct.del(key);
    fences.push(Number((await acquire(key, "c")).fence));
    await direct.flushall();
    fences.push(Number((await acquire(key, "d")).fence));
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  it("a new fencing token exceeds a stored one that is ahead of the server clock", async ({
    direct,
    acquire,
    key,
  }) => {
    const ahead = Date.now() * 1000 + 3_600_000_000;
    await direct.set(
      String(buildCompanionKey(key)),
      ["", "", 0, ahead, 0, 0, 0, 0, 0, "", "", "", ""].join("\n"),
    );
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
  });

  it("fencing tokens share one rising sequence with Redisson's fenced lock", async ({
    direct,
    acquire,
    key,
  }) => {
    const ahead = Date.now() * 1000 + 3_600_000_000;
    const counter = String(buildFencedCounterKey(key));
    await direct.set(counter, String(ahead));
    expect((await acquire(key, "me")).fence).toBe(String(ahead + 1));
    expect(await direct.get(counter)).toBe(String(ahead + 1));
  });

  it("the companion key outlives the lease by 10 minutes", async ({ acquire, direct, key }) => {
    await acquire(key, "me", { leaseMs: 10_000 });
    const ttl = await direct.pttl(String(buildCompanionKey(key)));
    expect(ttl).toBeGreaterThan(605_000);
    expect(ttl).toBeLessThanOrEqual(610_000);
  });

  it("a hold of Redisson is never entered, renewed or released, even by its own owner text", async ({
    direct,
    locks,
    key,
  }) => {
    const token = `${randomUUID()}:42`;
    await direct.multi().hset(key, token, 1).pexpire(key, 20_000).exec();
    const hold = { ...createUnknownHold(key), token, principal: "key-1" };
    expect((await catchLockError(locks.acquire(key, ask(token)))).code).toBe("held");
    expect((await catchLockError(locks.reenter(hold))).code).toBe("lost");
    expect((await catchLockError(locks.renew(hold, { leaseMs: 60_000 }))).code).toBe("lost");
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect(await locks.verify(hold)).toMatchObject({ held: false });
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
    expect(await direct.pttl(key)).toBeLessThanOrEqual(20_000);
  });

  it.for<[string, (direct: Redis, key: string) => Promise<unknown>]>([
    ["a string", (direct, key) => direct.set(key, "x")],
    ["a list", (direct, key) => direct.rpush(key, "x")],
    ["an unrelated hash", (direct, key) => direct.hset(key, "name", "Ada")],
    [
      "a hash too large to be a lock",
      (direct, key) =>
        direct.hset(
          key,
          Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${randomUUID()}:${n}`, "1"])),
        ),
    ],
  ])(
    "acquire and force-release report not_a_lock for %s, and no verb changes it",
    async ([_, write], { direct, locks, key }) => {
      await write(direct, key);
      const before = await direct.dump(key);
      const hold = createUnknownHold(key);
      const seen = { ...{ token: hold.token, fence: null }, by: "x", reason: "y" };
      expect(await getErrorCode(locks.acquire(key, ask("me")))).toBe("not_a_lock");
      expect(await forceReleaseByOwner(locks, key, "redisson", seen)).toMatchObject({
        outcome: "not_a_lock",
      });
      expect(await getErrorCode(locks.reenter(hold))).toBe("lost");
      expect(await getErrorCode(locks.renew(hold, { leaseMs: 1000 }))).toBe("lost");
      expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
      expect(await locks.verify(hold)).toMatchObject({ held: false });
      expect(await direct.dump(key)).toBe(before);
      expect(await direct.pttl(key)).toBe(-1);
    },
  );

  it("exactly one of 50 concurrent acquires is granted", async ({ acquire, key }) => {
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
  it("renew extends a hold, keeps token and fence and never shortens the lease", async ({
    acquire,
    locks,
    key,
  }) => {
    const hold = await acquire(key, "me", { leaseMs: 5000 });
    const { token, fence } = hold;
    const renewed = await locks.renew(hold, { leaseMs: 20_000 });
    expect(renewed).toMatchObject({ token, fence, owner: "me", remainingMs: 20_000, leaseMs: 20_000 });
    expect((await locks.renew(hold, { leaseMs: 1000 })).remainingMs).toBeGreaterThan(19_000);
  });

  it("renew without leaseMs keeps the hold's own lease", async ({ acquire, locks, direct, key }) => {
    const hold = await acquire(key, "me", { leaseMs: 10_000 });
    await direct.pexpire(key, 2000);
    expect(await locks.renew(hold)).toMatchObject({ leaseMs: 10_000, remainingMs: 10_000 });
  });

  it("renew never creates a lock", async ({ locks, direct, key }) => {
    const hold = createUnknownHold(key);
    expect((await catchLockError(locks.renew(hold, { leaseMs: 1000 }))).code).toBe("lost");
    expect(await direct.exists(key)).toBe(0);
  });

  it("renew of a lost lock names its current holder", async ({ acquire, locks, key }) => {
    await acquire(key, "you");
    const refusal = await catchLockError(locks.renew(createUnknownHold(key), { leaseMs: 1000 }));
    expect(refusal.code).toBe("lost");
    expect(refusal.facts).toMatchObject({ holders: [{ owner: "you" }] });
  });
});

describe("release", () => {
  it("each release lowers the count by one, and the last one deletes the lock", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const hold = await acquire(key, "me");
    await locks.reenter(hold);
    const first = await locks.release(hold, { requestId: "r1" });
    expect(first).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await direct.hgetall(key)).toEqual({ [hold.token]: "1" });
    expect(await locks.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("release of a hold with a count above one is refused without a request id", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const hold = await acquire(key, "me");
    await locks.reenter(hold);
    expect((await catchLockError(locks.release(hold))).code).toBe("idempotency_key_required");
    expect(await direct.hget(key, hold.token)).toBe("2");
  });

  it("release of a free lock or another hold of the same owner returns not_held and changes nothing", async ({
    locks,
    acquire,
    direct,
    key,
  }) => {
    const earlier = await acquire(key, "me");
    await locks.release(earlier);
    expect(await locks.release(earlier)).toMatchObject({ outcome: "not_held" });
    const { token } = await acquire(key, "me");
    expect(await locks.release(earlier)).toMatchObject({ outcome: "not_held" });
    expect(await locks.release(createUnknownHold(key))).toMatchObject({ outcome: "not_held" });
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
  });

  it("release wakes Redisson waiters with one 0, and only when the lock becomes free", async ({
    env,
    acquire,
    locks,
    key,
  }) => {
    const messages: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    const hold = await acquire(key, "me");
    await locks.reenter(hold);
    await locks.release(hold, { requestId: "r1" });
    await locks.release(hold);
    await expect.poll(() => messages).toEqual(["0"]);
  });
});

describe("repeated request ids", () => {
  it("a repeated acquire returns the stored hold, whoever else holds a token by then", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const first = await acquire(key, "me", { requestId: "r1" });
    await locks.reenter(first);
    const { token, fence } = first;
    expect(await acquire(key, "me", { requestId: "r1" })).toMatchObject({ count: 2, token, fence });
    expect(await direct.hgetall(key)).toEqual({ [token]: "2" });
  });

  it("a repeated re-entry is counted once", async ({ acquire, locks, direct, key }) => {
    const hold = await acquire(key, "me");
    for (let n = 0; n < 3; n++) expect((await locks.reenter(hold, { requestId: "r1" })).count).toBe(2);
    expect(await direct.hget(key, hold.token)).toBe("2");
  });

  it("a repeated acquire returns lost once its hold has ended, even if the same owner acquired the lock again", async ({
    acquire,
    locks,
    key,
  }) => {
    await locks.release(await acquire(key, "me", { requestId: "r1" }));
    expect((await catchLockError(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
    await acquire(key, "me", { requestId: "r2" });
    expect((await catchLockError(locks.acquire(key, ask("me", { requestId: "r1" })))).code).toBe("lost");
  });

  it("a repeated release is carried out once", async ({ acquire, locks, direct, key }) => {
    const hold = await acquire(key, "me");
    await locks.reenter(hold);
    for (let n = 0; n < 3; n++) {
      expect(await locks.release(hold, { requestId: "r1" })).toMatchObject({
        outcome: "still_held",
        count: 1,
      });
    }
    expect(await direct.hget(key, hold.token)).toBe("1");
  });

  it("a request id reused for another request is refused", async ({ acquire, locks, direct, key }) => {
    const hold = await acquire(key, "me", { requestId: "r1" });
    const others = [
      locks.acquire(key, ask("you", { requestId: "r1" })),
      locks.acquire(key, ask("me", { requestId: "r1", leaseMs: 999 })),
      locks.reenter(hold, { requestId: "r1" }),
      locks.renew(hold, { leaseMs: 30_000, requestId: "r1" }),
      locks.release(hold, { requestId: "r1" }),
    ];
    const codes = await Promise.all(others.map(async (other) => (await catchLockError(other)).code));
    expect(codes).toEqual(others.map(() => "idempotency_key_reused"));
    expect(await direct.hgetall(key)).toEqual({ [hold.token]: "1" });
  });

  it("the same request id of two principals names two requests", async ({ locks, acquire, key }) => {
    const mine = await acquire(key, "me", { requestId: "r1", principal: "key-1" });
    const theirs = locks.acquire(key, ask("me", { requestId: "r1", principal: "key-2" }));
    expect((await catchLockError(theirs)).code).toBe("held");
    const again = await acquire(key, "me", { requestId: "r1", principal: "key-1" });
    expect(again).toMatchObject({ token: mine.token, fence: mine.fence });
  });
});

describe("stale or invalid companion keys", () => {
  it("a stale companion key is not attributed to a hold acquired without Lockkeeper", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const hold = { ...(await acquire(key, "me", { principal: "key-1" })), principal: "key-1" };
    const { token, fence } = hold;
    await locks.release(hold);
    await direct.multi().hset(key, token, 1).pexpire(key, 30_000).exec();
    expect(await locks.verify(hold)).toMatchObject({ held: false });
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    const seen = { token, fence, by: "mei", reason: "stuck" };
    expect((await forceReleaseByOwner(locks, key, "redisson", seen)).outcome).toBe("changed");
    expect(await direct.hget(key, token)).toBe("1");
  });

  it("without its companion a hold is renewed and released by the library, and lost for the API", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    const hold = await acquire(key, "me");
    await direct.del(String(buildCompanionKey(key)));
    const throughApi = { ...hold, principal: "key-1" };
    expect((await catchLockError(locks.renew(throughApi))).code).toBe("lost");
    expect(await locks.release(throughApi)).toMatchObject({ outcome: "not_held" });
    expect(await locks.renew(hold, { leaseMs: 60_000 })).toMatchObject({ count: 1, remainingMs: 60_000 });
    expect(await locks.release(hold)).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
  });

  it.for<[string, (direct: Redis, companion: string) => Promise<unknown>]>([
    ["a string", (direct, companion) => direct.set(companion, "x")],
    [
      "an unparsable value",
      (direct, companion) =>
        direct.set(companion, "me\n\n-1e400\nabc\nzz\nNaN\n0\n0\n-1\nredisson\n\n\n{}\n\t\n"),
    ],
    [
      "numbers out of range",
      (direct, companion) =>
        direct.set(companion, `me\n\n${"9".repeat(400)}\n1\n${"9".repeat(30)}\n1\n1\n1\n1\nredisson\n\n\n{`),
    ],
    ["a hash", (direct, companion) => direct.multi().del(companion).hset(companion, "owner", "me").exec()],
  ])(
    "a lock with a companion key that holds %s can still be acquired, and no hold is half-written",
    async ([_, spoil], { acquire, locks, direct, key }) => {
      await spoil(direct, String(buildCompanionKey(key)));
      const hold = await acquire(key, "me");
      expect(hold).toMatchObject({ count: 1, fence: expect.stringMatching(/^\d{16}$/) });
      await spoil(direct, String(buildCompanionKey(key)));
      expect(await locks.release(hold)).toMatchObject({ outcome: "released" });
      expect(await direct.exists(key)).toBe(0);
    },
  );
});

describe("hashes that resemble a lock", () => {
  it.for<[string, owner: string, count: string]>([
    ["a count out of range", `${randomUUID()}:1`, "9".repeat(20)],
    ["an owner of 1 MB", `${randomUUID()}:${"1".repeat(1_000_000)}`, "1"],
  ])(
    "a hash with %s is not a lock and is left unchanged",
    async ([_, owner, count], { direct, locks, key }) => {
      await direct.hset(key, owner, count);
      expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("not_a_lock");
      expect(await direct.hget(key, owner)).toBe(count);
      expect(await locks.release({ ...createUnknownHold(key), token: owner })).toMatchObject({
        outcome: "not_held",
      });
      expect(await direct.hget(key, owner)).toBe(count);
    },
  );
});

describe("Redisson read/write locks", () => {
  it("a Redisson read/write lock blocks acquire and is not changed by any verb", async ({
    direct,
    locks,
    key,
  }) => {
    const reader = `${randomUUID()}:7`;
    await direct
      .multi()
      .hset(key, { mode: "read", [reader]: 1 })
      .pexpire(key, 30_000)
      .exec();
    const before = await direct.dump(key);
    expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("held");
    const hold = { ...createUnknownHold(key), token: reader };
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    expect((await catchLockError(locks.renew(hold, { leaseMs: 1000 }))).code).toBe("lost");
    expect((await catchLockError(locks.reenter(hold))).code).toBe("lost");
    expect(await direct.dump(key)).toBe(before);
  });
});

describe("retries after a lost reply", () => {
  const release = (connection: Redis, hold: VerbHold, retryMs: number) =>
    LOCK_WRITERS.redisson.release(connection, "none", hold.key, {
      ...{ token: hold.token, fence: hold.fence, id: "lost", digest: "d", retryMs },
    });

  it("a retry returns unknown and is not executed when its first attempt may have left the request window", async ({
    acquire,
    locks,
    direct,
    key,
    env,
  }) => {
    const hold = await acquire(key, "me");
    for (let n = 0; n < 120; n++) await locks.reenter(hold);
    expect(await release(env.connection, hold, 5000)).toEqual({ outcome: "unknown" });
    expect(await direct.hget(key, hold.token)).toBe("121");
  });

  it("a retry returns the original result while its first attempt is in the request window, also after 12 losses", async ({
    acquire,
    direct,
    key,
    env,
  }) => {
    const { token, fence } = await acquire(key, "me");
    const lost = Array.from({ length: 12 }, (_, n) => ({
      ...{ token, fence, id: `lost-${n}`, digest: "d", leaseMs: undefined },
    }));
    for (const each of lost) await LOCK_WRITERS.redisson.reenter(env.connection, "none", key, each);
    for (const each of lost) {
      const again = { ...each, retryMs: 5000 };
      const reply = await LOCK_WRITERS.redisson.reenter(env.connection, "none", key, again);
      expect(reply).toMatchObject({ outcome: "granted", how: "repeated", count: 13 });
    }
    expect(await direct.hget(key, token)).toBe("13");
  });

  it("a retry first sent after all recorded requests is executed, however many there are", async ({
    acquire,
    locks,
    key,
    env,
  }) => {
    const hold = await acquire(key, "me");
    for (let n = 0; n < 120; n++) await locks.reenter(hold);
    await sleepMs(60);
    expect((await release(env.connection, hold, 30)).outcome).toBe("still_held");
  });

  it("a retry whose first attempt was never recorded is executed", async ({ acquire, key, env }) => {
    const hold = await acquire(key, "me");
    expect((await release(env.connection, hold, 500)).outcome).toBe("released");
  });
});

describe("force-release", () => {
  it("force-release ends the hold that was seen, wakes Redisson waiters once and keeps the fencing token rising", async ({
    env,
    acquire,
    locks,
    direct,
    key,
  }) => {
    const messages: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe(`redisson_lock__channel:{${key}}`);
    listener.on("message", (_, message: string) => messages.push(message));
    const { token, fence } = await acquire(key, "me");
    const reply = await forceReleaseByOwner(locks, key, "redisson", {
      token,
      fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    await expect.poll(() => messages).toEqual(["0"]);
    expect(Number((await acquire(key, "you")).fence)).toBeGreaterThan(Number(fence));
  });

  it("force-release changes nothing when the same owner reacquired the lock", async ({
    acquire,
    locks,
    direct,
    key,
  }) => {
    const first = await acquire(key, "me");
    await locks.release(first);
    const { token } = await acquire(key, "me");
    const reply = await forceReleaseByOwner(locks, key, "redisson", {
      token: first.token,
      fence: first.fence,
      by: "mei",
      reason: "stuck",
    });
    expect(reply.outcome).toBe("changed");
    expect(await direct.hgetall(key)).toEqual({ [token]: "1" });
  });

  it("force-release tells the client that held the lock, on its own channel", async ({
    env,
    acquire,
    locks,
    key,
  }) => {
    const messages: string[] = [];
    const listener = env.redis.createClient();
    await listener.subscribe(buildClientChannel(locks.clientId));
    listener.on("message", (_, message: string) => messages.push(message));
    const { token, fence } = await acquire(key, "me");
    const seen = { token, fence, by: "mei", reason: "stuck" };
    await forceReleaseByOwner(locks, key, "redisson", seen);
    await forceReleaseByOwner(locks, key, "redisson", seen);
    await expect.poll(() => messages).toEqual([`${fence}\t${token}`]);
  });

  it("force-release never ends the wrong hold in 1,000 races with a changing holder", async ({
    env,
    acquire,
    locks,
    direct,
    key,
  }) => {
    const { locks: operator } = await env.openVerbs();
    let wrong = 0;
    let freed = 0;
    for (let round = 0; round < 1000; round++) {
      const hold = await acquire(key, "a");
      let next: string | undefined;
      const change = async () => {
        await locks.release(hold);
        next = (await locks.acquire(key, ask("a"))).grant.token;
      };
      const seen = { token: hold.token, fence: hold.fence, by: "mei", reason: "race" };
      const free = () => forceReleaseByOwner(operator, key, "redisson", seen);
      const [first, second] = round % 2 === 0 ? [change, free] : [free, change];
      const begun = first();
      if (round % 4 > 1) await new Promise((resolve) => setImmediate(resolve));
      const replies = await Promise.all([begun, second()]);
      if ((await direct.hget(key, next ?? "")) !== "1") wrong++;
      if (replies.some((reply) => reply?.outcome === "released")) freed++;
      await direct.del(key);
    }
    expect(wrong).toBe(0);
    expect(freed).toBeGreaterThan(0);
    expect(freed).toBeLessThan(1000);
  });
});

describe("key_not_allowed", () => {
  it.for([
    "orders:1",
    "lockkeeper:hold:{x}",
    "{lockkeeper}:home",
    "lock:}a{b",
    "lock:{open",
    "lock:{}x",
    "redisson_lock_queue:{lock:1}",
  ])("acquire refuses the key %s as key_not_allowed", async (key, { locks, direct }) => {
    expect((await catchLockError(locks.acquire(key, ask("me")))).code).toBe("key_not_allowed");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a key with a hash tag can be locked, and its companion key shares the tag's slot", async ({
    acquire,
    direct,
  }) => {
    const key = `lock:{tag-${randomUUID()}}:1`;
    await acquire(key, "me");
    expect(await direct.exists(`lockkeeper:hold:${key.slice(5, -2)}:${key}`)).toBe(1);
  });
});
