import { describe, expect, it } from "vitest";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, catchHolders, describeFeature } from "./conformance-fixture.ts";

const OFF_MS = 700;

export function describeReservation(scene: ConformanceFixture): void {
  const reserve = (key: string, reservedMs: number, by = "mei") => {
    const { format, unit } = scene.format;
    return scene.opened.verbs.reserve(key, { by, reservedMs, format, unit });
  };

  describeFeature(scene, "hold-off", () => {
    describe("reservations", () => {
      it("a release with reservation blocks every owner, including the releaser, until it expires", async () => {
        const key = scene.createKey();
        const { fence } = await scene.acquire(key, "me");
        const { asOf } = await scene.release(key, "me", { reservedMs: OFF_MS });
        expect(await catchHolders(scene.acquire(key, "me"))).toEqual(["lockkeeper:reserve:me"]);
        expect(await getErrorCode(scene.renew(key, "me"))).toBe("lost");
        expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf - asOf).toBeGreaterThanOrEqual(OFF_MS - 5);
        expect(next.asOf - asOf).toBeLessThan(OFF_MS + scene.roundedMs + scene.marginMs + 1000);
        expect(BigInt(next.fence ?? 0)).toBeGreaterThan(BigInt(fence ?? 0));
      });

      it("only the last release of a re-entered hold creates a reservation", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me");
        await scene.acquire(key, "me");
        expect(await scene.release(key, "me", { reservedMs: 60_000 })).toMatchObject({ count: 1 });
        expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
        expect(await scene.countKeys(key)).toBe(0);
      });

      it("a release with reservation repeated under its request id returns the same result", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me");
        const ask = { reservedMs: 60_000, requestId: "r1" };
        await scene.release(key, "me", ask);
        expect(await scene.release(key, "me", ask)).toMatchObject({ outcome: "released", count: 0 });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["lockkeeper:reserve:me"]);
      });

      it("a free lock can be reserved in a given name, and the reservation expires", async () => {
        const key = scene.createKey();
        const { asOf } = await reserve(key, OFF_MS);
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["lockkeeper:reserve:mei"]);
        expect(await getErrorCode(reserve(key, OFF_MS))).toBe("held");
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf - asOf).toBeGreaterThanOrEqual(OFF_MS - 5);
      });

      it("a held lock cannot be reserved and is left unchanged", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me");
        const before = await scene.dumpContent(key);
        expect(await getErrorCode(reserve(key, OFF_MS))).toBe("held");
        expect(await scene.dumpContent(key)).toBe(before);
      });

      it("the owner string of a reservation cannot be used to acquire or release", async () => {
        const key = scene.createKey();
        await reserve(key, 60_000);
        expect(await getErrorCode(scene.acquire(key, "lockkeeper:reserve:mei"))).toBe("invalid");
        expect(await getErrorCode(scene.release(key, "lockkeeper:reserve:mei"))).toBe("invalid");
      });
    });
  });
}
