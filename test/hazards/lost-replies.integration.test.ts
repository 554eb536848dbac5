import { describe, expect } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { locksTest } from "../support/fixtures.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createTestKey, type TestVerbs, WRITABLE_FORMATS } from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";

const it = locksTest();

const WORKERS = 12;
const HOLDS = 84;
const REENTRIES = 9;
const PAIRS = WORKERS * HOLDS * (1 + REENTRIES);

describe("hazard 3: lost replies under load", () => {
  it(`${PAIRS} acquire/release pairs with 1% of replies lost leave correct counts and fencing tokens`, async ({
    env,
    direct,
  }) => {
    const proxy = await startTestProxy(env.redis.port, createSeededRandom(42));
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => env.openVerbs(proxy.port)));
    proxy.dropShare = 0.01;
    const keys = await Promise.all(
      workers.map((verbs, n) => work(verbs, WRITABLE_FORMATS[n % 3] ?? "token")),
    );
    expect(proxy.droppedCount).toBeGreaterThan(PAIRS / 100);
    expect(await direct.exists(...keys)).toBe(0);
    await proxy.stop();
  }, 60_000);
});

/** Acquires, re-enters and releases a lock repeatedly, and checks each reply. */
async function work({ acquire, locks }: TestVerbs, format: WritableFormat): Promise<string> {
  const key = createTestKey();
  let before = 0;
  for (let hold = 0; hold < HOLDS; hold++) {
    const hold = await acquire(key, "me", { format });
    const { token, fence } = hold;
    expect(hold.count).toBe(1);
    expect(Number(fence)).toBeGreaterThan(before);
    before = Number(fence);
    for (let entry = 0; entry < REENTRIES; entry++) {
      expect(await locks.reenter(hold)).toMatchObject({ count: 2, token, fence });
      const requestId = `${hold.token}/${entry}`;
      expect(await locks.release(hold, { requestId })).toMatchObject({ outcome: "still_held", count: 1 });
    }
    expect(await locks.release(hold)).toMatchObject({ outcome: "released", count: 0 });
  }
  return key;
}
