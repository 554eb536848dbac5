import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { expectSameContent, readLockContent } from "../../../test/support/lock-content.ts";
import { observeHeldLock, RESERVED_BY_MEI } from "../../../test/support/observed-lock.ts";
import { createRedissonOwner, getErrorCode } from "../../../test/support/test-locks.ts";
import type { TestMasters } from "../../../test/support/test-masters.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";

const it = quorumTest(3);
const CHANNEL = "lockkeeper:events:0";

const readContents = (masters: TestMasters, key: string) =>
  Promise.all(masters.clients.map((redis) => readLockContent(redis, key)));

/** Acquires the lock on each master separately, like clients of a single Redis. */
async function acquireAtEach(masters: TestMasters, key: string, format: "redisson" | "timestamp") {
  const token = createRedissonOwner();
  const ask = { token, owner: "me", leaseMs: 30_000, record: undefined, graceMs: 0, minHoldMs: 0 };
  const request = { ...ask, unit: "ms", id: "r1", digest: "-" } as const;
  for (const redis of masters.clients) {
    const { outcome } = await LOCK_WRITERS[format].acquire(redis, CHANNEL, key, request);
    expect(outcome).toBe("granted");
  }
  return token;
}

describe("two formats on a quorum", () => {
  it.for(["redisson", "timestamp"] as const)(
    "no verb of a quorum changes or ends holds in %s, whatever token it names",
    async (format, { masters, backend, key }) => {
      const token = await acquireAtEach(masters, key, format);
      const before = await readContents(masters, key);
      const described = await masters.readCompanions(key);
      const ask = { owner: "you", leaseMs: 90_000 };
      expect(await getErrorCode(backend.verbs.acquire(key, ask))).toBe("held");
      expect(await getErrorCode(backend.verbs.acquire(key, { ...ask, waitMs: 100 }))).toBe("timeout");
      const stored = [token, ...described.map((hold) => hold?.value || token)];
      const fences = described.map((hold) => hold?.fence ?? "1");
      for (const [at, named] of stored.entries()) {
        const fence = fences[at % fences.length] ?? "1";
        const hold = { key, format: "token", unit: undefined, token: named, fence } as const;
        expect(await getErrorCode(backend.verbs.renew(hold, { leaseMs: 90_000 }))).toBe("lost");
        expect(await getErrorCode(backend.verbs.reenter(hold, { requestId: `again-${at}` }))).toBe("lost");
        expect(await backend.verbs.verify(hold)).toMatchObject({ held: false });
        expect(await backend.verbs.release(hold)).toMatchObject({ outcome: "not_held" });
        expect(await backend.renewMany([{ ...hold, leaseMs: 90_000 }], 1000)).toEqual([null]);
      }
      for (const [at, after] of (await readContents(masters, key)).entries()) {
        const was = before[at];
        if (was === undefined) throw new Error("a master is missing");
        expectSameContent({ ...after, companion: "" }, { ...was, companion: "" });
      }
      expect(await masters.readCompanions(key)).toEqual(described);
    },
  );
});

describe("reservation of a reservation on a quorum", () => {
  it("the same operator prolongs and shortens it, and nobody can acquire the lock", async ({
    masters,
    acquire,
    backend,
    key,
  }) => {
    await acquire(key);
    for (const reservedMs of [60_000, 600_000, 30_000]) {
      const reservation = { owner: RESERVED_BY_MEI, reservedMs };
      const seen = await observeHeldLock(masters.getClient(0), key);
      const ask = { holder: undefined, by: "mei", reason: "a test", reservation };
      expect(await backend.verbs.forceRelease(seen, ask)).toMatchObject({ outcome: "released" });
      expect(await getErrorCode(acquire(key, "you"))).toBe("held");
      expect(await masters.readHolders(key)).toEqual(Array(3).fill(RESERVED_BY_MEI));
      for (const redis of masters.clients) {
        const leftMs = await redis.pttl(key);
        expect(leftMs).toBeGreaterThan(reservedMs - 5000);
        expect(leftMs).toBeLessThan(reservedMs + 5000);
      }
    }
  });
});
