import { describe, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, describeFeature, LEASE_MS } from "./conformance-fixture.ts";

export function describeRequestIds(scene: ConformanceFixture): void {
  describeFeature(scene, "request-ids", () => {
    describe("repeated request ids", () => {
      it("a repeated acquire is granted once", async () => {
        const key = scene.createKey();
        const first = await scene.acquire(key, "me", { requestId: "r1" });
        await scene.acquire(key, "me", { requestId: "r2" });
        const again = await scene.acquire(key, "me", { requestId: "r1" });
        expect(again).toMatchObject({ count: 2, fence: first.fence });
        expect(await scene.verify(key, "me")).toMatchObject({ count: 2 });
      });

      it("a repeated acquire returns lost once its hold has ended, even if the same owner reacquired the lock", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { requestId: "r1" });
        await scene.release(key, "me");
        expect(await getErrorCode(scene.acquire(key, "me", { requestId: "r1" }))).toBe("lost");
        await scene.acquire(key, "me", { requestId: "r2" });
        expect(await getErrorCode(scene.acquire(key, "me", { requestId: "r1" }))).toBe("lost");
        expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
      });

      it("a repeated release is carried out once and never releases a later hold", async () => {
        const key = scene.createKey();
        expect(await scene.release(key, "me", { requestId: "r0" })).toMatchObject({ outcome: "not_held" });
        await scene.acquire(key, "me");
        await scene.acquire(key, "me");
        expect(await scene.release(key, "me", { requestId: "r0" })).toMatchObject({ outcome: "not_held" });
        await scene.release(key, "me", { requestId: "r1" });
        expect(await scene.release(key, "me", { requestId: "r1" })).toMatchObject({
          outcome: "released",
          count: 1,
        });
        expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
      });

      it("a repeated renewal returns the same hold and returns lost after the hold has ended", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { leaseMs: 5000 });
        await scene.renew(key, "me", { requestId: "r1" });
        expect(await scene.renew(key, "me", { requestId: "r1" })).toMatchObject({ count: 1 });
        await scene.release(key, "me");
        expect(await getErrorCode(scene.renew(key, "me", { requestId: "r1" }))).toBe("lost");
        await scene.acquire(key, "me");
        expect(await getErrorCode(scene.renew(key, "me", { requestId: "r1" }))).toBe("lost");
      });

      it("a request id reused for another verb, owner or body is refused", async () => {
        const key = scene.createKey();
        await scene.acquire(key, "me", { requestId: "r1" });
        for (const call of [
          () => scene.acquire(key, "you", { requestId: "r1" }),
          () => scene.acquire(key, "me", { requestId: "r1", leaseMs: 999 }),
          () => scene.renew(key, "me", { requestId: "r1" }),
          () => scene.release(key, "me", { requestId: "r1" }),
        ]) {
          expect(await getErrorCode(call())).toBe("request_id_reused");
        }
        expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
      });

      describeFeature(scene, "other-formats", () => {
        it("a request id reused for another format is refused", async () => {
          const key = scene.createKey();
          await scene.acquire(key, "me", { requestId: "r1" });
          const format: WritableFormat = scene.format.format === "redisson" ? "token" : "redisson";
          const ask = { owner: "me", leaseMs: LEASE_MS, reentrant: true, format, requestId: "r1" };
          expect(await getErrorCode(scene.opened.verbs.acquire(key, ask))).toBe("request_id_reused");
          expect(await scene.verify(key, "me")).toMatchObject({ count: 1 });
        });
      });
    });
  });
}
