import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect, vi } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { forceReleaseObserved, observeHeldLock } from "../../test/support/observed-lock.ts";
import { RedissonFixture } from "../../test/support/redisson-fixture.ts";
import {
  catchLockError,
  countWaiters,
  createRedissonOwner,
  getErrorCode,
  sleepMs,
} from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildEventChannel, buildFairKeys, buildFairQueueKeys } from "../formats/keys.ts";
import type { AcquireRequest, WaitRequest } from "../formats/lock-requests.ts";
import { getLockWriter } from "../formats/registry/lock-writers.ts";
import { leaveFairQueue } from "../formats/stop-waiting.ts";

const it = locksTest();

const FAIR = { kind: "fair" } as const;
const WAITING = { kind: "fair", waitMs: 20_000 } as const;
/** Minimum time, in ms, after which a waiter that receives no message retries: two seconds minus a fifth of jitter. */
const LOOKS_AGAIN_MS = 1600;
const FAIR_WAIT_MS = 300_000;

const listQueue = (direct: Redis, key: string) => direct.lrange(String(buildFairQueueKeys(key)[0]), 0, -1);
const readTimeout = async (direct: Redis, key: string, waiter: string) =>
  Number(await direct.zscore(String(buildFairQueueKeys(key)[1]), waiter));
const countQueueKeys = (direct: Redis, key: string) => direct.exists(buildFairKeys(key).map(String));
const waitForQueue = (direct: Redis, key: string, count: number) =>
  waitUntil(async () => (await listQueue(direct, key)).length === count);

const writer = getLockWriter({ format: "redisson", kind: "fair" });

/** Joins the queue as a client that then sends nothing more. */
function joinAndDie(
  direct: Redis,
  key: string,
  { waitMs = 60_000, waitersMax = 1000, ...more }: Partial<AcquireRequest & WaitRequest> = {},
) {
  const plain = { digest: "-", record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const };
  const ask = { token: createRedissonOwner(), owner: "dead", leaseMs: 30_000, id: randomUUID(), ...plain };
  const waiting = { waitMs, sinceMs: undefined, waitersMax };
  return writer.acquire(direct, buildEventChannel(0), key, { ...ask, ...more }, waiting);
}

describe("defects of Redisson's fair lock", () => {
  it("a dead waiter costs its heartbeat, which ends no later than its wait, and not the fair wait time", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, FAIR);
    await joinAndDie(direct, key, { waitMs: 500 });
    const next = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 2);
    await hold.release();
    const startedAt = performance.now();
    await (await next).release();
    expect(performance.now() - startedAt).toBeLessThan(500 + 2100);
    expect(await countQueueKeys(direct, key)).toBe(0);
  });

  it("a waiter that is alive stays in the queue beyond the fair wait time", async ({ env, direct, key }) => {
    const client = await env.openClient({ fairWaitMs: 1000 });
    const hold = await client.acquire(key, { ...FAIR, leaseMs: 1000 });
    const order: string[] = [];
    const ours = client.withLock(key, WAITING, async () => void order.push("ours"));
    await waitForQueue(direct, key, 1);
    const [first = ""] = await listQueue(direct, key);
    const joined = await readTimeout(direct, key, first);
    await waitUntil(async () => (await readTimeout(direct, key, first)) > joined + 500);
    const theirs = new RedissonFixture(direct);
    await theirs.acquireFair(key, { waitMs: 1000 });
    expect(await listQueue(direct, key)).toEqual([first, theirs.getOwner()]);
    await hold.release();
    await ours;
    expect(order).toEqual(["ours"]);
  });

  it("a lease that expires wakes the first waiter, although no message is sent", async ({
    client,
    direct,
    key,
  }) => {
    await client.acquire(key, { ...FAIR, leaseMs: 400, renew: false });
    const order: number[] = [];
    const startedAt = performance.now();
    const both = [1, 2].map(async (n) => {
      await waitForQueue(direct, key, n - 1);
      await client.withLock(key, WAITING, async () => void order.push(n));
    });
    await Promise.all(both);
    expect(performance.now() - startedAt).toBeLessThan(400 + LOOKS_AGAIN_MS / 2);
    expect(order).toEqual([1, 2]);
  });

  it("a wait that times out leaves no keys", async ({ client, direct, key }) => {
    const hold = await client.acquire(key, FAIR);
    expect(await getErrorCode(client.acquire(key, { ...FAIR, waitMs: 100 }))).toBe("timeout");
    await waitUntil(async () => (await countQueueKeys(direct, key)) === 0);
    await waitUntil(async () => (await countWaiters(direct, key)) === 0);
    await hold.release();
  });

  it("the timeouts count from the clock of Redis, whatever the clock of the client shows", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { ...FAIR, leaseMs: 10_000 });
    const [seconds = 0] = (await direct.time()).map(Number);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const waits = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 1).finally(() => vi.useRealTimers());
    const [waiter = ""] = await listQueue(direct, key);
    const leftMs = (await readTimeout(direct, key, waiter)) - seconds * 1000;
    expect(leftMs).toBeGreaterThan(FAIR_WAIT_MS + 9000);
    expect(leftMs).toBeLessThan(FAIR_WAIT_MS + 13_000);
    await hold.release();
    await (await waits).release();
  });

  it("a waiter that leaves moves those behind it up by the fair wait time", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, FAIR);
    const off = new AbortController();
    const left = getErrorCode(client.acquire(key, { ...WAITING, signal: off.signal }));
    await waitForQueue(direct, key, 1);
    const stays = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 2);
    const [, second = ""] = await listQueue(direct, key);
    const before = await readTimeout(direct, key, second);
    off.abort();
    expect(await left).toBe("aborted");
    await waitForQueue(direct, key, 1);
    expect(await readTimeout(direct, key, second)).toBe(before - FAIR_WAIT_MS);
    await hold.release();
    await (await stays).release();
  });

  it("a force-release wakes the first waiter and keeps the places of the others", async ({
    client,
    direct,
    key,
  }) => {
    await client.acquire(key, { ...FAIR, renew: false });
    await joinAndDie(direct, key);
    const [dead = ""] = await listQueue(direct, key);
    const first = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 2);
    const second = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 3);
    await sleepMs(100);
    await direct.zadd(String(buildFairKeys(key)[2]), 1, dead);
    const startedAt = performance.now();
    await forceReleaseObserved(direct, buildEventChannel(0), await observeHeldLock(direct, key));
    const granted = await first;
    expect(performance.now() - startedAt).toBeLessThan(LOOKS_AGAIN_MS / 2);
    expect(await listQueue(direct, key)).toHaveLength(1);
    await granted.release();
    await (await second).release();
  });

  it("a client of Redisson whose timeout was evicted is removed after the fair wait time", async ({
    env,
    direct,
    key,
  }) => {
    const client = await env.openClient({ fairWaitMs: 1000 });
    const theirs = new RedissonFixture(direct);
    const hold = await client.acquire(key, FAIR);
    await theirs.acquireFair(key);
    await direct.del(theirs.getTimeoutKey(key));
    await hold.release();
    const startedAt = performance.now();
    await (await client.acquire(key, WAITING)).release();
    expect(performance.now() - startedAt).toBeLessThan(1000 + 2100);
  });
});

describe("places in the queue", () => {
  it("a repeated request keeps its place, also in another process", async ({ env, locks, direct, key }) => {
    const { locks: other } = await env.openVerbs();
    const hold = await env.acquire(key, "me", FAIR);
    const ask = { owner: "you", leaseMs: 30_000, ...WAITING };
    const off = new AbortController();
    const first = getErrorCode(locks.acquire(key, { ...ask, requestId: "r1", signal: off.signal }));
    await waitForQueue(direct, key, 1);
    const behind = locks.acquire(key, { ...ask, owner: "behind" });
    await waitForQueue(direct, key, 2);
    const before = await listQueue(direct, key);
    off.abort();
    expect(await first).toBe("aborted");
    const again = other.acquire(key, { ...ask, requestId: "r1" });
    await sleepMs(100);
    expect(await listQueue(direct, key)).toEqual(before);
    await locks.release(hold);
    const { grant } = await again;
    expect(await listQueue(direct, key)).toEqual(before.slice(1));
    await locks.release(grant);
    await locks.release((await behind).grant);
  });

  it("a place that is kept for a repeated request is passed over when it is its turn", async ({
    env,
    locks,
    direct,
    key,
  }) => {
    const hold = await env.acquire(key, "me", FAIR);
    const ask = { owner: "you", leaseMs: 30_000, ...WAITING };
    const off = new AbortController();
    const first = getErrorCode(locks.acquire(key, { ...ask, requestId: "r1", signal: off.signal }));
    await waitForQueue(direct, key, 1);
    const theirs = new RedissonFixture(direct);
    await theirs.acquireFair(key);
    off.abort();
    expect(await first).toBe("aborted");
    const listener = direct.duplicate();
    const heard: string[] = [];
    listener.on("message", (_, message: string) => heard.push(message));
    await listener.subscribe(theirs.channels.fair(key));
    // Redisson's unlock wakes the kept place, which has no client. This process wakes the next waiter instead.
    await direct.del(key);
    const [kept = ""] = await listQueue(direct, key);
    await direct.publish(`${theirs.channels.lock(key)}:${kept}`, "0");
    await waitUntil(() => heard.length > 0);
    expect(await listQueue(direct, key)).toEqual([theirs.getOwner()]);
    expect(await locks.release(hold)).toMatchObject({ outcome: "not_held" });
    listener.disconnect();
  });

  it("a reservation after a release keeps the queue, whose first waiter is next when it expires", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, FAIR);
    const first = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 1);
    await hold.release({ reservedMs: 500 });
    expect(await listQueue(direct, key)).toHaveLength(1);
    expect(await getErrorCode(client.acquire(key, FAIR))).toBe("held");
    const granted = await first;
    expect(await countQueueKeys(direct, key)).toBe(0);
    await granted.release();
  });

  it("a waiter whose replies were lost has one place, and leaves it without knowing when it joined", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, FAIR);
    const same = { token: createRedissonOwner(), id: randomUUID() };
    await joinAndDie(direct, key, same);
    await joinAndDie(direct, key, { ...same, retryMs: 50 });
    expect(await listQueue(direct, key)).toEqual([same.token]);
    expect(await countWaiters(direct, key)).toBe(1);
    const departure = { waiterId: same.token, sinceMs: undefined, owner: "dead", seenMs: undefined };
    const rest = { keepMs: 0, isKept: false, fairWaitMs: FAIR_WAIT_MS };
    await leaveFairQueue(direct, buildEventChannel(0), key, { ...departure, ...rest });
    expect(await countQueueKeys(direct, key)).toBe(0);
    expect(await countWaiters(direct, key)).toBe(0);
    await hold.release();
  });

  it("an acquire beyond the maximum number of waiters is refused", async ({ client, direct, key }) => {
    const hold = await client.acquire(key, FAIR);
    const limits = { waitersMax: 2 };
    for (const outcome of ["held", "held", "queue_full"])
      expect(await joinAndDie(direct, key, limits)).toMatchObject({ outcome });
    expect(await listQueue(direct, key)).toHaveLength(2);
    await hold.release();
  });

  it("a plain lock on the same key ignores the queue, as in Redisson", async ({ client, direct, key }) => {
    await joinAndDie(direct, key);
    const [queue = "", ends = ""] = buildFairQueueKeys(key).map(String);
    await direct.rpush(queue, createRedissonOwner());
    expect(await direct.exists(ends)).toBe(0);
    await direct.del(key);
    expect(await getErrorCode(client.acquire(key, FAIR))).toBe("held");
    const hold = await client.acquire(key);
    expect(hold.kind).toBe("lock");
    await hold.release();
  });
});

describe("auxiliary keys with other data", () => {
  const [QUEUE, TIMEOUTS, HEARTBEATS] = [0, 1, 2];

  it.for([
    ["queue", QUEUE],
    ["timeouts", TIMEOUTS],
  ] as const)(
    "an acquire is refused where the name of the %s holds a string, which is kept",
    async ([, index], { client, direct, key }) => {
      const name = String(buildFairKeys(key)[index]);
      await direct.set(name, "data");
      for (const options of [FAIR, WAITING]) {
        const refusal = await catchLockError(client.acquire(key, options));
        expect(refusal.code).toBe("not_a_lock");
        expect(refusal.message).toContain(`${name.split(":")[0]}:{…} of this fair lock holds a string`);
      }
      expect(await direct.get(name)).toBe("data");
      expect(await direct.exists(key)).toBe(0);
    },
  );

  it.for([QUEUE, TIMEOUTS, HEARTBEATS])(
    "a release succeeds where auxiliary name %s holds a string",
    async (index, { client, direct, key }) => {
      const hold = await client.acquire(key, FAIR);
      await joinAndDie(direct, key);
      await direct.set(String(buildFairKeys(key)[index]), "data");
      expect((await hold.release()).outcome).toBe("released");
      expect(await direct.exists(key)).toBe(0);
    },
  );

  it("heartbeats of another type are replaced, because the name is reserved", async ({
    client,
    direct,
    key,
  }) => {
    await direct.set(String(buildFairKeys(key)[HEARTBEATS]), "data");
    const hold = await client.acquire(key, FAIR);
    const waits = client.acquire(key, WAITING);
    await waitForQueue(direct, key, 1);
    await hold.release();
    await (await waits).release();
    expect(await countQueueKeys(direct, key)).toBe(0);
  });
});
