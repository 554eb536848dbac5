import { describe, expect, it } from "vitest";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { type ConformanceFixture, describeFeature, LEASE_MS, SHORT_MS } from "./conformance-fixture.ts";

export function describeReentry(scene: ConformanceFixture): void {
  describe("re-entry", () => {
    it("a re-entry raises the count, keeps token and fencing token and never shortens the lease", async () => {
      const key = scene.createKey();
      const first = await scene.acquire(key, "me");
      const { token, fence, owner } = first;
      const second = await scene.reenter(first, { leaseMs: 1000 });
      expect(second).toMatchObject({ key, owner, token, fence, count: 2, leaseMs: LEASE_MS });
      expect(second.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      const third = await scene.reenter(second, { leaseMs: 2 * LEASE_MS });
      expect(third).toMatchObject({ token, fence, count: 3, leaseMs: 2 * LEASE_MS });
      expect(third.remainingMs).toBeGreaterThan(LEASE_MS * 1.6);
    });

    it("a re-entry without a lease gives the hold its own lease again", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", { leaseMs: 2000 });
      await sleepMs(100 + 2 * scene.driftMs);
      const entered = await scene.reenter(hold);
      expect(entered).toMatchObject({ count: 2, leaseMs: 2000 });
      expect(entered.remainingMs).toBeGreaterThanOrEqual(2000 - scene.driftMs);
      expect(entered.remainingMs).toBeLessThanOrEqual(2000 + scene.roundedMs);
    });

    it("each release gives back one count, and the last one releases the lock", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      await scene.reenter(hold);
      const before = await scene.verify(hold);
      expect(before).toMatchObject({ held: true, count: 2 });
      expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({
        outcome: "still_held",
        count: 1,
      });
      const left = await scene.verify(hold);
      expect(left).toMatchObject({ held: true, count: 1, fence: hold.fence });
      if (left.held) expect(left.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(await getErrorCode(scene.acquire(key, "you"))).toBe("held");
      expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.release(hold)).toMatchObject({ outcome: "not_held" });
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("a hold can be re-entered again after a release that returned still_held", async () => {
      const hold = await scene.acquire(scene.createKey(), "me");
      await scene.reenter(hold);
      await scene.release(hold, { requestId: "r1" });
      expect(await scene.reenter(hold)).toMatchObject({ count: 2, token: hold.token, fence: hold.fence });
    });

    it("a release of a re-entered hold without a request id is refused, whoever asks, and changes nothing", async () => {
      for (const principal of [undefined, "key-1"]) {
        const key = scene.createKey();
        const hold = { ...(await scene.acquire(key, "me", { principal })), principal };
        await scene.reenter(hold);
        const before = await scene.dumpContent(key);
        expect(await getErrorCode(scene.release(hold))).toBe("idempotency_key_required");
        expect(await scene.dumpContent(key)).toBe(before);
        expect(await scene.countHold(hold)).toBe(2);
        expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({ outcome: "still_held" });
        expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
      }
    });

    it("a hold that has ended cannot be re-entered", async () => {
      const key = scene.createKey();
      expect(await getErrorCode(scene.reenter(scene.createUnknownHold(key)))).toBe("lost");
      const released = await scene.acquire(key, "me");
      await scene.release(released);
      expect(await getErrorCode(scene.reenter(released))).toBe("lost");
      expect(await scene.countKeys(key)).toBe(0);
      const next = await scene.acquire(key, "me");
      expect(await getErrorCode(scene.reenter(released))).toBe("lost");
      await scene.deleteKey(key);
      expect(await getErrorCode(scene.reenter(next))).toBe("lost");
      expect(await scene.countKeys(key)).toBe(0);
    });

    it("a hold whose lease has ended cannot be re-entered, even during the margin for other clients", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", { leaseMs: SHORT_MS });
      await sleepMs(hold.remainingMs + 5 + scene.driftMs);
      expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
    });

    it("another fencing token or another token does not enter the hold", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const before = await scene.dumpContent(key);
      const others = [
        { ...hold, fence: String(BigInt(hold.fence) + 1n) },
        { ...hold, token: scene.createUnknownHold(key).token },
      ];
      for (const other of others) expect(await getErrorCode(scene.reenter(other))).toBe("lost");
      expect(await scene.dumpContent(key)).toBe(before);
      expect(await scene.countHold(hold)).toBe(1);
    });

    it("a nested withLock with reentrant enters the hold of the outer one, and without it is refused", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      await client.withLock(key, scene.toHoldOptions(), async (outer) => {
        const reentrant = { ...scene.toHoldOptions(), reentrant: true };
        const inner = await client.withLock(key, reentrant, async ({ token, fence }) => ({
          ...{ token, fence },
          count: await scene.countHold(outer),
        }));
        expect(inner).toEqual({ token: outer.token, fence: outer.fence, count: 2 });
        expect(await getErrorCode(client.withLock(key, scene.toHoldOptions(), async () => undefined))).toBe(
          "held",
        );
      });
      expect(await scene.countKeys(key)).toBe(0);
    });

    describeFeature(scene, "request-ids", () => {
      it("a re-entry repeated under its request id counts once", async () => {
        const hold = await scene.acquire(scene.createKey(), "me");
        const first = await scene.reenter(hold, { requestId: "r1" });
        expect(first.count).toBe(2);
        const again = await scene.reenter(hold, { requestId: "r1" });
        expect(again).toMatchObject({ count: 2, token: hold.token, fence: hold.fence });
        await scene.reenter(hold, { requestId: "r2" });
        expect(await scene.reenter(hold, { requestId: "r1" })).toMatchObject({ count: 3 });
        expect(await scene.countHold(hold)).toBe(3);
      });

      it("a repeated re-entry returns lost once the hold has ended", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        await scene.reenter(hold, { requestId: "r1" });
        await scene.deleteKey(key);
        expect(await getErrorCode(scene.reenter(hold, { requestId: "r1" }))).toBe("lost");
        await scene.acquire(key, "me");
        expect(await getErrorCode(scene.reenter(hold, { requestId: "r1" }))).toBe("lost");
      });
    });
  });
}
