import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { TimestampUnit } from "../../lib/contract/format.ts";
import { locksTest } from "../support/fixtures.ts";
import { PollingLock } from "../support/seeds/polling-lock.ts";
import { SingleTryLock } from "../support/seeds/single-try-lock.ts";
import {
  createTestKey,
  getErrorCode,
  readCompanion,
  sleepMs,
  type TestVerbs,
} from "../support/test-locks.ts";

const CONTENDERS = 8;
const ROUNDS = 1000;
const AT_ONCE = 25;

const it = locksTest().extend("contenders", { scope: "file" }, ({ env }) =>
  Promise.all(Array.from({ length: CONTENDERS }, () => env.openVerbs())),
);

const ended = (unit: TimestampUnit) => String(Math.floor(Date.now() / (unit === "s" ? 1000 : 1)) - 3000);
/** Creates an expired lock like a crashed client leaves behind. */
async function plant(direct: Redis, unit: TimestampUnit): Promise<string> {
  const key = createTestKey();
  await direct.set(key, ended(unit));
  return key;
}

/**
 * Runs one race for an expired lock. Returns the number of winners and whether a retry by a loser changed the deadline.
 */
async function round(
  direct: Redis,
  contenders: readonly TestVerbs[],
  unit: TimestampUnit,
): Promise<{ winners: number; isMoved: boolean }> {
  const key = await plant(direct, unit);
  const ask = { format: "timestamp", unit, leaseMs: 60_000 } as const;
  const contend = (some: readonly number[]) =>
    Promise.all(some.map((n) => getErrorCode(contenders[n]?.acquire(key, `${n}`, ask) ?? Promise.reject())));
  const codes = await contend([...contenders.keys()]);
  expect(new Set(codes)).toEqual(new Set(["ok", "held"]));
  const winner = codes.indexOf("ok");
  const stored = await readCompanion(direct, key);
  expect(stored?.owner).toBe(String(winner));
  await contend([...contenders.keys()].filter((n) => n !== winner).slice(0, 2));
  const isMoved = (await direct.get(key)) !== stored?.value;
  return { winners: codes.filter((code) => code === "ok").length, isMoved };
}

describe("hazard 23: double takeover", () => {
  it.for(["ms", "s"] as const)(
    "%s: of eight clients that find an expired lock, exactly one takes it over and no loser moves its deadline",
    { timeout: 60_000 },
    async (unit, { direct, contenders }) => {
      for (let done = 0; done < ROUNDS; done += AT_ONCE) {
        const rounds = await Promise.all(
          Array.from({ length: AT_ONCE }, () => round(direct, contenders, unit)),
        );
        expect(rounds).toEqual(Array(AT_ONCE).fill({ winners: 1, isMoved: false }));
      }
    },
  );

  it("a takeover with DEL and SETNX lets two clients hold the lock", async ({ direct, env }) => {
    const key = await plant(direct, "ms");
    const [first = direct, second = direct] = [env.redis.createClient(), env.redis.createClient()];
    const seen = [await first.get(key), await second.get(key)];
    expect(seen.every((end) => Number(end) < Date.now())).toBe(true);
    const take = async (redis: Redis) => {
      await redis.del(key);
      return await redis.setnx(key, String(Date.now() + 60_000));
    };
    expect([await take(first), await take(second)]).toEqual([1, 1]);
  });

  it("a takeover with GETSET has one winner, but the loser moves its deadline", async ({ direct, env }) => {
    const key = await plant(direct, "ms");
    const [winner, loser] = [env.redis.createClient(), env.redis.createClient()];
    const held = await winner.get(key);
    expect(await winner.getset(key, String(Date.now() + 1000))).toBe(held);
    const promised = await direct.get(key);
    // The loser had also read the old deadline.
    expect(await loser.getset(key, String(Date.now() + 60_000))).not.toBe(held);
    expect(await direct.get(key)).not.toBe(promised);
  });
});

describe.concurrent("hazard 23: published timestamp clients on a Lockkeeper lock", () => {
  it("a published client in milliseconds and Lockkeeper acquire the lock only after the other's hold has ended", async ({
    env,
    client,
    direct,
    key,
  }) => {
    const literal = new PollingLock(env.redis.createClient(), { leaseMs: 150, everyMs: 5 });
    const hold = await client.acquire(key, { format: "timestamp", leaseMs: 150, renew: false });
    expect(await literal.acquire(key)).toBe(true);
    expect(hold.remainingMs()).toBe(0);
    const theirEnd = Number(await direct.get(key));
    const next = await client.acquire(key, { format: "timestamp", waitMs: 5000 });
    expect(Date.now()).toBeGreaterThan(theirEnd);
    expect(Number(next.fence)).toBeGreaterThan(Number(hold.fence));
    await next.release();
  });

  it("a published client in seconds acquires the lock only after the Lockkeeper hold has ended", async ({
    env,
    client,
    key,
  }) => {
    const literal = new SingleTryLock(env.redis.createClient(), 1);
    const hold = await client.acquire(key, { format: "timestamp", unit: "s", leaseMs: 100, renew: false });
    while (!(await literal.acquire(key))) await sleepMs(20);
    expect(hold.remainingMs()).toBe(0);
  });

  it("a hold whose deadline another client moved is reported as lost to its holder", async ({
    client,
    direct,
    key,
  }) => {
    const hold = await client.acquire(key, { format: "timestamp", leaseMs: 600 });
    await direct.getset(key, String(Date.now() + 60_000));
    expect(await getErrorCode(hold.renew())).toBe("lost");
    expect(hold.signal.aborted).toBe(true);
  });
});
