import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { createTestKey, startTestLocks, type TestLocks, WRITABLE_FORMATS } from "../support/test-locks.ts";

let test: TestLocks;

beforeAll(async () => {
  test = await startTestLocks();
});
afterAll(async () => await test.stop());

const AHEAD_MS = 5000;
const SINCE = 4;

/** As if the clock of the server had been ahead at the grant, and was set back after it. */
async function setClockBack(key: string): Promise<void> {
  const companion = String(buildCompanionKey(key));
  const facts = ((await test.direct.get(companion)) ?? "").split("\n");
  facts[SINCE] = String(Number(facts[SINCE]) + AHEAD_MS);
  await test.direct.set(companion, facts.join("\n"), "KEEPTTL");
}

describe.each(WRITABLE_FORMATS)("server clock set back during a hold (%s)", (format) => {
  it("after the server clock was set back, the last release still ends the hold at once", async () => {
    // With a grace a release is never the plain one.
    for (const [entries, graceMs] of [
      [1, 0],
      [1, 100],
      [2, 0],
    ] as const) {
      const key = createTestKey();
      const ask = { owner: "me", format, leaseMs: 30_000, reentrant: true, graceMs };
      for (let n = 0; n < entries; n++) await test.locks.acquire(key, ask);
      await setClockBack(key);
      for (let n = 0; n < entries; n++)
        await test.locks.release(key, { owner: "me", format, requestId: `r${n}` });
      expect((await test.locks.acquire(key, { ...ask, owner: "next" })).grant.count).toBe(1);
    }
  });

  it("after the server clock was set back, the minimum hold time lasts no longer than configured", async () => {
    const key = createTestKey();
    await test.locks.acquire(key, { owner: "me", format, leaseMs: 30_000, reentrant: true, minHoldMs: 1000 });
    await setClockBack(key);
    await test.locks.release(key, { owner: "me", format });
    const leftMs = await test.direct.pttl(key);
    expect(leftMs).toBeGreaterThan(0);
    // What a deadline is rounded by comes on top.
    expect(leftMs).toBeLessThanOrEqual(1002);
  });
});
