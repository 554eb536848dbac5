import fc from "fast-check";
import { describe, expect } from "vitest";
import { decodeKey, encodeKey, type Key } from "../../lib/keys/key.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { toRedisArgument } from "../redis/script.ts";
import {
  buildColocatedKey,
  buildCompanionKey,
  buildFencedCounterKey,
  buildRedissonKey,
  buildWakeChannel,
  findKeyFault,
  isAuxiliaryKey,
} from "./keys.ts";

const it = redisTest({ args: ["--cluster-enabled", "yes"] }).extend(
  "fetchSlots",
  { scope: "file" },
  ({ direct }) =>
    async (names: readonly (string | Buffer | number)[]) => {
      const pipeline = direct.pipeline();
      for (const name of names) pipeline.cluster("KEYSLOT", toBytes(name));
      const replies = (await pipeline.exec()) ?? [];
      return replies.map(([error, slot]) => {
        if (error !== null) throw error;
        return Number(slot);
      });
    },
);

const toBytes = (name: string | Buffer | number) =>
  Buffer.isBuffer(name) ? name : Buffer.from(String(name));

// Generates keys with braces in every position, next to characters that make the names of two keys look alike.
const text = fc.string({
  unit: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("{", "}", "a", ":") },
    { weight: 1, arbitrary: fc.constantFrom("b", "é", "\u{10000}", "lockkeeper:hold:{") },
  ),
  minLength: 1,
  maxLength: 10,
});
const bytes = fc
  .array(fc.constantFrom(0x7b, 0x7d, 0x61, 0x3a, 0xff, 0xc3), { minLength: 1, maxLength: 10 })
  .map((codes) => decodeKey(Uint8Array.from(codes)));
const key: fc.Arbitrary<Key> = fc.oneof({ weight: 3, arbitrary: text }, { weight: 2, arbitrary: bytes });
const mappable = key.filter((one) => findKeyFault(one) === undefined);

describe("companion keys of a lock", () => {
  it("every companion key is in the slot of its lock", async ({ fetchSlots }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(mappable, { minLength: 20, maxLength: 40 }), async (keys) => {
        const slots = await fetchSlots(keys.map(toRedisArgument));
        for (const nameOf of [
          buildCompanionKey,
          buildFencedCounterKey,
          buildWakeChannel,
          (one: Key) => buildColocatedKey("lockkeeper:waiters", one),
          (one: Key) => buildRedissonKey("redisson_lock_queue", one),
        ]) {
          expect(await fetchSlots(keys.map(nameOf))).toEqual(slots);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("every lock has its own companion key", () => {
    fc.assert(
      fc.property(fc.array(mappable, { minLength: 2, maxLength: 100 }), (keys) => {
        const owners = new Map<string, string>();
        for (const one of keys) {
          const companion = toBytes(buildCompanionKey(one)).toString("hex");
          expect(owners.get(companion) ?? one).toBe(one);
          owners.set(companion, one);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("companion key names match the design and Redisson", () => {
    expect(buildCompanionKey("lock:a")).toBe("lockkeeper:hold:{lock:a}");
    expect(buildCompanionKey("{tag}lock")).toBe("lockkeeper:hold:{tag}:{tag}lock");
    expect(buildCompanionKey("lock:{tag}:a{b}")).toBe("lockkeeper:hold:{tag}:lock:{tag}:a{b}");
    expect(buildFencedCounterKey("lock:a")).toBe("redisson_lock_token:{lock:a}");
    expect(buildFencedCounterKey("lock:{a}")).toBe("redisson_lock_token:lock:{a}");
    expect(buildWakeChannel("lock:a")).toBe("redisson_lock__channel:{lock:a}");
  });

  it("companion keys preserve the bytes of a key that is not UTF-8", () => {
    const binary = decodeKey(Buffer.from("lock:\xff", "latin1"));
    expect(toRedisArgument(binary)).toEqual(Buffer.from(encodeKey(binary)));
    expect(buildCompanionKey(binary)).toEqual(Buffer.from("lockkeeper:hold:{lock:\xff}", "latin1"));
    const tagged = decodeKey(Buffer.from("{\xff}a", "latin1"));
    expect(buildCompanionKey(tagged)).toEqual(Buffer.from("lockkeeper:hold:{\xff}:{\xff}a", "latin1"));
    expect(toRedisArgument("\u{10000}")).toBe("\u{10000}");
  });

  it("a companion key is never treated as a lock", () => {
    fc.assert(
      fc.property(mappable, (one) => {
        expect(isAuxiliaryKey(one)).toBe(false);
        for (const name of [buildCompanionKey(one), buildFencedCounterKey(one)]) {
          const companion = decodeKey(toBytes(name));
          expect(isAuxiliaryKey(companion)).toBe(true);
          expect(findKeyFault(companion)).toBeDefined();
        }
      }),
    );
  });
});

describe("keys without a companion key", () => {
  const binary = (latin1: string) => decodeKey(Buffer.from(latin1, "latin1"));

  it.each([
    ["", /empty/],
    ["a}b{c}", /} precedes the first {/],
    ["}", /} precedes the first {/],
    ["a{b", /never closed/],
    ["{", /never closed/],
    ["{}a", /first {} is empty/],
    ["a{}{b}", /first {} is empty/],
    ["lockkeeper:hold:{a}", /begin with lockkeeper:/],
    ["{lockkeeper}:sessions", /begin with lockkeeper:/],
    ["redisson_lock_token:{a}", /auxiliary keys of Redisson/],
    [binary("lockkeeper:hold:{\xff}"), /begin with lockkeeper:/],
    [binary("redisson_lock_token:{\xff}"), /auxiliary keys of Redisson/],
    [binary("\xff{"), /never closed/],
  ])("the key %j cannot be locked, with the reason given", (one, why) => {
    expect(findKeyFault(one)).toMatch(why);
  });

  it.each([
    "a",
    "lock:a",
    "{a}",
    "x{a}y",
    "{a}}",
    "{a{b}",
    "{a}{}",
    "my-lockkeeper:x",
    "aredisson_",
    "redisson_lock:orders",
    "redisson_lock",
    binary("\xff{a}"),
  ])("the key %j can be locked", (one) => {
    expect(findKeyFault(one)).toBeUndefined();
  });
});

describe("auxiliary keys of libraries", () => {
  it.each([
    "lockkeeper:hold:{a}",
    "{lockkeeper}:sessions",
    "redisson_unlock_latch:{a}:1",
    "redisson_lock_queue:{a}",
    "redisson_lock_timeout:{a}",
    "redisson_lock_token:{a}",
    "lock-signal:a",
    "symfony_check_support_time",
    "{a}:uuid:1:rwlock_timeout:3",
    "rq:clean_registries:default",
    "bull:mail:stalled-check",
    "uniquejobs:digests",
    "uniquejobs:expiring_digests",
    "uniquejobs:0123456789abcdef0123456789abcdef",
    "uniquejobs:0123456789abcdef0123456789abcdef:INFO",
    "uniquejobs:0123456789abcdef0123456789abcdef:RUN:QUEUED",
  ])("%s is an auxiliary key of a lock library", (one) => {
    expect(isAuxiliaryKey(one)).toBe(true);
  });

  it.each([
    "lock:a",
    "my-lockkeeper:a",
    "redisson",
    "a:rwlock_timeout",
    "a:rwlock_timeout:x",
    "rq:scheduler-lock:default",
    "bull:mail:1:lock",
    "uniquejobs:0123456789abcdef0123456789abcdef:LOCKED",
    "uniquejobs:0123456789abcdef0123456789abcdef:RUN:LOCKED",
  ])("%s is not an auxiliary key", (one) => {
    expect(isAuxiliaryKey(one)).toBe(false);
  });
});
