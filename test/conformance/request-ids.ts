import { describe, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { type ConformanceFixture, describeFeature, LEASE_MS } from "./conformance-fixture.ts";

export function describeRequestIds(scene: ConformanceFixture): void {
  describeFeature(scene, "request-ids", () => {
    describe("repeated request ids", () => {
      it("a repeated acquire returns the stored hold, under the token of its first try", async () => {
        const key = scene.createKey();
        const { token, fence } = await scene.acquire(key, "me", { requestId: "r1" });
        const again = await scene.acquire(key, "me", { requestId: "r1" });
        expect(again).toMatchObject({ token, fence, count: 1, owner: "me", leaseMs: LEASE_MS });
        expect(await scene.countHold(again)).toBe(1);
        await scene.reenter(again);
        expect(await scene.acquire(key, "me", { requestId: "r1" })).toMatchObject({ token, fence, count: 2 });
      });

      it("two concurrent acquires under one request id are granted the same hold", async () => {
        const key = scene.createKey();
        const ask = () => scene.acquire(key, "me", { requestId: "r1" });
        const [one, two] = await Promise.all([ask(), ask()]);
        expect([two.token, two.fence]).toEqual([one.token, one.fence]);
        expect(await scene.countHold(one)).toBe(1);
      });

      it("a repeated acquire returns lost once its hold has ended, even if the same owner reacquired the lock", async () => {
        const key = scene.createKey();
        const first = await scene.acquire(key, "me", { requestId: "r1" });
        await scene.release(first);
        expect(await getErrorCode(scene.acquire(key, "me", { requestId: "r1" }))).toBe("lost");
        const second = await scene.acquire(key, "me", { requestId: "r2" });
        expect(await getErrorCode(scene.acquire(key, "me", { requestId: "r1" }))).toBe("lost");
        expect(await scene.countHold(second)).toBe(1);
      });

      it("a repeated release is carried out once and never releases a later hold", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        await scene.reenter(hold);
        await scene.reenter(hold);
        for (let n = 0; n < 2; n++)
          expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({
            outcome: "still_held",
            count: 2,
          });
        expect(await scene.countHold(hold)).toBe(2);
        await scene.release(hold, { requestId: "r2" });
        expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({
          outcome: "still_held",
          count: 1,
        });
        await scene.release(hold, { requestId: "r3" });
        const next = await scene.acquire(key, "me");
        for (const requestId of ["r1", "r2", "r3"])
          expect(await scene.release(hold, { requestId })).toMatchObject({ outcome: "released", count: 0 });
        expect(await scene.countHold(next)).toBe(1);
      });

      it("a release that returned not_held can be repeated", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me");
        await scene.deleteKey(key);
        for (let n = 0; n < 2; n++)
          expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({ outcome: "not_held" });
      });

      it("a repeated renewal returns the same hold and returns lost after the hold has ended", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { leaseMs: 5000 });
        await scene.renew(hold, { requestId: "r1" });
        expect(await scene.renew(hold, { requestId: "r1" })).toMatchObject({ count: 1, token: hold.token });
        await scene.release(hold);
        expect(await getErrorCode(scene.renew(hold, { requestId: "r1" }))).toBe("lost");
        await scene.acquire(key, "me");
        expect(await getErrorCode(scene.renew(hold, { requestId: "r1" }))).toBe("lost");
      });

      it("a request id reused for another verb, owner, hold or body is refused", async () => {
        const key = scene.createKey();
        const hold = await scene.acquire(key, "me", { requestId: "r1" });
        await scene.renew(hold, { requestId: "r2" });
        for (const call of [
          () => scene.acquire(key, "you", { requestId: "r1" }),
          () => scene.acquire(key, "me", { requestId: "r1", leaseMs: 999 }),
          () => scene.renew(hold, { requestId: "r1" }),
          () => scene.reenter(hold, { requestId: "r1" }),
          () => scene.release(hold, { requestId: "r1" }),
          () => scene.reenter(hold, { requestId: "r2" }),
          () => scene.renew(hold, { requestId: "r2", leaseMs: 999 }),
          () => scene.renew(scene.createUnknownHold(key), { requestId: "r2" }),
        ]) {
          expect(await getErrorCode(call())).toBe("idempotency_key_reused");
        }
        expect(await scene.countHold(hold)).toBe(1);
      });

      describeFeature(scene, "other-formats", () => {
        it("a request id reused for another format is refused", async () => {
          const key = scene.createKey();
          const hold = await scene.acquire(key, "me", { requestId: "r1" });
          const format: WritableFormat = scene.format.format === "redisson" ? "token" : "redisson";
          const ask = { owner: "me", leaseMs: LEASE_MS, format, requestId: "r1" };
          expect(await getErrorCode(scene.opened.verbs.acquire(key, ask))).toBe("idempotency_key_reused");
          expect(await scene.countHold(hold)).toBe(1);
        });
      });
    });
  });
}
