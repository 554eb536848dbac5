import type { Redis } from "ioredis";
import { pino } from "pino";
import { describe, expect } from "vitest";
import type { TimestampUnit } from "../../lib/contract/format.ts";
import { locksTest } from "../../test/support/fixtures.ts";
import { writeGuarded } from "../../test/support/guarded-write.ts";
import { PollingLock } from "../../test/support/seeds/polling-lock.ts";
import { ScriptLock } from "../../test/support/seeds/script-lock.ts";
import { SingleTryLock } from "../../test/support/seeds/single-try-lock.ts";
import { createTestKey, getErrorCode, sleepMs, type TestLocks } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import type { Hold } from "./client/hold.ts";

const it = locksTest();

/** Acquires the lock, runs the work and releases the lock. Returns false if the lock was not acquired. */
type Section = (key: string, work: () => Promise<void>) => Promise<boolean>;

function literal(lock: {
  acquire(key: string): Promise<boolean>;
  release(key: string): Promise<void>;
}): Section {
  return async (key, work) => {
    if (!(await lock.acquire(key))) return false;
    await work();
    await lock.release(key);
    return true;
  };
}

async function ours(env: TestLocks, unit: TimestampUnit): Promise<Section> {
  const client = await env.openClient();
  const retry = { tries: 3, pauseMs: 4, jitter: 0.5 };
  return async (key, work) => {
    const code = await getErrorCode(
      client.withLock(key, { format: "timestamp", unit, leaseMs: 20_000, retry }, async () => await work()),
    );
    return code === "ok";
  };
}

const SEEDS: readonly { name: string; unit: TimestampUnit; open(redis: Redis): Section }[] = [
  {
    name: "Lua script, three attempts",
    unit: "s",
    open: (redis) => literal(new ScriptLock(redis, { pauseMs: 4, leaseSeconds: 20, release: "described" })),
  },
  {
    name: "separate commands in milliseconds, repeated attempts",
    unit: "ms",
    open: (redis) => literal(new PollingLock(redis, { everyMs: 4 })),
  },
  {
    name: "separate commands in seconds, single attempt",
    unit: "s",
    open: (redis) => literal(new SingleTryLock(redis, 20)),
  },
];

describe("published timestamp clients beside Lockkeeper", () => {
  it.for(SEEDS)(
    "$name: a counter read and written under the shared lock stays exact",
    async ({ unit, open }, { env, direct }) => {
      const [key, counter, sections] = [`${createTestKey()}_lock`, createTestKey(), 40];
      let inside = 0;
      const contend = async (section: Section) => {
        const redis = env.redis.createClient();
        const work = async () => {
          expect(++inside).toBe(1);
          const count = Number(await redis.get(counter));
          await redis.set(counter, count + 1);
          inside--;
        };
        for (let done = 0; done < sections; ) {
          if (await section(key, work)) done++;
          else await sleepMs(5 * Math.random());
        }
      };
      const contenders = [1, 2, 3].flatMap(() => [
        Promise.resolve(open(env.redis.createClient())),
        ours(env, unit),
      ]);
      await Promise.all((await Promise.all(contenders)).map(contend));
      expect(await direct.get(counter)).toBe(String(sections * contenders.length));
    },
  );

  it("a lock abandoned by a client with another clock and no useful TTL is taken over at its deadline", async ({
    env,
    key,
    direct,
  }) => {
    const slow = new ScriptLock(env.redis.createClient(), { clockSeconds: -10 });
    expect(await slow.acquire(key)).toBe(true);
    expect(await direct.ttl(key)).toBeGreaterThan(1_000_000_000);
    const client = await env.openClient();
    const hold = await client.acquire(key, { format: "timestamp", unit: "s", leaseMs: 5000 });
    expect(await direct.ttl(key)).toBeLessThan(10);
    // This release deletes only a lock that has already ended, so it does not affect the current hold.
    await slow.release(key);
    expect(await getErrorCode(hold.renew())).toBe("ok");
    await hold.release();
  });
});

describe.concurrent("work that outlasts the lease", () => {
  it("two published timestamp clients overlap and lose an update when work outlasts the lease", async ({
    env,
    direct,
  }) => {
    const [key, counter] = [createTestKey(), createTestKey()];
    const [first, second] = [1, 2].map(
      () => new PollingLock(env.redis.createClient(), { leaseMs: 60, everyMs: 5 }),
    );
    let inside = 0;
    let most = 0;
    const work = async (lock: PollingLock | undefined, lasts: () => Promise<unknown>) => {
      expect(await lock?.acquire(key)).toBe(true);
      most = Math.max(most, ++inside);
      const count = Number(await direct.get(counter));
      await lasts();
      await direct.set(counter, count + 1);
      inside--;
      await lock?.release(key);
    };
    let isDone = false;
    const overrunning = work(first, () => waitUntil(() => isDone));
    await waitUntil(() => inside === 1);
    await work(second, async () => undefined).finally(() => {
      isDone = true;
    });
    await overrunning;
    expect(most).toBe(2);
    expect(await direct.get(counter)).toBe("1");
  });

  it.for(["ms", "s"] as const)(
    "%s: a late write by a Lockkeeper holder is rejected by the resource because of its smaller fencing token",
    async (unit, { env, direct }) => {
      const [key, resource] = [createTestKey(), createTestKey()];
      const client = await env.openClient();
      const options = { format: "timestamp", unit, leaseMs: 50, renew: false } as const;
      const overrunning = await client.acquire(key, options);
      const next = await client.acquire(key, { ...options, leaseMs: 20_000, waitMs: 10_000 });
      expect(overrunning.signal.aborted).toBe(true);
      const write = ({ fence }: Hold, value: string) => writeGuarded(direct, resource, fence, value);
      expect(await write(next, "next")).toBe("written");
      expect(await write(overrunning, "late")).toBe("refused");
      expect(await direct.get(resource)).toBe("next");
      await next.release();
    },
  );

  it("a late published client deletes a Lockkeeper lock, reported as lost, but cannot write to the resource", async ({
    env,
    direct,
  }) => {
    const [key, resource] = [createTestKey(), createTestKey()];
    const client = await env.openClient();
    const overrunning = new PollingLock(env.redis.createClient(), { leaseMs: 30 });
    expect(await overrunning.acquire(key)).toBe(true);
    const hold = await client.acquire(key, { format: "timestamp", leaseMs: 600, waitMs: 5000 });
    expect(await writeGuarded(direct, resource, hold.fence, "ours")).toBe("written");
    // This client has no fencing token, and its release deletes the lock of any holder.
    expect(await writeGuarded(direct, resource, "0", "late")).toBe("refused");
    await overrunning.release(key);
    const next = await client.acquire(key, { format: "timestamp", owner: "next", leaseMs: 20_000 });
    await waitUntil(() => hold.signal.aborted);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
    expect(await writeGuarded(direct, resource, next.fence, "next")).toBe("written");
    expect(await writeGuarded(direct, resource, hold.fence, "ours again")).toBe("refused");
    await next.release();
  });
});

describe.concurrent("retry attempts", () => {
  it("each retry attempt is logged with its result: free, held, gone or outrun", async ({
    env,
    key,
    acquire,
  }) => {
    const records: { tried: number; answer: string; owner: string }[] = [];
    const log = pino({ level: "debug" }, { write: (line: string) => records.push(JSON.parse(line)) });
    const client = await env.openClient({ log });
    const retry = { tries: 3, pauseMs: 200 };
    const answersOf = (owner: string) =>
      records.filter((one) => one.owner === owner).map(({ answer }) => answer);
    const tryFor = (key: string, owner: string) => client.acquire(key, { owner, retry, format: "timestamp" });
    const firstTry = (owner: string) => waitUntil(() => answersOf(owner).length === 1);

    const hold = await tryFor(key, "first");
    expect(answersOf("first")).toEqual(["free"]);

    const startedAt = performance.now();
    expect(await getErrorCode(tryFor(key, "patient"))).toBe("held");
    expect(answersOf("patient")).toEqual(["held", "held", "held"]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(390);

    const later = tryFor(key, "later");
    await firstTry("later");
    await hold.release();
    const second = await later;
    expect(answersOf("later")).toEqual(["held", "gone"]);

    const outrun = getErrorCode(tryFor(key, "outrun"));
    await firstTry("outrun");
    await second.release();
    await acquire(key, "faster", { format: "timestamp" });
    expect(await outrun).toBe("held");
    expect(answersOf("outrun")).toEqual(["held", "outrun", "held"]);
  });
});

describe.concurrent("token locks", () => {
  it("a token lock is re-entered, renewed and deleted by the last release, and reports its loss when overwritten", async ({
    env,
    key,
    direct,
  }) => {
    const client = await env.openClient();
    const working = client.withLock(key, { format: "token", leaseMs: 1000 }, async (outer) => {
      expect(await direct.get(key)).toBe(outer.token);
      await client.withLock(key, { format: "token", reentrant: true }, async ({ count, token, fence }) => {
        expect([count, token, fence]).toEqual([2, outer.token, outer.fence]);
      });
      expect(await direct.get(key)).toBe(outer.token);
      await sleepMs(1500);
      outer.assertHeld();
      expect(await direct.pttl(key)).toBeGreaterThan(0);
      await direct.set(key, "another's", "PX", 60_000);
      await waitUntil(() => outer.signal.aborted);
      expect(outer.signal.reason).toMatchObject({ code: "lost" });
    });
    expect(await getErrorCode(working)).toBe("lost");
    expect(await direct.get(key)).toBe("another's");
    expect(await direct.pttl(key)).toBeGreaterThan(50_000);
    await direct.del(key);
    await client.withLock(key, { format: "token" }, async () => undefined);
    expect(await direct.exists(key)).toBe(0);
  });
});
