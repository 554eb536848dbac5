import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import {
  acquireAs,
  type LockVerb,
  type NamedHold,
  SPOKEN_FORMATS,
  type SpokenFormat,
  VERBS_OF_HOLDS,
  VERBS_OF_KEYS,
} from "../../test/support/lock-verbs.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { createRedissonOwner, createTestKey, readCompanion } from "../../test/support/test-locks.ts";
import { buildCompanionKey, buildFairQueueKeys, buildFencedCounterKey, buildWaitersKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest();
const REDISSON: SpokenFormat = { name: "redisson", format: "redisson", unit: "ms" };
const TOKEN: SpokenFormat = { name: "token", format: "token", unit: "ms" };

const HUGE_BYTES = 32 * 1024 * 1024;
const LUA_BYTES_MAX = 2 * 1024 * 1024;
const TRIES = 5;
const COMPANION_BYTES_MAX = 8192;

/** Runs a command on a key. The last argument is a string of `bytes` bytes. */
const writeBytes = (redis: Redis, command: string, key: unknown, bytes: number, ...parameters: string[]) =>
  redis.call(command, String(key), ...parameters, Buffer.alloc(bytes, "x"));

/**
 * Returns the memory used by the Lua interpreter, in bytes. Includes copies made by scripts that are not
 * garbage-collected yet.
 */
async function readLuaBytes(redis: Redis): Promise<number> {
  return Number(/^used_memory_lua:(\d+)/m.exec(await redis.info("memory"))?.[1]);
}

/** Measures the time that Redis spends in the scripts of `call`, in µs. */
async function measureScriptMicros(redis: Redis, call: () => Promise<unknown>): Promise<number> {
  await redis.config("RESETSTAT");
  await call();
  const stats = await redis.info("commandstats");
  const spent = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g)];
  return spent.reduce((sum, [, micros]) => sum + Number(micros), 0);
}

interface Planted {
  readonly name: string;
  readonly verb: LockVerb;
  readonly spoken: SpokenFormat;
  readonly isHeld: boolean;
  plant(redis: Redis, key: string, hold: NamedHold, bytes: number): Promise<unknown>;
}

const forceReleaseWithQueue: LockVerb = (redis, key, _, { token, fence }) => {
  const ask = { token, fence, by: "mei", reason: "a test" };
  return LOCK_WRITERS.redisson.forceRelease(redis, EVENT_CHANNEL, key, ask, buildFairQueueKeys(key));
};
const getVerb = (name: string): LockVerb => {
  const verb = VERBS_OF_HOLDS[name] ?? VERBS_OF_KEYS[name];
  if (verb === undefined) throw new Error(`there is no ${name}`);
  return verb;
};

const plantCompanion: Planted["plant"] = (redis, key, _, bytes) =>
  writeBytes(redis, "SET", buildCompanionKey(key), bytes);

const PLANTED: readonly Planted[] = [
  ...[
    "acquire",
    "reenter",
    "renew",
    "renew-many",
    "verify",
    "release",
    "extend",
    "force-release",
    "agree",
  ].map(
    (name): Planted => ({
      ...{
        name: `companion (${name})`,
        verb: getVerb(name),
        isHeld: true,
        spoken: REDISSON,
        plant: plantCompanion,
      },
    }),
  ),
  {
    name: "companion of a free lock",
    verb: getVerb("acquire"),
    isHeld: false,
    spoken: REDISSON,
    plant: plantCompanion,
  },
  {
    name: "counter of a fenced lock",
    ...{ verb: getVerb("acquire"), isHeld: false, spoken: REDISSON },
    plant: (redis, key, _, bytes) => writeBytes(redis, "SET", buildFencedCounterKey(key), bytes),
  },
  ...["acquire", "release", "renew", "force-release"].map(
    (name): Planted => ({
      ...{ name: `count of the hold (${name})`, verb: getVerb(name), isHeld: true, spoken: REDISSON },
      plant: (redis, key, { token }, bytes) => writeBytes(redis, "HSET", key, bytes, token),
    }),
  ),
  {
    name: "another field of the lock",
    ...{ verb: getVerb("acquire"), isHeld: true, spoken: REDISSON },
    plant: (redis, key, _, bytes) => writeBytes(redis, "HSET", key, bytes, "other"),
  },
  {
    name: "value of a string lock",
    ...{ verb: getVerb("acquire"), isHeld: false, spoken: TOKEN },
    plant: (redis, key, _, bytes) => writeBytes(redis, "SET", key, bytes),
  },
  {
    name: "member of the waiters",
    verb: (redis, key, spoken, named) => acquireAs(redis, key, spoken, named, 5000),
    ...{ isHeld: true, spoken: REDISSON },
    plant: (redis, key, _, bytes) =>
      writeBytes(redis, "ZADD", buildWaitersKey(key), bytes, String(Date.now() + 60_000)),
  },
  {
    name: "head of the fair queue",
    ...{ verb: forceReleaseWithQueue, isHeld: true, spoken: REDISSON },
    plant: (redis, key, _, bytes) => writeBytes(redis, "RPUSH", buildFairQueueKeys(key)[0], bytes),
  },
];

async function acquireFor(redis: Redis, key: string, { spoken, isHeld }: Planted): Promise<NamedHold> {
  const named = { token: createRedissonOwner(), fence: "1795219195021038", principal: undefined };
  const grant = isHeld ? await acquireAs(redis, key, spoken, named) : undefined;
  return grant?.outcome === "granted" ? { ...named, fence: grant.fence } : named;
}

describe("huge values", () => {
  it.for(PLANTED)("a script does not copy a huge value: $name", async (planted, { direct, key }) => {
    const hold = await acquireFor(direct, key, planted);
    await planted.plant(direct, key, hold, HUGE_BYTES);
    await planted.verb(direct, key, planted.spoken, hold);
    expect(await readLuaBytes(direct)).toBeLessThan(LUA_BYTES_MAX);
    await direct.flushall();
  });
});

/** Returns the shortest time of several runs, in µs, because another process may delay any run. */
async function measureAcquire(redis: Redis, verb: LockVerb, companion: string): Promise<number> {
  const runs: number[] = [];
  for (let done = 0; done < TRIES; done++) {
    const key = createTestKey();
    await redis.set(String(buildCompanionKey(key)), companion, "PX", 600_000);
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    runs.push(await measureScriptMicros(redis, () => verb(redis, key, TOKEN, named)));
  }
  return Math.min(...runs);
}

/** Creates a companion without a hold. Its request window repeats `entry` until the companion is `bytes` bytes long. */
function createCompanion(entry: string, bytes: number): string {
  const head = "\n\n0\n\n0\n0\n0\n0\n0\ntoken\n\n\n";
  return (head + entry.repeat(bytes / entry.length)).slice(0, bytes);
}

const ENTRIES: readonly (readonly [name: string, entry: string])[] = [
  ["old entries", "\na\t0"],
  ["line breaks", "\n"],
  ["tabs", "\n\t"],
  ["entries of digits", "\n\t1\t1"],
  ["entries without times", "\naaaaaaaaaaaaaaaa"],
  ["acquire entries", "\na\tacquire\t\t1\t9999999999999"],
  ["new entries", "\na\treleased\t-\t1\t9999999999999"],
];

describe("companions that no verb wrote", () => {
  it.for(ENTRIES)(
    "a window of %s takes time in proportion to its length at most",
    async ([, entry], { direct }) => {
      for (const verb of [getVerb("acquire"), getVerb("release")]) {
        const measure = (bytes: number) => measureAcquire(direct, verb, createCompanion(entry, bytes));
        const [short, long] = [await measure(COMPANION_BYTES_MAX / 8), await measure(COMPANION_BYTES_MAX)];
        // The input is eight times as long: quadratic time would take 64 times as long.
        expect(long / short).toBeLessThan(16);
      }
    },
  );

  it("a companion of 200 KB that was made to hang Redis counts as missing", async ({ direct, key }) => {
    const companion = String(buildCompanionKey(key));
    await direct.set(companion, createCompanion("\na\t0", 200 * 1024));
    const named = { token: createRedissonOwner(), fence: null, principal: undefined };
    const micros = await measureScriptMicros(direct, () => acquireAs(direct, key, TOKEN, named));
    expect(micros).toBeLessThan(500_000);
    expect(await readCompanion(direct, key)).toMatchObject({ token: named.token, count: 1 });
    expect(await direct.strlen(companion)).toBeLessThan(1024);
  });

  it.for(SPOKEN_FORMATS)(
    "$name: text of any length at the end of a companion fails no acquire",
    async (spoken, { direct }) => {
      for (const bytes of [100, 299, 300, 400, 1999, 2000, 8000]) {
        for (const end of ["x".repeat(bytes), `\n${"y\t".repeat(bytes / 2)}`, `\nr\t${"9".repeat(bytes)}`]) {
          const key = createTestKey();
          const text = `\n\n0\n1700000000000000\n0\n0\n0\n0\n1\n${spoken.format}\n\n\n${end}`;
          await direct.set(String(buildCompanionKey(key)), text);
          const named = { token: createRedissonOwner(), fence: null, principal: undefined };
          expect(await acquireAs(direct, key, spoken, named)).toMatchObject({ outcome: "granted" });
        }
      }
    },
  );
});
