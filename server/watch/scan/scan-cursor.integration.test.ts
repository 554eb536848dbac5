import { expect } from "vitest";
import { redisTest } from "../../../test/support/fixtures.ts";
import { ScanCursor } from "./scan-cursor.ts";

const KEYS = 60_000;

/** `filled` is a connection to a Redis with `KEYS` keys. Every 20th key matches `lock:*`. */
const it = redisTest().extend("filled", { scope: "file" }, async ({ direct }) => {
  await direct.eval(
    "for at = 1, tonumber(ARGV[1]) do redis.call('SET', (at % 20 == 0 and 'lock:' or 'some:') .. at, 1) end",
    0,
    KEYS,
  );
  await direct.set("lockkeeper:hold:{lock:1}", "ours");
  return direct;
});

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

it.for<[string, string[]]>([
  ["one pattern", ["lock:*"]],
  ["a pattern within another", ["lock:*", "*lock*", "lock:1*"]],
  ["many patterns", ["lock:*", "mutex:*", "semaphore:*", "*:LOCKED"]],
])(
  "a keyspace scan returns every key that matches %s, and no Lockkeeper keys",
  async ([, patterns], { filled }) => {
    const discovery = new ScanCursor(filled, patterns);
    const found = await scanKeys(discovery);
    expect(found.size).toBe(KEYS / 20);
    expect([...found].filter((key) => !key.startsWith("lock:"))).toEqual([]);
    // Valkey scans slightly more than COUNT keys per call, so the estimate can be too low.
    expect(discovery.scanned).toBeGreaterThan(KEYS * 0.99);
  },
);

it("an interrupted keyspace scan resumes where it stopped", async ({ filled }) => {
  const discovery = new ScanCursor(filled, ["lock:*"]);
  const before = await scanKeys(discovery, 5);
  const scannedBefore = discovery.scanned;
  const after = await scanKeys(discovery);
  expect(scannedBefore).toBeLessThan(KEYS / 2);
  expect(after.size).toBeLessThan(KEYS / 20);
  expect(new Set([...before, ...after]).size).toBe(KEYS / 20);
});
