import { describe, expect, it } from "vitest";
import type { ReserveOptions } from "../../server/locks/verbs/contract/verbs.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, catchHolders, describeFeature } from "./conformance-fixture.ts";

const OFF_MS = 700;

export function describeReservation(scene: ConformanceFixture): void {
  const reserve = (key: string, reservedMs: number, asked: Partial<ReserveOptions> = {}) => {
    const { format, unit } = scene.format;
    return scene.opened.verbs.reserve(key, { by: "mei", reservedMs, format, unit, ...asked });
  };

  describeFeature(scene, "hold-off", () => {
    describe("reservations", () => {
      it("a release with reservation blocks every owner, including the releaser, until it expires", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        const { asOf } = await scene.release(hold, { reservedMs: OFF_MS });
        expect(await catchHolders(scene.acquire(key, "me"))).toEqual(["lockkeeper:reserve:me"]);
        expect(await getErrorCode(scene.renew(hold))).toBe("lost");
        expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
        expect(await scene.release(hold)).toMatchObject({ outcome: "not_held" });
        const next = await scene.acquire(key, "you", { waitMs: 10_000 });
        expect(next.asOf - asOf).toBeGreaterThanOrEqual(OFF_MS - 5);
        expect(next.asOf - asOf).toBeLessThan(OFF_MS + scene.roundedMs + scene.marginMs + 1000);
        expect(BigInt(next.fence)).toBeGreaterThan(BigInt(hold.fence));
      });

      it("only the last release of a re-entered hold creates a reservation", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        await scene.reenter(hold);
        const ask = { reservedMs: 60_000, requestId: "r1" };
        expect(await scene.release(hold, ask)).toMatchObject({ outcome: "still_held", count: 1 });
        expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
        expect(await scene.countKeys(key)).toBe(0);
      });

      it("a release with reservation repeated under its request id returns the same result", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        const ask = { reservedMs: 60_000, requestId: "r1" };
        await scene.release(hold, ask);
        expect(await scene.release(hold, ask)).toMatchObject({ outcome: "released", count: 0 });
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

      it("a reservation is released early by the principal that made it alone", async () => {
        const key = scene.createKey();
        const reservation = await reserve(key, 60_000, { principal: "key-1" });
        for (const principal of ["key-2", undefined])
          expect(await getErrorCode(scene.release({ ...reservation, principal }))).toBe("not_owner");
        expect(await scene.release({ ...reservation, principal: "key-1" })).toMatchObject({
          outcome: "released",
        });
        expect(await getErrorCode(scene.acquire(key, "you"))).toBe("ok");
      });

      it("a reservation that its principal releases with a reservation stays taken for the new time", async () => {
        const key = scene.createKey();
        const principal = "key-1";
        const reservation = { ...(await reserve(key, 60_000, { principal })), owner: "mei", principal };
        expect(await scene.release(reservation, { reservedMs: 600_000 })).toMatchObject({
          outcome: "released",
        });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["lockkeeper:reserve:mei"]);
        expect(await scene.runOnServers(key, (redis) => redis.pttl(key))).toBeGreaterThan(500_000);
        expect(await scene.release(reservation)).toMatchObject({ outcome: "not_held" });
        expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["lockkeeper:reserve:mei"]);
      });

      it("the owner string of a reservation cannot be used to acquire", async () => {
        const key = scene.createKey();
        await reserve(key, 60_000);
        expect(await getErrorCode(scene.acquire(key, "lockkeeper:reserve:mei"))).toBe("invalid");
      });
    });
  });
}
