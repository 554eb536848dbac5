import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Hold } from "./hold.ts";

const MEI = { holder: undefined, by: "mei", reason: "stuck" };
const REENTRANT = { reentrant: true, waitMs: 5000 } as const;

const it = locksTest();

describe("races of a re-entry", () => {
  it("a branch does not enter while a re-entry that another branch did not await is inside", async ({
    client,
  }) => {
    const key = createTestKey();
    const log: string[] = [];
    let detached: Promise<void> | undefined;
    await client.withLock(key, async () => {
      const leave = client.withLock(key, REENTRANT, async () => {
        detached = client.withLock(key, REENTRANT, async () => {
          log.push("detached enters");
          await sleepMs(100);
          log.push("detached leaves");
        });
        await waitUntil(() => log.length > 0);
      });
      const wait = client.withLock(key, REENTRANT, async () => {
        log.push("branch enters");
      });
      await Promise.all([leave, wait]);
    });
    await detached;
    expect(log).toEqual(["detached enters", "detached leaves", "branch enters"]);
  });

  it("a re-entry that races with the expiry of the lease enters the hold, or acquires the lock again", async ({
    client,
    direct,
  }) => {
    const seen = new Set<string>();
    const race = async (leaseMs: number, leftMs: number) => {
      const key = createTestKey();
      const outcome = await getErrorCode(
        client.withLock(key, { leaseMs, renew: false }, async (outer) => {
          await sleepMs(Math.max(0, outer.remainingMs() - leftMs));
          await client.withLock(key, REENTRANT, async (inner) => {
            const isSame = inner.token === outer.token;
            expect(inner.count).toBe(isSame ? 2 : 1);
            // A new hold is possible only if the client detected the loss of the outer hold.
            if (!isSame) expect(outer.state).toBe("lost");
            seen.add(isSame ? "same" : "new");
          });
        }),
      );
      expect(["ok", "lost"]).toContain(outcome);
      await waitUntil(async () => (await direct.exists(key)) === 0);
    };
    const aroundTheEnd = [50, 10, 5, 3, 2, 1, 0, -1, -2].map((leftMs) => race(300, leftMs));
    await Promise.all([race(60_000, 60_000), ...aroundTheEnd, race(300, -100)]);
    expect([...seen].sort()).toEqual(["new", "same"]);
  });

  it("a re-entry that races with a force-release never shares the lock with a new holder", async ({
    client,
    env,
    locks,
    direct,
  }) => {
    const other = await env.openClient();
    const race = async () => {
      const key = createTestKey();
      const holders = new Set<string>();
      const enter = async (hold: Hold) => {
        holders.add(hold.token);
        // Stays inside for a moment, so that two simultaneous holders are detected.
        await sleepMs(2);
        holders.delete(hold.token);
      };
      const work = client.withLock(key, async (outer) => {
        const seen = await observeHeldLock(direct, key);
        const steal = async () => {
          await locks.forceRelease(seen, MEI);
          await other.withLock(key, { waitMs: 5000 }, enter);
        };
        const nested = async () => {
          await client.withLock(key, REENTRANT, async (inner) => {
            if (inner.token === outer.token) return;
            expect(outer.signal.aborted).toBe(true);
            await enter(inner);
            expect(holders.size).toBe(0);
          });
        };
        const results = await Promise.allSettled([steal(), nested()]);
        expect(results[0].status).toBe("fulfilled");
      });
      expect(await getErrorCode(work)).toBe("lost");
      expect(await direct.exists(key)).toBe(0);
    };
    await Promise.all(Array.from({ length: 20 }, race));
  });

  it("a re-entry that races with the release of its frame leaves no count behind", async ({
    client,
    direct,
  }) => {
    const race = async (ticks: number) => {
      const key = createTestKey();
      let inside = 0;
      const counts: number[] = [];
      const enter = async ({ count }: Hold) => {
        counts.push(count);
        expect(++inside).toBe(1);
        await sleepMs(2);
        inside--;
      };
      const detached: Promise<void>[] = [];
      await client.withLock(key, async () => {
        detached.push(client.withLock(key, REENTRANT, enter), client.withLock(key, REENTRANT, enter));
        for (let tick = 0; tick < ticks; tick++) await undefined;
      });
      detached.push(client.withLock(key, REENTRANT, enter));
      await Promise.all(detached);
      expect(counts).toHaveLength(3);
      expect(await direct.exists(key)).toBe(0);
    };
    await Promise.all(Array.from({ length: 20 }, (_, ticks) => race(ticks)));
  });
});
