import { describe, expect, it } from "vitest";
import { HeldError } from "../../server/errors/lock-errors.ts";
import { catchLockError, getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, LEASE_MS } from "./conformance-fixture.ts";

export function describeExclusion(scene: ConformanceFixture): void {
  describe("exclusion", () => {
    it("one owner acquires the lock, and the next is refused with the holder and the remaining lease", async () => {
      const key = scene.createKey();
      const grant = await scene.acquire(key, "me", { record: { service: "checkout" } });
      expect(grant).toMatchObject({ key, owner: "me", count: 1 });
      expect(grant.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(grant.remainingMs).toBeLessThanOrEqual(LEASE_MS + scene.roundedMs);
      const refusal = await catchLockError(scene.acquire(key, "you"));
      if (!(refusal instanceof HeldError)) throw refusal;
      const { holders, remainingMs } = refusal.facts;
      expect(holders).toEqual([
        { owner: "me", count: 1, fence: grant.fence, record: { service: "checkout" } },
      ]);
      expect(remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(remainingMs).toBeLessThanOrEqual(LEASE_MS + scene.roundedMs + scene.marginMs);
    });

    it("exactly one of many concurrent acquires is granted", async () => {
      const key = scene.createKey();
      const [one, two] = scene.opened.clients;
      const calls = Array.from({ length: 20 }, (_, n) =>
        getErrorCode(
          (n % 2 === 0 ? one : two).acquire(key, scene.toHoldOptions({ renew: false, owner: `o-${n}` })),
        ),
      );
      const codes = await Promise.all(calls);
      expect(codes.filter((code) => code === "ok")).toHaveLength(1);
      expect(codes.filter((code) => code === "held")).toHaveLength(19);
    });

    it("the next owner can acquire the lock right after its release", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.countKeys(key)).toBe(0);
      expect(await scene.acquire(key, "you")).toMatchObject({ owner: "you", count: 1 });
    });

    it("releasing a free lock or another owner's lock returns not_held and changes nothing", async () => {
      const key = scene.createKey();
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held", count: 0 });
      await scene.acquire(key, "you");
      const before = await scene.dumpContent(key);
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
      expect(await scene.dumpContent(key)).toBe(before);
    });
  });
}
