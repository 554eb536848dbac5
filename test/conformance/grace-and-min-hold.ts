import { describe, expect, it } from "vitest";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { type ConformanceFixture, catchHolders, describeFeature, SHORT_MS } from "./conformance-fixture.ts";

const GRACE_MS = 1200;
const MIN_HOLD_MS = 1500;
/**
 * Maximum difference in ms between two measurements of the same end on a busy machine. An extension would add at least
 * `SHORT_MS`.
 */
const TOLERANCE_MS = 100;

/**
 * Tries to acquire a held lock.
 *
 * @returns the time at which the lock becomes free according to the refusal, on the Redis clock
 */
async function waitUntilAcquired(scene: ConformanceFixture, key: string): Promise<number> {
  const error = await scene.acquire(key, "somebody").catch((reason: unknown) => reason);
  const { remainingMs, asOf } = (error as { facts: { remainingMs: number; asOf: number } }).facts;
  return asOf + remainingMs;
}

export function describeGraceAndMinHold(scene: ConformanceFixture): void {
  const overMs = () => scene.roundedMs + scene.marginMs + scene.driftMs;

  describeFeature(scene, "grace", () => {
    describe("grace period", () => {
      it("a grace period blocks other owners after the lease has ended without extending it for the holder", async () => {
        const key = scene.createKey();
        const grant = await scene.acquire(key, "me", { leaseMs: SHORT_MS, graceMs: GRACE_MS });
        expect(grant.remainingMs).toBeLessThanOrEqual(SHORT_MS + scene.roundedMs);
        const end = await waitUntilAcquired(scene, key);
        expect(end - grant.asOf).toBeGreaterThanOrEqual(SHORT_MS + GRACE_MS - 5);
        // The remaining time refers to the start of the script, and the clock advances while the script runs.
        expect(end - grant.asOf).toBeLessThanOrEqual(SHORT_MS + GRACE_MS + overMs() + TOLERANCE_MS);
        await sleepMs(grant.remainingMs + 20 + scene.driftMs);
        expect(await getErrorCode(scene.renew(grant))).toBe("lost");
        expect(await getErrorCode(scene.reenter(grant))).toBe("lost");
        expect(await scene.verify(grant)).toMatchObject({ held: false });
        expect(await getErrorCode(scene.acquire(key, "me"))).toBe("held");
        expect(await scene.release(grant)).toMatchObject({ outcome: "not_held" });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["me"]);
        expect(await waitUntilAcquired(scene, key)).toBeLessThanOrEqual(end + TOLERANCE_MS);
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf).toBeGreaterThanOrEqual(end - 5);
        expect(BigInt(next.fence)).toBeGreaterThan(BigInt(grant.fence));
      });

      it("the watchdog does not renew a hold whose lease ended during its grace period", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { leaseMs: SHORT_MS, graceMs: 60_000 });
        await sleepMs(hold.remainingMs + 20 + scene.driftMs);
        const end = await waitUntilAcquired(scene, key);
        expect(await scene.opened.renewMany([hold], 1000)).toEqual([null]);
        expect(await waitUntilAcquired(scene, key)).toBeLessThanOrEqual(end + TOLERANCE_MS);
      });

      it("a clean release ends the grace period", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { graceMs: 60_000 });
        expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("the grace period is added after every renewal", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { leaseMs: 1000, graceMs: 60_000 });
        const { asOf, remainingMs } = await scene.renew(hold, { leaseMs: 5000 });
        expect(remainingMs).toBeGreaterThan(4000);
        expect(remainingMs).toBeLessThanOrEqual(5000 + scene.roundedMs);
        expect((await waitUntilAcquired(scene, key)) - asOf).toBeGreaterThanOrEqual(64_000);
      });

      it("a re-entry keeps the grace period of its hold and does not shorten the lease", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { leaseMs: 20_000, graceMs: 10_000 });
        const shorter = await scene.reenter(hold, { leaseMs: 1000 });
        expect(shorter.remainingMs).toBeGreaterThan(16_000);
        expect((await waitUntilAcquired(scene, key)) - shorter.asOf).toBeGreaterThanOrEqual(26_000);
        const { asOf, remainingMs } = await scene.reenter(hold, { leaseMs: 40_000 });
        expect(remainingMs).toBeLessThanOrEqual(40_000 + scene.roundedMs);
        expect((await waitUntilAcquired(scene, key)) - asOf).toBeGreaterThanOrEqual(50_000 - 5);
      });
    });
  });

  describeFeature(scene, "min-hold", () => {
    describe("minimum hold time", () => {
      it("an early release blocks every owner until the minimum hold time since the acquire has passed", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { minHoldMs: MIN_HOLD_MS });
        const { asOf } = hold;
        await sleepMs(400);
        expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
        expect(await catchHolders(scene.acquire(key, "me"))).toEqual(["lockkeeper:reserve:min-hold"]);
        const end = await waitUntilAcquired(scene, key);
        expect(end - asOf).toBeGreaterThanOrEqual(MIN_HOLD_MS - 5);
        expect(end - asOf).toBeLessThanOrEqual(MIN_HOLD_MS + overMs() + 100);
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf).toBeGreaterThanOrEqual(end - 5);
      });

      it("a release after the minimum hold time creates no reservation", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { minHoldMs: 100 });
        await sleepMs(150);
        await scene.release(hold);
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("the minimum hold time applies to the last release of a re-entered hold", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { minHoldMs: 10_000 });
        await scene.reenter(hold);
        expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({ count: 1 });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["me"]);
        await scene.release(hold);
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["lockkeeper:reserve:min-hold"]);
      });

      it("the minimum hold time does not apply to a hold whose lease has ended", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { leaseMs: 200, minHoldMs: 60_000 });
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.owner).toBe("you");
      });
    });
  });
}
