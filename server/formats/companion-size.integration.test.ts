import { expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL, observeHeldLock } from "../../test/support/observed-lock.ts";
import { createRedissonOwner, readCompanion, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { buildCompanionKey } from "./keys.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";

const it = redisTest();
/** Maximum size of a companion in bytes. Must match companion.lua. */
const COMPANION_BYTES_MAX = 8192;

// The longest strings, in bytes, that callers may send: 4 bytes per character, or 3 bytes per UTF-16 unit.
const WIDE_TEXT = "👷".repeat(256);
const WIDE_RECORD_TEXT = "持".repeat(200);
const record = {
  ...{ service: WIDE_RECORD_TEXT, host: WIDE_RECORD_TEXT, purpose: WIDE_RECORD_TEXT },
  ...{ trace: WIDE_RECORD_TEXT, pid: 2 ** 31 - 1, session: "持".repeat(64) },
};

it.for(WRITABLE_FORMATS)(
  "%s: the largest companion that callers can cause is still read, also with a full window of requests",
  async (format, { direct, key }) => {
    const writer = LOCK_WRITERS[format];
    const name = String(buildCompanionKey(key));
    const long = (id: number) => ({
      id: String(id).padStart(128, "r"),
      digest: "d".repeat(16),
      principal: WIDE_TEXT,
    });
    const day = 24 * 3_600_000;
    const ask = {
      token: createRedissonOwner(),
      owner: WIDE_TEXT,
      record,
      leaseMs: day,
      renewEveryMs: day - 1,
    };
    const grant = await writer.acquire(direct, EVENT_CHANNEL, key, {
      ...{ ...ask, graceMs: 1, minHoldMs: day, unit: "ms", ...long(0) },
    });
    if (grant.outcome !== "granted") throw new Error(grant.outcome);
    const hold = { token: grant.token, fence: grant.fence };
    let bytesMax = 0;
    for (let n = 1; n <= 60; n++) {
      const renewed = { ...hold, leaseMs: day, ...long(n) };
      const reply = n % 2 === 0 ? writer.renew : writer.reenter;
      expect(await reply.call(writer, direct, EVENT_CHANNEL, key, renewed)).toMatchObject({
        outcome: "granted",
      });
      bytesMax = Math.max(bytesMax, await direct.strlen(name));
      expect(await readCompanion(direct, key)).toMatchObject({ ...hold, owner: WIDE_TEXT, record });
    }
    // The companion uses most of the limit and does not exceed it.
    expect(bytesMax).toBeGreaterThan(6000);
    expect(bytesMax).toBeLessThanOrEqual(COMPANION_BYTES_MAX);
    expect(await writer.verify(direct, key, { ...hold, principal: WIDE_TEXT })).toMatchObject({
      outcome: "held",
    });
    const seen = await observeHeldLock(direct, key);
    expect(seen.holders[0].owner).toBe(WIDE_TEXT);
  },
);
