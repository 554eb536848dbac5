import { describe, expect, it } from "vitest";
import { catchLockError, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, describeFeature } from "./conformance-fixture.ts";

/** Those that know the owner and did not acquire the hold; the last of them names nobody. */
const OTHERS = ["key-2", undefined];
const ONE = { principal: "key-1" };
const TWO = { principal: "key-2" };
const WATCHED_MS = 900;

export function describePrincipals(scene: ConformanceFixture): void {
  describe("holds acquired by a principal", () => {
    it("a principal's hold cannot be renewed, released or re-entered by another principal with the same owner", async () => {
      const key = scene.createKey();
      const { fence } = await scene.acquire(key, "me", ONE);
      const before = await scene.dumpContent(key);
      for (const principal of OTHERS) {
        expect(await getErrorCode(scene.acquire(key, "me", { principal }))).toBe("held");
        expect(await getErrorCode(scene.renew(key, "me", { principal, leaseMs: 90_000 }))).toBe("not_owner");
        expect(await getErrorCode(scene.release(key, "me", { principal }))).toBe("not_owner");
      }
      expect(await scene.dumpContent(key)).toBe(before);
      expect(await scene.acquire(key, "me", ONE)).toMatchObject({ count: 2, fence });
      expect(await getErrorCode(scene.release(key, "me", TWO))).toBe("not_owner");
      expect(await scene.renew(key, "me", ONE)).toMatchObject({ count: 2, fence });
      expect(await scene.release(key, "me", ONE)).toMatchObject({ count: 1 });
      expect(await getErrorCode(scene.release(key, "me", TWO))).toBe("not_owner");
      expect(await scene.release(key, "me", ONE)).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.countKeys(key)).toBe(0);
      expect(await scene.release(key, "me", TWO)).toMatchObject({ outcome: "not_held" });
    });

    it("a refused principal learns which credentials may act, and can wait like any other owner", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me", ONE);
      expect((await catchLockError(scene.release(key, "me", TWO))).message).toMatch(/API key.*force-release/);
      expect((await catchLockError(scene.acquire(key, "me", TWO))).message).toMatch(/other credentials/);
      const waits = scene.acquire(key, "me", { ...TWO, waitMs: 15_000 });
      await sleepMs(50);
      await scene.release(key, "me", ONE);
      expect(await waits).toMatchObject({ count: 1 });
      expect(await getErrorCode(scene.release(key, "me", ONE))).toBe("not_owner");
    });

    it("a principal's hold can be verified by anyone", async () => {
      const key = scene.createKey();
      const { fence } = await scene.acquire(key, "me", ONE);
      expect(await scene.verify(key, "me", fence ?? "")).toMatchObject({ count: 1 });
    });

    it("a principal's hold is renewed by the watchdog of its own client only", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs: WATCHED_MS, ...ONE }));
      const others = { key, owner: hold.owner, format: hold.format, fence: hold.fence, leaseMs: 90_000 };
      expect(await scene.opened.renewMany([{ ...others, ...TWO }], 1000)).toEqual([null]);
      await sleepMs(WATCHED_MS + 2 * scene.roundedMs);
      hold.assertHeld();
      expect(await getErrorCode(scene.release(key, hold.owner, TWO))).toBe("not_owner");
      expect(await hold.release()).toMatchObject({ outcome: "released", count: 0 });
    });

    it("a hold acquired without a principal can be used by anyone who knows the owner", async () => {
      const key = scene.createKey();
      const { fence } = await scene.acquire(key, "me");
      expect(await scene.acquire(key, "me", TWO)).toMatchObject({ count: 2, fence });
      expect(await scene.renew(key, "me", ONE)).toMatchObject({ count: 2 });
      expect(await scene.release(key, "me", ONE)).toMatchObject({ count: 1 });
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "released", count: 0 });
    });

    describeFeature(scene, "request-ids", () => {
      it("a request id repeated by another principal is refused as request_id_reused", async () => {
        const key = scene.createKey();
        const ask = (principal: string, requestId: string) => ({ principal, requestId });
        await scene.acquire(key, "me", ask("key-1", "r1"));
        await scene.renew(key, "me", ask("key-1", "r2"));
        expect(await getErrorCode(scene.acquire(key, "me", ask("key-2", "r1")))).toBe("request_id_reused");
        expect(await getErrorCode(scene.renew(key, "me", ask("key-2", "r2")))).toBe("request_id_reused");
        expect(await scene.acquire(key, "me", ask("key-1", "r1"))).toMatchObject({ count: 1 });
        await scene.release(key, "me", ask("key-1", "r3"));
        expect(await getErrorCode(scene.release(key, "me", ask("key-2", "r3")))).toBe("request_id_reused");
        expect(await scene.release(key, "me", ask("key-1", "r3"))).toMatchObject({ outcome: "released" });
      });

      it("two principals waiting under the same request id and owner do not displace each other", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "you");
        const got: string[] = [];
        const wait = (principal: string) =>
          scene
            .acquire(key, "me", { principal, requestId: "w", waitMs: 15_000, leaseMs: 500 })
            .then(() => got.push(principal));
        const both = [wait("key-1"), wait("key-2")].map(getErrorCode);
        await sleepMs(100);
        await scene.release(key, "you");
        await waitUntil(() => got.length > 0);
        expect(await Promise.race(both)).toBe("ok");
        await scene.deleteKey(key);
        await Promise.all(both);
      });
    });
  });
}
