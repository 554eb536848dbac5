import type { Redis } from "ioredis";
import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { CallSizes } from "./call-sizes.ts";
import { ScanCursor } from "./scan-cursor.ts";

const KEYS = 6000;
const LOCKS = KEYS / 20;
const BLOCK = "for step = 1, tonumber(ARGV[1]) do end";
const BLOCK_MS = 20;

/** `filled` is a connection to a Redis with `KEYS` keys. Every 20th key matches `lock:*`. */
const it = redisTest().extend("filled", { scope: "file" }, async ({ direct }) => {
  await direct.eval(
    "for at = 1, tonumber(ARGV[1]) do redis.call('SET', (at % 20 == 0 and 'lock:' or 'some:') .. at, 1) end",
    0,
    KEYS,
  );
  return direct;
});

async function scanKeys(redis: Redis, sizes: CallSizes): Promise<Set<string>> {
  const found = new Set<string>();
  const cursor = new ScanCursor(redis, ["lock:*"], () => undefined, sizes);
  for await (const keys of cursor.readPages(new AbortController().signal)) {
    for (const key of keys) found.add(key);
  }
  return found;
}

/**
 * Returns the number of loop iterations that block Redis for more than `BLOCK_MS`. A script cannot measure the time
 * itself, because its clock is frozen on Redis 7.2 and later.
 */
async function findBlockSteps(redis: Redis): Promise<number> {
  for (let steps = 100_000; ; steps *= 2) {
    const startedAt = performance.now();
    await redis.eval(BLOCK, 0, steps);
    if (performance.now() - startedAt > BLOCK_MS) return steps;
  }
}

/** Blocks Redis with one script after another. @returns a function that stops the scripts */
async function blockRedis(redis: Redis): Promise<() => Promise<void>> {
  const steps = await findBlockSteps(redis);
  let isBlocking = true;
  const blocking = (async () => {
    while (isBlocking) await redis.eval(BLOCK, 0, steps);
  })();
  return async () => {
    isBlocking = false;
    await blocking;
    redis.disconnect();
  };
}

it("scan calls become small while other clients block Redis, the scan ends, and they grow again", {
  timeout: 60_000,
}, async ({ filled }) => {
  const sizes = new CallSizes();
  const least = new CallSizes().scan;
  for (let call = 0; call < 20; call++) least.record(1, 60_000);
  await waitUntil(async () => {
    await scanKeys(filled, sizes);
    return sizes.scan.size > least.size;
  }, 20_000);
  const unblock = await blockRedis(filled.duplicate());
  try {
    await waitUntil(async () => {
      expect((await scanKeys(filled, sizes)).size).toBe(LOCKS);
      return sizes.scan.size === least.size;
    }, 40_000);
  } finally {
    await unblock();
  }
  await waitUntil(async () => {
    await scanKeys(filled, sizes);
    return sizes.scan.size > least.size;
  }, 20_000);
});
