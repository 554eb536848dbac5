import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import {
  acquireAs,
  identifyRequest,
  type LockVerb,
  type NamedHold,
  SPOKEN_FORMATS,
  type SpokenFormat,
  VERBS_OF_HOLDS,
  VERBS_OF_KEYS,
} from "../../test/support/lock-verbs.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { createRedissonOwner, createTestKey } from "../../test/support/test-locks.ts";
import { buildCompanionKey, buildFencedCounterKey, buildWaitersKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest();
const RUNS = 60;

const VERBS: Readonly<Record<string, LockVerb>> = {
  ...VERBS_OF_KEYS,
  ...VERBS_OF_HOLDS,
  "waiting acquire": (redis, key, spoken, named) => acquireAs(redis, key, spoken, named, 5000),
  "take back": (redis, key, { format }, named) =>
    LOCK_WRITERS[format].release(redis, EVENT_CHANNEL, key, {
      ...{ token: named.token, fence: undefined, ...identifyRequest(named), acquiredBy: "r1" },
    }),
};

/** Placeholders for the token and the fence of the hold, which are known only at run time. */
const TOKEN = "<token>";
const FENCE = "<fence>";

const number = fc.constantFrom(
  ...["", "0", "1", "2", "-1", "5.5", "1e308", "inf", "nan", "0x1F", " 7", "16000000000000"],
  ...["9007199254740991", "9007199254740993", "9".repeat(300), "1700000000", "1700000000123", FENCE],
);
const request = fc
  .constantFrom(
    '["rr_1","requested",1,null]',
    '["rr_1","requested",{},[],"",null]',
    "[",
    "[]",
    "1",
    '"x"',
    "",
  )
  .map((text) => `{"releaseRequest":${text}}`);
const line = fc.oneof(
  number,
  request,
  fc.constantFrom(TOKEN, FENCE, "redisson", "token", "timestamp", "lockkeeper:reserve:mei", "{}", "[[["),
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\n", "")),
);
/** The fields of a companion in the layout of companion.lua, with arbitrary content. */
const head = fc
  .tuple(
    ...[fc.constantFrom(TOKEN, "", "x"), line, number, fc.constantFrom(FENCE, "", "7"), number, number],
    ...[number, number, number, fc.constantFrom("redisson", "token", "timestamp", ""), line, line, line],
  )
  .map((lines) => lines.join("\n"));
const part = fc.oneof(
  number,
  fc.constantFrom("acquire", "released", "withdrawn", "reenter", "cut", "r1", "digest", "-", ""),
  line,
);
const entry = fc.array(part, { maxLength: 6 }).map((parts) => `\n${parts.join("\t")}`);
const window = fc
  .tuple(fc.array(entry, { maxLength: 4 }), fc.nat({ max: 4200 }))
  .map(([entries, times]) => entries.join("").repeat(times).slice(0, 8300));

/** Any content that a client can write to a companion, a counter or a list of waiters. */
const garbage = fc.oneof(
  { weight: 6, arbitrary: fc.record({ text: fc.tuple(head, window).map((parts) => parts.join("")) }) },
  { weight: 2, arbitrary: fc.record({ text: fc.string({ unit: "binary", maxLength: 9000 }) }) },
  { weight: 1, arbitrary: fc.record({ text: number }) },
  fc.record({ type: fc.constantFrom("missing", "hash", "list", "set", "stream" as const) }),
  fc.record({ scores: fc.array(fc.constantFrom("-inf", "inf", "0", "1e300", "9e15"), { minLength: 1 }) }),
);
type Garbage = typeof garbage extends fc.Arbitrary<infer One> ? One : never;

async function plant(redis: Redis, name: string, planted: Garbage, hold: NamedHold): Promise<void> {
  await redis.del(name);
  if ("text" in planted) {
    const text = planted.text.replaceAll(TOKEN, hold.token).replaceAll(FENCE, hold.fence ?? "");
    await redis.set(name, text, "PX", 60_000);
  } else if ("scores" in planted) {
    for (const [at, score] of planted.scores.entries()) await redis.zadd(name, score, String(at).repeat(900));
  } else if (planted.type === "hash") await redis.hset(name, hold.token, "1");
  else if (planted.type === "list") await redis.rpush(name, hold.token);
  else if (planted.type === "set") await redis.sadd(name, hold.token);
  else if (planted.type === "stream") await redis.xadd(name, "*", "token", hold.token);
}

/** Acquires a hold. If `isHeld` is false, returns a token that has no hold. */
async function prepareHold(
  redis: Redis,
  key: string,
  spoken: SpokenFormat,
  isHeld: boolean,
): Promise<NamedHold> {
  const named = { token: createRedissonOwner(), fence: "1795219195021038", principal: undefined };
  if (!isHeld) return named;
  const grant = await acquireAs(redis, key, spoken, named);
  if (grant.outcome !== "granted") throw new Error(`not granted: ${grant.outcome}`);
  return { ...named, fence: grant.fence };
}

describe.each(SPOKEN_FORMATS)("garbage beside a lock in $name", (spoken) => {
  it("no companion, counter or set of waiters makes a script fail, nor grants a lock that is held", async ({
    direct,
  }) => {
    const planted = { companion: garbage, counter: garbage, waiters: garbage };
    const run = fc.record({ ...planted, isHeld: fc.boolean(), isRetry: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(run, async ({ companion, counter, waiters, isHeld, isRetry }) => {
        for (const [name, verb] of Object.entries(VERBS)) {
          const key = createTestKey();
          const hold = await prepareHold(direct, key, spoken, isHeld);
          await plant(direct, String(buildCompanionKey(key)), companion, hold);
          await plant(direct, String(buildFencedCounterKey(key)), counter, hold);
          await plant(direct, String(buildWaitersKey(key)), waiters, hold);
          const named = { ...hold, retryMs: isRetry ? 5 : undefined };
          const reply = await verb(direct, key, spoken, named).catch((error) => {
            throw new Error(`${name}: ${error}`);
          });
          const isAcquire = name.endsWith("acquire") || name === "reserve";
          const { outcome } = { outcome: "", ...(reply as object) };
          if (isHeld && isAcquire) expect(outcome, name).not.toBe("granted");
          await direct.del(key);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
