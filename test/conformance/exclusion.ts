import { describe, expect, it } from "vitest";
import { HeldError } from "../../server/errors/lock-errors.ts";
import { codeOf, LEASE_MS, refusalOf, type Scene } from "./conformance-fixture.ts";

export function exclusion(scene: Scene): void {
  describe("exclusion", () => {
    it("lets one owner in, and tells the next who has the lock and for how long", async () => {
      const key = scene.key();
      const grant = await scene.acquire(key, "me", { record: { service: "checkout" } });
      expect(grant).toMatchObject({ key, owner: "me", count: 1 });
      expect(grant.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(grant.remainingMs).toBeLessThanOrEqual(LEASE_MS + scene.roundedMs);
      const refusal = await refusalOf(scene.acquire(key, "you"));
      if (!(refusal instanceof HeldError)) throw refusal;
      const { holders, remainingMs } = refusal.facts;
      expect(holders).toEqual([
        { owner: "me", count: 1, fence: grant.fence, record: { service: "checkout" } },
      ]);
      expect(remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(remainingMs).toBeLessThanOrEqual(LEASE_MS + scene.roundedMs + scene.marginMs);
    });

    it("lets exactly one of many in that come at once", async () => {
      const key = scene.key();
      const [one, two] = scene.opened.clients;
      const calls = Array.from({ length: 20 }, (_, n) =>
        codeOf((n % 2 === 0 ? one : two).acquire(key, scene.holding({ renew: false, owner: `o-${n}` }))),
      );
      const codes = await Promise.all(calls);
      expect(codes.filter((code) => code === "granted")).toHaveLength(1);
      expect(codes.filter((code) => code === "held")).toHaveLength(19);
    });

    it("lets the next in as soon as it is released", async () => {
      const key = scene.key();
      await scene.acquire(key, "me");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.exists(key)).toBe(0);
      expect(await scene.acquire(key, "you")).toMatchObject({ owner: "you", count: 1 });
    });

    it("says that nothing is held to whoever releases what is free or another's, and touches nothing", async () => {
      const key = scene.key();
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held", count: 0 });
      await scene.acquire(key, "you");
      const before = await scene.content(key);
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
      expect(await scene.content(key)).toBe(before);
    });
  });
}
