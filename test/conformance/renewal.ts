import { describe, expect, it } from "vitest";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { testRenewal } from "../support/timing.ts";
import { type ConformanceFixture, catchHolders, LEASE_MS, SHORT_MS } from "./conformance-fixture.ts";

/** A lease in milliseconds that is long enough for three renewal attempts on a busy machine. */
const WATCHED_MS = 900;

export function describeRenewal(scene: ConformanceFixture): void {
  describe("renewal", () => {
    it("a renewal extends the lease, keeps token and fencing token and never shortens the lease", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", { leaseMs: 5000 });
      const { token, fence } = hold;
      const longer = await scene.renew(hold, { leaseMs: LEASE_MS });
      expect(longer).toMatchObject({ owner: "me", token, fence, count: 1, leaseMs: LEASE_MS });
      expect(longer.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect((await scene.renew(hold, { leaseMs: 1000 })).remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
    });

    it("a renewal without a lease gives the hold the lease it was last acquired or renewed with", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", { leaseMs: 3000 });
      for (const leaseMs of [3000, 6000]) {
        if (leaseMs > 3000) await scene.renew(hold, { leaseMs });
        await sleepMs(100 + 2 * scene.driftMs);
        const renewed = await scene.renew(hold);
        expect(renewed.leaseMs).toBe(leaseMs);
        expect(renewed.remainingMs).toBeGreaterThanOrEqual(leaseMs - scene.driftMs);
        expect(renewed.remainingMs).toBeLessThanOrEqual(leaseMs + scene.roundedMs);
      }
    });

    it("a renewal never creates a lock that was never held or is gone", async () => {
      const key = scene.createKey();
      expect(await getErrorCode(scene.renew(scene.createUnknownHold(key)))).toBe("lost");
      const hold = await scene.acquire(key, "me");
      await scene.deleteKey(key);
      expect(await getErrorCode(scene.renew(hold))).toBe("lost");
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("a renewal returns lost and names the holder once somebody else has acquired the lock", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      await scene.deleteKey(key);
      const theirs = await scene.acquire(key, "you", { leaseMs: 5000 });
      const before = await scene.dumpContent(key);
      expect(await catchHolders(scene.renew(hold))).toEqual(["you"]);
      expect(await getErrorCode(scene.renew(hold))).toBe("lost");
      expect(await scene.dumpContent(key)).toBe(before);
      const status = await scene.verify(theirs);
      expect(status).toMatchObject({ held: true });
      if (status.held) expect(status.remainingMs).toBeLessThan(7000);
    });

    it("a renewal returns lost once the lease has ended, even during the margin for other clients", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", { leaseMs: SHORT_MS });
      await sleepMs(hold.remainingMs + 5 + scene.driftMs);
      expect(await getErrorCode(scene.renew(hold))).toBe("lost");
      expect(await scene.verify(hold)).toMatchObject({ held: false });
      expect(await scene.release(hold)).toMatchObject({ outcome: "not_held" });
    });
  });

  describe("watchdog", () => {
    it("the watchdog renews a short hold until it is released", async () => {
      const [client, other] = scene.opened.clients;
      await testRenewal(WATCHED_MS, async (leaseMs) => {
        const key = scene.createKey();
        const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs }));
        await sleepMs(2 * leaseMs + 2 * scene.roundedMs);
        hold.assertHeld();
        expect(await getErrorCode(other.acquire(key, scene.toHoldOptions()))).toBe("held");
        expect(await hold.release()).toMatchObject({ outcome: "released", count: 0 });
        await sleepMs(leaseMs / 2);
        expect(await scene.countKeys(key)).toBe(0);
      });
    });

    it("the watchdog reports the loss of a deleted lock and does not recreate it", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs: WATCHED_MS }));
      await scene.deleteKey(key);
      await waitUntil(() => hold.signal.aborted, WATCHED_MS + 2 * scene.roundedMs + 1000);
      expect(hold.signal.reason).toMatchObject({ code: "lost" });
      expect(() => hold.assertHeld()).toThrow();
      await sleepMs(WATCHED_MS / 2);
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("the watchdog reports the loss when the same owner reacquired the lock", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs: WATCHED_MS, owner: "me" }));
      await scene.deleteKey(key);
      const next = await scene.acquire(key, "me");
      await waitUntil(() => hold.signal.aborted, WATCHED_MS + 2 * scene.roundedMs + 1000);
      expect(await scene.countHold(next)).toBe(1);
    });

    it("the watchdog renews many holds of one client, each under its own fencing token", async () => {
      const [client] = scene.opened.clients;
      await testRenewal(WATCHED_MS, async (leaseMs) => {
        const options = scene.toHoldOptions({ leaseMs });
        const holds = await Promise.all(
          Array.from({ length: 30 }, () => client.acquire(scene.createKey(), options)),
        );
        await sleepMs(2 * leaseMs + 2 * scene.roundedMs);
        for (const hold of holds) {
          hold.assertHeld();
          expect(await scene.countHold(hold)).toBe(1);
        }
        await Promise.all(holds.map((hold) => hold.release()));
      });
    });
  });
}
