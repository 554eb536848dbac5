import { describe, expect, it } from "vitest";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { type ConformanceFixture, catchHolders, describeFeature, SHORT_MS } from "./conformance-fixture.ts";

const GRACE_MS = 1200;
const MIN_HOLD_MS = 1500;

/** Until when by Redis's clock the key is taken, as a refusal tells. */
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
        // Time goes on while a script runs, and what is left is as of its beginning.
        expect(end - grant.asOf).toBeLessThanOrEqual(SHORT_MS + GRACE_MS + overMs() + 5);
        await sleepMs(grant.remainingMs + 20 + scene.driftMs);
        expect(await getErrorCode(scene.verify(key, "me"))).toBe("lost");
        expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
        expect(await getErrorCode(scene.acquire(key, "me"))).toBe("held");
        expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["me"]);
        expect(await waitUntilAcquired(scene, key)).toBeLessThanOrEqual(end + 5);
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf).toBeGreaterThanOrEqual(end - 5);
        expect(BigInt(next.fence ?? 0)).toBeGreaterThan(BigInt(grant.fence ?? 0));
      });

      it("the watchdog does not renew a hold whose lease ended during its grace period", async () => {
        const key = scene.createKey();
        const options = { leaseMs: SHORT_MS, graceMs: 60_000, renew: false };
        const hold = await scene.opened.clients[0].acquire(key, scene.toHoldOptions(options));
        await sleepMs(hold.remainingMs() + 20 + scene.driftMs);
        const end = await waitUntilAcquired(scene, key);
        expect(await scene.opened.renewMany([hold], 1000)).toEqual([null]);
        expect(await waitUntilAcquired(scene, key)).toBeLessThanOrEqual(end + 5);
      });

      it("a clean release ends the grace period", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { graceMs: 60_000 });
        expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("the grace period is added after every renewal", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { leaseMs: 1000, graceMs: 60_000 });
        const { asOf, remainingMs } = await scene.renew(key, "me", { leaseMs: 5000 });
        expect(remainingMs).toBeGreaterThan(4000);
        expect(remainingMs).toBeLessThanOrEqual(5000 + scene.roundedMs);
        expect((await waitUntilAcquired(scene, key)) - asOf).toBeGreaterThanOrEqual(64_000);
      });

      it("the grace period of a re-entry does not shorten the lease", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { leaseMs: 20_000 });
        const { asOf, remainingMs } = await scene.acquire(key, "me", { leaseMs: 1000, graceMs: 10_000 });
        expect(remainingMs).toBeGreaterThan(16_000);
        expect((await waitUntilAcquired(scene, key)) - asOf).toBeGreaterThanOrEqual(26_000);
      });
    });
  });

  describeFeature(scene, "min-hold", () => {
    describe("minimum hold time", () => {
      it("an early release blocks every owner until the minimum hold time since the acquire has passed", async () => {
        const key = scene.createKey();
        const { asOf } = await scene.acquire(key, "me", { minHoldMs: MIN_HOLD_MS });
        await sleepMs(400);
        expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
        expect(await catchHolders(scene.acquire(key, "me"))).toEqual(["lockkeeper:reserve:min-hold"]);
        const end = await waitUntilAcquired(scene, key);
        expect(end - asOf).toBeGreaterThanOrEqual(MIN_HOLD_MS - 5);
        expect(end - asOf).toBeLessThanOrEqual(MIN_HOLD_MS + overMs() + 100);
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf).toBeGreaterThanOrEqual(end - 5);
      });

      it("a release after the minimum hold time creates no reservation", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { minHoldMs: 100 });
        await sleepMs(150);
        await scene.release(key, "me");
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("the minimum hold time applies to the last release of a re-entered hold", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { minHoldMs: 10_000 });
        await scene.acquire(key, "me");
        expect(await scene.release(key, "me")).toMatchObject({ count: 1 });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["me"]);
        await scene.release(key, "me");
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
