import { describe, expect, it } from "vitest";
import { catchLockError, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, describeFeature } from "./conformance-fixture.ts";

/** Principals that know the hold but did not acquire it. `undefined` is a client of the library. */
const OTHERS = ["key-2", undefined];
const ONE = { principal: "key-1" };
const TWO = { principal: "key-2" };
const WATCHED_MS = 900;

export function describePrincipals(scene: ConformanceFixture): void {
  describe("holds acquired by a principal", () => {
    it("a principal's hold can be renewed, entered, released and verified by that principal alone", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me", ONE);
      const { token, fence } = hold;
      const before = await scene.dumpContent(key);
      for (const principal of OTHERS) {
        const theirs = { ...hold, principal };
        expect(await getErrorCode(scene.renew(theirs, { leaseMs: 90_000 }))).toBe("not_owner");
        expect(await getErrorCode(scene.reenter(theirs))).toBe("not_owner");
        expect(await getErrorCode(scene.release(theirs))).toBe("not_owner");
        expect(await getErrorCode(scene.verify(theirs))).toBe("not_owner");
      }
      expect(await scene.dumpContent(key)).toBe(before);
      const mine = { ...hold, ...ONE };
      const another = { ...hold, ...TWO };
      expect(await scene.reenter(mine)).toMatchObject({ count: 2, token, fence });
      expect(await getErrorCode(scene.release(another, { requestId: "r1" }))).toBe("not_owner");
      expect(await scene.renew(mine)).toMatchObject({ count: 2, fence });
      expect(await scene.release(mine, { requestId: "r1" })).toMatchObject({ count: 1 });
      expect(await getErrorCode(scene.release(another))).toBe("not_owner");
      expect(await scene.verify(mine)).toMatchObject({ held: true, count: 1 });
      expect(await scene.release(mine)).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.countKeys(key)).toBe(0);
      expect(await scene.release(another)).toMatchObject({ outcome: "not_held" });
    });

    it("a refused principal learns which credentials may act, and can wait for the lock", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me", ONE);
      const refusal = await catchLockError(scene.release({ ...hold, ...TWO }));
      expect(refusal.message).toMatch(/API key.*force-release/);
      const waits = scene.acquire(key, "me", { ...TWO, waitMs: 15_000 });
      await sleepMs(50);
      await scene.release({ ...hold, ...ONE });
      const next = await waits;
      expect(next.count).toBe(1);
      expect(await getErrorCode(scene.release({ ...next, ...ONE }))).toBe("not_owner");
      expect(await scene.release({ ...hold, ...ONE })).toMatchObject({ outcome: "not_held" });
    });

    it("a principal's hold is not renewed by the watchdog of a client", async () => {
      const key = scene.createKey();
      const { token, fence, format } = await scene.acquire(key, "me", { ...ONE, leaseMs: WATCHED_MS });
      const theirs = { key, token, fence, format, leaseMs: 90_000 };
      expect(await scene.opened.renewMany([theirs], 1000)).toEqual([null]);
      expect(await scene.acquire(key, "you", { waitMs: 15_000 })).toMatchObject({ count: 1 });
    });

    it("a hold of a client of the library cannot be used by a principal", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const before = await scene.dumpContent(key);
      const theirs = { ...hold, ...ONE };
      expect(await getErrorCode(scene.renew(theirs, { leaseMs: 90_000 }))).toBe("not_owner");
      expect(await getErrorCode(scene.reenter(theirs))).toBe("not_owner");
      expect(await getErrorCode(scene.release(theirs))).toBe("not_owner");
      expect(await scene.dumpContent(key)).toBe(before);
      expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    });

    describeFeature(scene, "request-ids", () => {
      it("the same request id of two principals names two requests", async () => {
        const key = scene.createKey();
        const ask = (principal: string | undefined) => ({ principal, requestId: "r1" });
        const hold = await scene.acquire(key, "me", ask("key-1"));
        for (const principal of OTHERS) {
          expect(await getErrorCode(scene.acquire(key, "me", ask(principal)))).toBe("held");
          expect(await getErrorCode(scene.renew({ ...hold, principal }, { requestId: "r1" }))).toBe(
            "not_owner",
          );
        }
        expect(await scene.acquire(key, "me", ask("key-1"))).toMatchObject({ token: hold.token, count: 1 });
        const mine = { ...hold, ...ONE };
        await scene.release(mine, { requestId: "r2" });
        for (const principal of OTHERS)
          expect(await scene.release({ ...hold, principal }, { requestId: "r2" })).toMatchObject({
            outcome: "not_held",
          });
        expect(await scene.release(mine, { requestId: "r2" })).toMatchObject({ outcome: "released" });
      });

      it("two principals waiting under the same request id and owner do not displace each other", async () => {
        const key = scene.createKey();
        const theirs = await scene.acquire(key, "you");
        const got: string[] = [];
        const wait = (principal: string) =>
          scene
            .acquire(key, "me", { principal, requestId: "w", waitMs: 15_000, leaseMs: 500 })
            .then(() => got.push(principal));
        const both = [wait("key-1"), wait("key-2")].map(getErrorCode);
        await sleepMs(100);
        await scene.release(theirs);
        await waitUntil(() => got.length > 0);
        expect(await Promise.race(both)).toBe("ok");
        await scene.deleteKey(key);
        await Promise.all(both);
        expect(got.toSorted()).toEqual(["key-1", "key-2"]);
      });
    });
  });
}
