import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { LOCK_WRITERS } from "../../server/formats/lock-writer.ts";
import { redisTest } from "../support/fixtures.ts";
import { expectSameContent, readLockContent } from "../support/lock-content.ts";
import {
  acquireAs,
  identifyRequest,
  type LockVerb,
  type NamedHold,
  SPOKEN_FORMATS,
  type SpokenFormat,
  VERBS_OF_HOLDS,
  VERBS_OF_KEYS,
} from "../support/lock-verbs.ts";
import { EVENT_CHANNEL, observeHeldLock } from "../support/observed-lock.ts";
import { createRedissonOwner, createTestKey, readCompanion } from "../support/test-locks.ts";

const it = redisTest();
const LEASE_MS = 30_000;

const FORBIDDEN_OUTCOMES = new Set([
  ...["granted", "released", "still_held", "extended", "enough", "requested", "answered"],
]);

/** Runs each verb and expects that the verb is refused and Redis is unchanged. */
async function expectRefusals(
  redis: Redis,
  key: string,
  spoken: SpokenFormat,
  verbs: Readonly<Record<string, LockVerb>>,
  named: NamedHold,
): Promise<void> {
  for (const [name, verb] of Object.entries(verbs)) {
    const before = await readLockContent(redis, key);
    const reply = await verb(redis, key, spoken, named);
    const at = `${name} with ${JSON.stringify(named)}: ${JSON.stringify(reply)}`;
    expectSameContent(await readLockContent(redis, key), before, at);
    const { outcome = "" } = typeof reply === "object" ? ({ ...reply } as { outcome?: string }) : {};
    expect(FORBIDDEN_OUTCOMES, at).not.toContain(outcome);
    if (name === "verify") expect(outcome, at).not.toBe("held");
    if (name === "renew-many") expect(reply, at).toEqual([null]);
    if (name === "agree") expect(reply, at).toBe(false);
  }
}

async function acquireOwn(redis: Redis, key: string, spoken: SpokenFormat) {
  const named = { token: createRedissonOwner(), fence: null, principal: undefined };
  const grant = await acquireAs(redis, key, spoken, named);
  if (grant.outcome !== "granted") throw new Error(`not granted: ${grant.outcome}`);
  return grant;
}

describe.each(SPOKEN_FORMATS)("a Lockkeeper hold in $name", (held) => {
  const others = SPOKEN_FORMATS.filter((each) => each.name !== held.name);
  it.for(others)(
    "no verb in $name changes or ends it, whatever token it names",
    async (spoken, { direct }) => {
      const key = createTestKey();
      const { token, fence } = await acquireOwn(direct, key, held);
      const stored = held.format === "redisson" ? token : ((await direct.get(key)) ?? "");
      await expectRefusals(direct, key, spoken, VERBS_OF_KEYS, {
        token: "t",
        fence: null,
        principal: "key-2",
      });
      // The two units of `timestamp` belong to one format, which identifies a hold by its token and fence in both
      // units.
      if (spoken.format === held.format) return;
      for (const each of [token, stored]) {
        for (const ownFence of [fence, null]) {
          for (const principal of ["key-1", "key-2", undefined])
            await expectRefusals(direct, key, spoken, VERBS_OF_HOLDS, {
              ...{ token: each, fence: ownFence, principal },
            });
        }
      }
    },
  );

  it.for(others.filter(({ format }) => format !== held.format))(
    "an acquire in $name that is taken back leaves the hold described",
    async (spoken, { direct }) => {
      const key = createTestKey();
      const { fence } = await acquireOwn(direct, key, held);
      const before = await readLockContent(direct, key);
      const described = await readCompanion(direct, key);
      const ask = {
        token: "t",
        fence: undefined,
        ...identifyRequest({ principal: "key-2" }),
        acquiredBy: "r1",
      };
      const reply = await LOCK_WRITERS[spoken.format].release(direct, EVENT_CHANNEL, key, ask);
      expect(reply.outcome).toBe("not_held");
      const { companion } = await readLockContent(direct, key);
      expectSameContent(await readLockContent(direct, key), { ...before, companion });
      expect(await readCompanion(direct, key)).toEqual(described);
      expect(described?.fence).toBe(fence);
    },
  );

  it.for(others)("an acquire in $name is refused at once and names no wait", async (spoken, { direct }) => {
    const key = createTestKey();
    await acquireOwn(direct, key, held);
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    const before = await readLockContent(direct, key);
    const reply = await acquireAs(direct, key, spoken, named, 5000);
    expect(reply.outcome).toBe(spoken.format === held.format ? "unit_conflict" : "not_a_lock");
    expectSameContent(await readLockContent(direct, key), before);
  });
});

type Plant = (redis: Redis, key: string) => Promise<string>;

async function plantString(redis: Redis, key: string, value: string): Promise<string> {
  await redis.set(key, value, "PX", LEASE_MS, "NX");
  return value;
}

/** Locks of other libraries, one or more for each format. */
const FOREIGN: readonly (readonly [name: string, plant: Plant])[] = [
  [
    "redisson",
    async (redis, key) => {
      const owner = createRedissonOwner();
      await redis.multi().hset(key, owner, 1).pexpire(key, LEASE_MS).exec();
      return owner;
    },
  ],
  ["token", (redis, key) => plantString(redis, key, randomUUID())],
  ["token that is a time in ms", (redis, key) => plantString(redis, key, String(Date.now() - 5000))],
  [
    "token that is a time in s",
    (redis, key) => plantString(redis, key, String(Math.floor(Date.now() / 1000) - 5)),
  ],
  ["timestamp in ms", (redis, key) => plantString(redis, key, String(Date.now() + LEASE_MS))],
  [
    "timestamp in s",
    (redis, key) => plantString(redis, key, String(Math.ceil((Date.now() + LEASE_MS) / 1000))),
  ],
];

describe.each(FOREIGN)("a foreign hold: %s", (_, plant) => {
  it.for(SPOKEN_FORMATS)("no verb of a principal in $name changes or ends it", async (spoken, { direct }) => {
    const key = createTestKey();
    const stored = await plant(direct, key);
    const verbs = { ...VERBS_OF_KEYS, ...VERBS_OF_HOLDS };
    // These verbs have no principal: operators compare only the stored owner, and the watchdog renews by token.
    for (const name of ["extend", "force-release", "force-release and reserve", "renew-many"])
      Reflect.deleteProperty(verbs, name);
    for (const fence of [null, "1795219195021038"])
      await expectRefusals(direct, key, spoken, verbs, { token: stored, fence, principal: "key-2" });
  });

  it.for(SPOKEN_FORMATS)("a waiting acquire in $name is not granted", async (spoken, { direct }) => {
    const key = createTestKey();
    await plant(direct, key);
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    const before = await readLockContent(direct, key);
    const { outcome } = await acquireAs(direct, key, spoken, named, 5000);
    expect(["held", "not_a_lock", "unit_conflict"]).toContain(outcome);
    expectSameContent({ ...(await readLockContent(direct, key)), waiters: 0 }, before);
  });
});

describe("a deadline that is later than the TTL of its key", () => {
  it("ends with the key, in the refusal and where the lock is shown", async ({ direct, key }) => {
    await direct.set(key, String(Date.now() + 8000), "PX", 4000);
    const ms: SpokenFormat = { name: "timestamp in ms", format: "timestamp", unit: "ms" };
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    const reply = await acquireAs(direct, key, ms, named);
    expect(reply).toMatchObject({ outcome: "held" });
    expect(reply.outcome === "held" && reply.remainingMs).toBeLessThanOrEqual(4000);
    const rules = new FormatRules([{ pattern: "lock:*", format: "timestamp" }]);
    const seen = await observeHeldLock(direct, key, rules);
    expect(seen.remainingMs).toBeGreaterThan(0);
    expect(seen.remainingMs).toBeLessThanOrEqual(4000);
  });

  it("a hold of Lockkeeper is shown to end with the key as well", async ({ direct, key }) => {
    await acquireOwn(direct, key, { name: "timestamp in ms", format: "timestamp", unit: "ms" });
    await direct.pexpire(key, 4000);
    expect((await observeHeldLock(direct, key)).remainingMs).toBeLessThanOrEqual(4000);
  });
});

describe("a value in the past as a timestamp lock", () => {
  const past = () => String(Date.now() - 60_000);
  const ms: SpokenFormat = { name: "timestamp in ms", format: "timestamp", unit: "ms" };

  it("is taken over when its key has no time to live", async ({ direct, key }) => {
    await direct.set(key, past());
    expect(await acquireOwn(direct, key, ms)).toMatchObject({ count: 1 });
  });

  it("stays taken while its key has a time to live, and the refusal tells that time", async ({
    direct,
    key,
  }) => {
    await direct.set(key, past(), "PX", 5000);
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    const reply = await acquireAs(direct, key, ms, named);
    expect(reply).toMatchObject({ outcome: "held" });
    const remainingMs = reply.outcome === "held" ? (reply.remainingMs ?? 0) : 0;
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(5000);
    const rules = new FormatRules([{ pattern: "lock:*", format: "timestamp" }]);
    const seen = await observeHeldLock(direct, key, rules);
    expect(seen.remainingMs).toBeGreaterThan(0);
    expect(seen.remainingMs).toBeLessThanOrEqual(5000);
  });

  it("is taken over when its time to live is a Unix time, as a published client sets it", async ({
    direct,
    key,
  }) => {
    await direct.set(key, past());
    await direct.expire(key, Math.floor(Date.now() / 1000));
    expect(await acquireOwn(direct, key, ms)).toMatchObject({ count: 1 });
  });

  it("of a Lockkeeper hold is taken over whatever the time to live of its key", async ({ direct, key }) => {
    const { token } = await acquireOwn(direct, key, ms);
    const value = past();
    const companion = `lockkeeper:hold:{${key}}`;
    const told = (await direct.get(companion)) ?? "";
    await direct.set(companion, told.replace(/^([^\n]*)\n[^\n]*/, `$1\n${value}`), "KEEPTTL");
    await direct.set(key, value, "PX", 60_000);
    expect(await readCompanion(direct, key)).toMatchObject({ token, value });
    expect(await acquireOwn(direct, key, ms)).toMatchObject({ count: 1 });
  });
});
