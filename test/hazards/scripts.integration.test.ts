import { describe, expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import type { Grant, VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../server/locks/verbs/contract/verbs.ts";
import { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";
import { locksTest } from "../support/fixtures.ts";
import { createWriteRefusal, EXPIRE_DURING_SCRIPT, prependLua } from "../support/lua-prelude.ts";
import { observeLock } from "../support/observed-lock.ts";
import { requireServerFeature } from "../support/server-features.ts";
import { createTestKey, getErrorCode, type TestLocks, WRITABLE_FORMATS } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

const it = locksTest()
  // Verbs with Lua code of the test (`prelude`) before each script.
  .extend("bent", ({ env }) => {
    const bent = { prelude: "" };
    const connection = prependLua(env.connection, () => bent.prelude);
    return Object.assign(bent, {
      locks: new RedisLocks(connection, env.redis.createClient(), 0, ["lock:*"]),
    });
  });

const ask = (owner: string, more: Partial<AcquireOptions> = {}) => ({ owner, leaseMs: 30_000, ...more });

describe.each(["redisson", "token"] as const)("hazard 21: expiration during a script (%s)", (format) => {
  it("a lock that expires during a script is neither renewed nor partly acquired", async ({
    acquire,
    bent,
    direct,
    key,
    skip,
  }) => {
    await requireServerFeature({ skip }, direct, "script_clock");
    const hold = await acquire(key, "me", { format });
    bent.prelude = EXPIRE_DURING_SCRIPT;
    expect(await getErrorCode(bent.locks.renew(hold))).toBe("lost");
    await waitUntil(async () => (await direct.exists(key)) === 0);
    await acquire(key, "me", { format });
    const refused: unknown = await bent.locks
      .acquire(key, ask("you", { format }))
      .catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "held", facts: { remainingMs: 0 } });
    expect(await acquire(key, "you", { format, waitMs: 5000 })).toMatchObject({ count: 1 });
  });

  it("a re-entry of an expiring lock returns lost, and the same owner then gets a new hold", async ({
    acquire,
    bent,
    direct,
    key,
    skip,
  }) => {
    await requireServerFeature({ skip }, direct, "script_clock");
    const hold = await acquire(key, "me", { format });
    bent.prelude = EXPIRE_DURING_SCRIPT;
    expect(await getErrorCode(bent.locks.reenter(hold))).toBe("lost");
    const grant = await acquire(key, "me", { format, waitMs: 5000 });
    expect(grant.count).toBe(1);
    expect(Number(grant.fence)).toBeGreaterThan(Number(hold.fence));
  });

  it("a lock without a TTL counts as held, and its holder's renewal or re-entry restores the TTL", async ({
    locks,
    acquire,
    direct,
  }) => {
    for (const prolong of [
      (hold: Grant) => locks.renew(hold, { leaseMs: 20_000 }),
      (hold: Grant) => locks.reenter(hold, { leaseMs: 20_000 }),
    ]) {
      const key = createTestKey();
      const hold = await acquire(key, "me", { format });
      await direct.persist(key);
      const refused: unknown = await acquire(key, "you", { format }).catch((reason: unknown) => reason);
      expect(refused).toMatchObject({ code: "held", facts: { remainingMs: null } });
      expect(await direct.pttl(key)).toBe(-1);
      expect((await prolong(hold)).remainingMs).toBe(20_000);
      expect(await direct.pttl(key)).toBeGreaterThan(15_000);
    }
  });

  it("the watchdog restores a removed TTL", async ({ env, direct, key }) => {
    const client = await env.openClient();
    const hold = await client.acquire(key, { format, leaseMs: 3000 });
    await direct.persist(key);
    await waitUntil(async () => (await direct.pttl(key)) > 0);
    hold.assertHeld();
    await hold.release();
  });
});

describe("hazard 21: expiration during a script (timestamp)", () => {
  it("a timestamp lock follows its deadline even after its TTL was removed", async ({
    acquire,
    direct,
    key,
  }) => {
    await acquire(key, "me", { format: "timestamp", leaseMs: 50 });
    await direct.persist(key);
    expect(await acquire(key, "you", { format: "timestamp", waitMs: 5000 })).toMatchObject({ count: 1 });
    expect(await direct.pttl(key)).toBeGreaterThan(25_000);
  });
});

interface Scenario {
  readonly name: string;
  /** Count of the hold before the verb. 0 means that the lock is free, as an acquire requires. */
  readonly held: number;
  act(locks: RedisLocks, hold: VerbHold): Promise<unknown>;
  /** Minimum and maximum count after the repeated request. */
  readonly counts: readonly [least: number, most: number];
}

const requestId = "the-same";
const SCENARIOS: readonly Scenario[] = [
  {
    name: "acquire",
    held: 0,
    act: (locks, { key, format }) => locks.acquire(key, ask("me", { format, requestId })),
    counts: [1, 1],
  },
  {
    name: "acquire with a grace",
    held: 0,
    act: (locks, { key, format }) => locks.acquire(key, ask("me", { format, requestId, graceMs: 500 })),
    counts: [1, 1],
  },
  {
    name: "re-enter",
    held: 1,
    act: (locks, hold) => locks.reenter(hold, { requestId, leaseMs: 60_000 }),
    counts: [2, 3],
  },
  {
    name: "renew",
    held: 1,
    act: (locks, hold) => locks.renew(hold, { requestId, leaseMs: 60_000 }),
    counts: [1, 1],
  },
  {
    name: "release the inner one",
    held: 2,
    act: (locks, hold) => locks.release(hold, { requestId }),
    counts: [1, 2],
  },
  {
    name: "release",
    held: 1,
    act: (locks, hold) => locks.release(hold, { requestId }),
    counts: [0, 1],
  },
  {
    name: "release and reserve",
    held: 1,
    act: (locks, hold) => locks.release(hold, { requestId, reservedMs: 20_000 }),
    counts: [0, 1],
  },
];

/**
 * Creates a hold with the required count. For a count of 0, leaves the lock free and returns a hold that never existed.
 */
async function prepareHold(
  { acquire, locks }: TestLocks,
  format: WritableFormat,
  held: number,
): Promise<VerbHold> {
  const key = createTestKey();
  const unit = format === "timestamp" ? "ms" : undefined;
  if (held === 0) return { key, format, unit, token: "none", fence: "1" };
  const hold = await acquire(key, "me", { format });
  for (let count = 1; count < held; count++) await locks.reenter(hold);
  return hold;
}

describe("hazard 22: scripts that fail midway", () => {
  /** Runs a verb while Redis refuses one of its writes, repeats the request with the same ID, and checks the result. */
  async function cutShort(
    { env, bent }: { env: TestLocks; bent: { prelude: string; locks: RedisLocks } },
    scenario: Scenario,
    format: WritableFormat,
    write: number,
  ): Promise<string> {
    const hold = await prepareHold(env, format, scenario.held);
    const { key } = hold;
    bent.prelude = createWriteRefusal(write);
    const answer = await getErrorCode(scenario.act(bent.locks, hold));
    const at = `${scenario.name}, write ${write}: ${answer}`;
    // The key must not remain without a TTL.
    expect(await env.direct.pttl(key), at).not.toBe(-1);
    const again = await getErrorCode(scenario.act(env.locks, hold));
    expect(await env.direct.pttl(key), at).not.toBe(-1);
    const seen = await observeLock(env.direct, key);
    const [holder] = seen.state === "held" ? seen.holders : [];
    const count = holder === undefined || holder.owner.startsWith("lockkeeper:") ? 0 : holder.count;
    const [least, most] = scenario.counts;
    expect(count, at).toBeLessThanOrEqual(most);
    if (again === "ok") expect(count, at).toBeGreaterThanOrEqual(least);
    const isTaken = (await env.direct.exists(key)) === 1;
    expect((await getErrorCode(env.acquire(key, "you", { format }))) === "ok", at).toBe(!isTaken);
    return answer;
  }

  it.for(WRITABLE_FORMATS)(
    "%s: a script that fails midway leaves no lock without a TTL and never loses a count",
    async (format, { env, bent }) => {
      for (const scenario of SCENARIOS) {
        const answers: string[] = [];
        // If the first write of the fast path is refused, the complete script runs and may succeed, so the loop
        // continues once.
        do answers.push(await cutShort({ env, bent }, scenario, format, answers.length));
        while (answers.length === 1 || answers.at(-1)?.includes("refused"));
        expect(answers.join(), scenario.name).toContain("refused");
      }
    },
  );
});
