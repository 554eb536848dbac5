import fc from "fast-check";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { decodeKey } from "../../lib/keys/key.ts";
import { redisTest } from "../../test/support/fixtures.ts";
import { Glob } from "./glob.ts";

const it = redisTest();

/** Returns all concatenations of 1 to `longest` of the parts, in any order and with repetitions. */
function words(parts: readonly Buffer[], longest: number): Buffer[] {
  if (longest === 0) return [];
  const shorter = words(parts, longest - 1);
  const tails = [Buffer.alloc(0), ...shorter.filter((word) => word.length > 0)];
  const all = parts.flatMap((part) => tails.map((tail) => Buffer.concat([part, tail])));
  return [...new Map(all.map((word) => [word.toString("hex"), word])).values()];
}

async function fill(redis: Redis, keys: readonly Buffer[]): Promise<void> {
  await redis.flushdb();
  const pipeline = redis.pipeline();
  for (const key of keys) pipeline.set(key, "");
  await pipeline.exec();
}

async function foundByRedis(redis: Redis, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scanBuffer(cursor, "MATCH", pattern, "COUNT", 10_000);
    for (const key of keys) found.add(decodeKey(key));
    cursor = next.toString();
  } while (cursor !== "0");
  return [...found].sort();
}

async function agrees(redis: Redis, keys: readonly Buffer[], pattern: string): Promise<void> {
  const glob = new Glob(pattern);
  const found = keys.map(decodeKey).filter((key) => glob.matches(key));
  expect(found.sort()).toEqual(await foundByRedis(redis, pattern));
}

describe("Glob compared with SCAN MATCH", () => {
  it("Glob matches the same keys as SCAN MATCH for patterns of special characters", async ({ direct }) => {
    const alphabet = ["a", "b", "c", "*", "?", "[", "]", "^", "-", "\\"];
    const keys = words(
      alphabet.map((letter) => Buffer.from(letter)),
      3,
    );
    await fill(direct, keys);
    const pattern = fc.string({
      unit: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom("[", "]", "\\", "-") },
        { weight: 2, arbitrary: fc.constantFrom(...alphabet) },
      ),
      minLength: 1,
      maxLength: 10,
    });
    await fc.assert(
      fc.asyncProperty(pattern, (text) => agrees(direct, keys, text)),
      {
        numRuns: 1000,
        examples: [["[\\]]"], ["[a-]]"], ["[^"], ["[]"], ["[ab"], ["[a-"], ["[\\"], ["*\\"], ["[c-a]*"]],
      },
    );
  });

  // The patterns have no ranges, because the order of bytes above 0x7f depends on whether the C type `char` is signed.
  it("Glob matches the same keys as SCAN MATCH for multi-byte and invalid UTF-8 keys", async ({ direct }) => {
    const texts = ["a", "é", "€", "😀", "\u{10000}"];
    const keys = words([...texts.map((text) => Buffer.from(text)), Buffer.of(0xff), Buffer.of(0xc3)], 3);
    await fill(direct, keys);
    const pattern = fc.string({
      unit: fc.constantFrom(...texts, "*", "?", "?", "[", "^", "]", "\\"),
      minLength: 1,
      maxLength: 9,
    });
    await fc.assert(
      fc.asyncProperty(pattern, (text) => agrees(direct, keys, text)),
      { numRuns: 500 },
    );
  });
});
