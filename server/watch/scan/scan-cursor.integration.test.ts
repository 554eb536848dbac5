import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { ScanCursor } from "./scan-cursor.ts";
import { TimeBudget } from "./time-budget.ts";

const KEYS = 60_000;
let redis: TestRedis;
let direct: Redis;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.createClient();
  await direct.eval(
    "for at = 1, tonumber(ARGV[1]) do redis.call('SET', (at % 20 == 0 and 'lock:' or 'some:') .. at, 1) end",
    0,
    KEYS,
  );
  await direct.set("lockkeeper:hold:{lock:1}", "ours");
});

afterAll(() => redis.stop());

async function scanKeys(discovery: ScanCursor, stopAfter = Number.POSITIVE_INFINITY): Promise<Set<string>> {
  const stop = new AbortController();
  const found = new Set<string>();
  let pages = 0;
  try {
    for await (const keys of discovery.readPages(stop.signal)) {
      for (const key of keys) found.add(key);
      if (++pages === stopAfter) stop.abort();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  return found;
}

it.each([
  ["one pattern", ["lock:*"]],
  ["a pattern within another", ["lock:*", "*lock*", "lock:1*"]],
  ["many patterns", ["lock:*", "mutex:*", "semaphore:*", "*:LOCKED"]],
])("a keyspace scan returns every key that matches %s, and no Lockkeeper keys", async (_, patterns) => {
  const discovery = new ScanCursor(direct, patterns);
  const found = await scanKeys(discovery);
  expect(found.size).toBe(KEYS / 20);
  expect([...found].filter((key) => !key.startsWith("lock:"))).toEqual([]);
  expect(discovery.scanned).toBeGreaterThanOrEqual(KEYS);
});

it("an interrupted keyspace scan resumes where it stopped", async () => {
  const discovery = new ScanCursor(direct, ["lock:*"]);
  const before = await scanKeys(discovery, 5);
  const scannedBefore = discovery.scanned;
  const after = await scanKeys(discovery);
  expect(scannedBefore).toBeLessThan(KEYS / 2);
  expect(after.size).toBeLessThan(KEYS / 20);
  expect(new Set([...before, ...after]).size).toBe(KEYS / 20);
});

it("the time budget limits work to its share of time plus the saved allowance", async () => {
  const pace = new TimeBudget(0.05, 10);
  const { signal } = new AbortController();
  const startedAt = performance.now();
  await pace.spend(10, signal);
  expect(performance.now() - startedAt).toBeLessThan(50);
  for (let work = 0; work < 4; work++) await pace.spend(2, signal);
  expect(performance.now() - startedAt).toBeGreaterThan(130);
});
