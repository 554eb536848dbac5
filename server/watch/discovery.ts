import type { Redis } from "ioredis";
import { type Key, keyOfBytes, textOfKey } from "../../lib/contract/key.ts";
import { standsAside } from "../formats/keys.ts";
import { Glob, matchesAny } from "../redis/glob.ts";

const COUNT = 1000;
/** From here on one pass without MATCH, matched by us, beats a pass for each pattern. */
const PATTERNS_FOR_ONE_PASS = 3;

/** Walks the keyspace and gives the keys that match, batch by batch. A key may come twice. */
export async function* discover(
  redis: Redis,
  patterns: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Key[]> {
  const globs = patterns.map((pattern) => new Glob(pattern));
  const passes = patterns.length >= PATTERNS_FOR_ONE_PASS ? [undefined] : patterns;
  for (const pattern of passes) {
    let cursor = "0";
    do {
      signal.throwIfAborted();
      const [next, found] = await page(redis, cursor, pattern);
      cursor = next;
      const keys = found
        .map(keyOfBytes)
        .filter((key) => !standsAside(key) && (pattern !== undefined || matchesAny(globs, textOfKey(key))));
      if (keys.length > 0) yield keys;
    } while (cursor !== "0");
  }
}

async function page(redis: Redis, cursor: string, pattern: string | undefined): Promise<[string, Buffer[]]> {
  const [next, keys] =
    pattern === undefined
      ? await redis.scanBuffer(cursor, "COUNT", COUNT)
      : await redis.scanBuffer(cursor, "MATCH", pattern, "COUNT", COUNT);
  return [next.toString(), keys];
}
