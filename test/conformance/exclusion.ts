import { describe, expect, it } from "vitest";
import { HeldError } from "../../server/errors/lock-errors.ts";
import { catchLockError, getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, catchHolders, LEASE_MS } from "./conformance-fixture.ts";

export function describeExclusion(scene: ConformanceFixture): void {
  describe("exclusion", () => {
    it("a free lock is granted, and the next acquire is refused with the holder and the remaining lease", async () => {
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

    it("a held lock is refused to the same owner, with and without the principal that holds it", async () => {
      const key = scene.createKey();
      const grant = await scene.acquire(key, "me", { principal: "key-1" });
      const before = await scene.dumpContent(key);
      for (const principal of ["key-1", "key-2", undefined])
        expect(await catchHolders(scene.acquire(key, "me", { principal }))).toEqual(["me"]);
      expect(await scene.dumpContent(key)).toBe(before);
      expect(await scene.countHold({ ...grant, principal: "key-1" })).toBe(1);
    });

    it("a held lock is refused to the client that holds it", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions());
      expect(await getErrorCode(client.acquire(key, scene.toHoldOptions()))).toBe("held");
      expect(await scene.countHold(hold)).toBe(1);
      await hold.release();
    });

    it("every grant has a token of its own, also for the same owner", async () => {
      const key = scene.createKey();
      const first = await scene.acquire(key, "me");
      await scene.release(first);
      const second = await scene.acquire(key, "me");
      expect(first.token).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+$/);
      expect(second.token).not.toBe(first.token);
    });

    it("exactly one of many concurrent acquires is granted", async () => {
      const key = scene.createKey();
      const [one, two] = scene.opened.clients;
      const calls = Array.from({ length: 20 }, (_, n) =>
        getErrorCode(
          (n % 2 === 0 ? one : two).acquire(key, scene.toHoldOptions({ renew: false, owner: "me" })),
        ),
      );
      const codes = await Promise.all(calls);
      expect(codes.filter((code) => code === "ok")).toHaveLength(1);
      expect(codes.filter((code) => code === "held")).toHaveLength(19);
    });

    it("the lock can be acquired right after its release", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.countKeys(key)).toBe(0);
      expect(await scene.acquire(key, "you")).toMatchObject({ owner: "you", count: 1 });
    });

    it("releasing a free lock or another hold's lock returns not_held and changes nothing", async () => {
      const key = scene.createKey();
      const unknown = scene.createUnknownHold(key);
      expect(await scene.release(unknown)).toMatchObject({ outcome: "not_held", count: 0 });
      await scene.acquire(key, "you");
      const before = await scene.dumpContent(key);
      expect(await scene.release(unknown)).toMatchObject({ outcome: "not_held" });
      expect(await scene.dumpContent(key)).toBe(before);
    });
  });
}
