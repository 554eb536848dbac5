import { describe, expect, it } from "vitest";
import { catchLockError, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, catchHolders, describeFeature } from "./conformance-fixture.ts";

export function describeForceRelease(scene: ConformanceFixture): void {
  describeFeature(scene, "force-release", () => {
    describe("force-release", () => {
      it("force-release ends the hold that was seen and keeps the fencing token rising", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        await scene.reenter(hold);
        expect(await scene.forceRelease(key, hold.token, hold.fence)).toBe("released");
        expect(await scene.countKeys(key)).toBe(0);
        expect(await getErrorCode(scene.renew(hold))).toBe("lost");
        expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
        expect(await scene.release(hold)).toMatchObject({ outcome: "not_held" });
        const next = await scene.acquire(key, "you");
        expect(BigInt(next.fence)).toBeGreaterThan(BigInt(hold.fence));
      });

      it("force-release refuses another token, another fencing token and a hold that is gone", async () => {
        const key = scene.createKey();
        const before = await scene.acquire(key, "me");
        await scene.release(before);
        expect(await scene.forceRelease(key, before.token, before.fence)).toBe("gone");
        const now = await scene.acquire(key, "me");
        const content = await scene.dumpContent(key);
        expect(await scene.forceRelease(key, now.token, before.fence)).toBe("changed");
        expect(await scene.forceRelease(key, before.token, now.fence)).toBe("changed");
        expect(await scene.forceRelease(key, "me", now.fence)).toBe("changed");
        expect(await scene.forceRelease(key, now.token, null)).toBe("changed");
        expect(await scene.dumpContent(key)).toBe(content);
      });

      it("force-release wakes waiting clients", async () => {
        const key = scene.createKey();
        const [, two] = scene.opened.clients;
        const { token, fence } = await scene.acquire(key, "me");
        const waits = two.acquire(key, scene.toHoldOptions({ waitMs: 15_000, renew: false }));
        await sleepMs(300);
        const freedAt = performance.now();
        await scene.forceRelease(key, token, fence);
        await waits;
        expect(performance.now() - freedAt).toBeLessThan(800);
      });

      it("force-release ends a hold that its client is still renewing", async () => {
        const key = scene.createKey();
        const hold = await scene.opened.clients[0].acquire(key, scene.toHoldOptions({ leaseMs: 600 }));
        expect(await scene.forceRelease(key, hold.token, hold.fence)).toBe("released");
        await waitUntil(() => hold.signal.aborted, 1500 + 2 * scene.roundedMs);
        expect(await scene.countKeys(key)).toBe(0);
      });

      it("force-release can reserve the lock, and a reservation can be force-released", async () => {
        const key = scene.createKey();
        const { token, fence } = await scene.acquire(key, "me");
        expect(await scene.forceRelease(key, token, fence, 60_000)).toBe("released");
        expect(await catchHolders(scene.acquire(key, "me"))).toEqual(["lockkeeper:reserve:mei"]);
        const reserved = await scene.acquire(key, "you").catch((error) => error.facts.holders[0]);
        expect(await scene.forceRelease(key, reserved.owner, reserved.fence)).toBe("released");
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("a reservation of a reservation by the same operator prolongs or shortens it, and nobody can acquire the lock", async () => {
        const key = scene.createKey();
        const { token, fence } = await scene.acquire(key, "me");
        let seen: { owner: string; fence: string | null } = { owner: token, fence };
        for (const reservedMs of [60_000, 600_000, 30_000]) {
          expect(await scene.forceRelease(key, seen.owner, seen.fence, reservedMs)).toBe("released");
          const { facts } = await catchLockError(scene.acquire(key, "you"));
          const { holders, remainingMs } = facts as { holders: [typeof seen]; remainingMs: number };
          expect(holders).toMatchObject([{ owner: "lockkeeper:reserve:mei" }]);
          expect(BigInt(holders[0].fence ?? 0)).toBeGreaterThan(BigInt(seen.fence ?? 0));
          expect(remainingMs).toBeGreaterThan(reservedMs - 5000);
          expect(remainingMs).toBeLessThan(reservedMs + 5000);
          [seen] = holders;
        }
        expect(await scene.forceRelease(key, seen.owner, seen.fence)).toBe("released");
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });
    });
  });
}
