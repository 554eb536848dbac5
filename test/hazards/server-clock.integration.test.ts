import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { locksTest } from "../support/fixtures.ts";
import { createTestKey, WRITABLE_FORMATS } from "../support/test-locks.ts";

const it = locksTest();

const AHEAD_MS = 5000;
const [FENCE, SINCE] = [3, 4];

/** Changes the companion as if the server's clock had been ahead at the grant and was set back afterwards. */
async function setClockBack(direct: Redis, key: string): Promise<void> {
  const companion = String(buildCompanionKey(key));
  const facts = ((await direct.get(companion)) ?? "").split("\n");
  // The start time is omitted if it equals the first digits of the fence.
  const since = facts[SINCE] || facts[FENCE]?.slice(0, 13);
  facts[SINCE] = String(Number(since) + AHEAD_MS);
  await direct.set(companion, facts.join("\n"), "KEEPTTL");
}

describe.each(WRITABLE_FORMATS)("server clock set back during a hold (%s)", (format) => {
  it("after the server clock was set back, the last release still ends the hold at once", async ({
    locks,
    direct,
  }) => {
    // Covers re-entered holds and grace periods, because their releases use a different code path than a plain release.
    for (const [entries, graceMs] of [
      [1, 0],
      [1, 100],
      [2, 0],
    ] as const) {
      const key = createTestKey();
      const ask = { owner: "me", format, leaseMs: 30_000, graceMs };
      const { grant } = await locks.acquire(key, ask);
      for (let n = 1; n < entries; n++) await locks.reenter(grant);
      await setClockBack(direct, key);
      for (let n = 0; n < entries; n++) await locks.release(grant, { requestId: `r${n}` });
      expect((await locks.acquire(key, { ...ask, owner: "next" })).grant.count).toBe(1);
    }
  });

  it("after the server clock was set back, the minimum hold time lasts no longer than configured", async ({
    locks,
    direct,
    key,
  }) => {
    const { grant } = await locks.acquire(key, { owner: "me", format, leaseMs: 30_000, minHoldMs: 1000 });
    await setClockBack(direct, key);
    await locks.release(grant);
    const leftMs = await direct.pttl(key);
    expect(leftMs).toBeGreaterThan(0);
    // The tolerance covers the rounding of a deadline.
    expect(leftMs).toBeLessThanOrEqual(1002);
  });
});
