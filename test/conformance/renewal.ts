import { describe, expect, it } from "vitest";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, catchHolders, LEASE_MS, SHORT_MS } from "./conformance-fixture.ts";

/** Long enough for three tries on a busy machine. */
const WATCHED_MS = 900;

export function describeRenewal(scene: ConformanceFixture): void {
  describe("renewal", () => {
    it("a renewal extends the lease, keeps the fencing token and never shortens the lease", async () => {
      const key = scene.createKey();
      const { fence } = await scene.acquire(key, "me", { leaseMs: 5000 });
      const longer = await scene.renew(key, "me");
      expect(longer).toMatchObject({ count: 1, fence });
      expect(longer.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect((await scene.renew(key, "me", { leaseMs: 1000 })).remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
    });

    it("a renewal never creates a lock that was never held or is gone", async () => {
      const key = scene.createKey();
      expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
      await scene.acquire(key, "me");
      await scene.deleteKey(key);
      expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("a renewal returns lost and names the holder once another owner has acquired the lock", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me");
      await scene.deleteKey(key);
      await scene.acquire(key, "you", { leaseMs: 5000 });
      const before = await scene.dumpContent(key);
      expect(await catchHolders(scene.renew(key, "me"))).toEqual(["you"]);
      expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
      expect(await scene.dumpContent(key)).toBe(before);
      expect((await scene.verify(key, "you")).remainingMs).toBeLessThan(7000);
    });

    it("a renewal returns lost once the lease has ended, even during the margin for other clients", async () => {
      const key = scene.createKey();
      const { remainingMs } = await scene.acquire(key, "me", { leaseMs: SHORT_MS });
      await sleepMs(remainingMs + 5 + scene.driftMs);
      expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
      expect(await getErrorCode(scene.verify(key, "me"))).toBe("lost");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
    });
  });

  describe("watchdog", () => {
    it("the watchdog renews a short hold until it is released", async () => {
      const key = scene.createKey();
      const [client, other] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs: WATCHED_MS }));
      await sleepMs(2 * WATCHED_MS + 2 * scene.roundedMs);
      hold.assertHeld();
      expect(await getErrorCode(other.acquire(key, scene.toHoldOptions()))).toBe("held");
      expect(await hold.release()).toMatchObject({ outcome: "released", count: 0 });
      await sleepMs(WATCHED_MS / 2);
      expect(await scene.countKeys(key)).toBe(0);
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
      await scene.acquire(key, "me");
      await waitUntil(() => hold.signal.aborted, WATCHED_MS + 2 * scene.roundedMs + 1000);
      expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
    });

    it("the watchdog renews many holds of one client, each under its own fencing token", async () => {
      const [client] = scene.opened.clients;
      const holds = await Promise.all(
        Array.from({ length: 30 }, () =>
          client.acquire(scene.createKey(), scene.toHoldOptions({ leaseMs: WATCHED_MS })),
        ),
      );
      await sleepMs(2 * WATCHED_MS + 2 * scene.roundedMs);
      for (const hold of holds) {
        hold.assertHeld();
        expect((await scene.verify(hold.key, hold.owner)).fence).toBe(hold.fence);
      }
      await Promise.all(holds.map((hold) => hold.release()));
    });
  });
}
