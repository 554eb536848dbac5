import { describe, expect, it } from "vitest";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, LEASE_MS } from "./conformance-fixture.ts";

export function describeReentry(scene: ConformanceFixture): void {
  describe("re-entry", () => {
    it("a re-entry raises the count, keeps the fencing token and never shortens the lease", async () => {
      const key = scene.createKey();
      const first = await scene.acquire(key, "me");
      const second = await scene.acquire(key, "me", { leaseMs: 1000 });
      expect(second).toMatchObject({ count: 2, fence: first.fence });
      expect(second.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      const third = await scene.acquire(key, "me", { leaseMs: 2 * LEASE_MS });
      expect(third).toMatchObject({ count: 3, fence: first.fence });
      expect(third.remainingMs).toBeGreaterThan(LEASE_MS * 1.6);
    });

    it("a non-reentrant acquire by the same owner is refused as held", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me");
      expect(await getErrorCode(scene.acquire(key, "me", { reentrant: false }))).toBe("held");
      expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
    });

    it("each release lowers the count by one, and the last one releases the lock", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me");
      await scene.acquire(key, "me");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 1 });
      const left = await scene.verify(key, "me");
      expect(left.count).toBe(1);
      expect(left.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(await getErrorCode(scene.acquire(key, "you"))).toBe("held");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("nested withLock calls in one context share the owner and the fencing token", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      await client.withLock(key, scene.toHoldOptions(), async (outer) => {
        const inner = await client.withLock(key, scene.toHoldOptions(), async ({ count, fence }) => ({
          count,
          fence,
        }));
        expect(inner).toEqual({ count: 2, fence: outer.fence });
      });
      expect(await scene.countKeys(key)).toBe(0);
    });
  });
}
