import { describe, expect, it } from "vitest";
import type { ConformanceFixture } from "./conformance-fixture.ts";

const isRising = (fences: readonly string[]) =>
  fences.every((fence, at) => at === 0 || BigInt(fence) > BigInt(fences[at - 1] ?? 0));

export function describeFences(scene: ConformanceFixture): void {
  describe("fencing tokens", () => {
    it("the fencing token rises with every hold: after a release, a manual DEL and the loss of the companion key", async () => {
      const key = scene.createKey();
      const first = await scene.acquire(key, "a");
      await scene.release(first);
      const second = await scene.acquire(key, "b");
      await scene.deleteKey(key);
      const third = await scene.acquire(key, "b");
      await scene.deleteCompanion(key);
      await scene.deleteKey(key);
      const fourth = await scene.acquire(key, "a");
      expect(isRising([first, second, third, fourth].map(({ fence }) => fence))).toBe(true);
    });

    it("verify reports the hold it is asked about, and no other hold of the lock", async () => {
      const key = scene.createKey();
      const before = await scene.acquire(key, "me");
      expect(await scene.verify(before)).toMatchObject({
        ...{ held: true, key, owner: "me", token: before.token, fence: before.fence, count: 1 },
        leaseMs: before.leaseMs,
      });
      await scene.release(before);
      expect(await scene.verify(before)).toMatchObject({ held: false });
      const now = await scene.acquire(key, "me");
      expect(await scene.verify(before)).toMatchObject({ held: false });
      expect(await scene.verify({ ...before, fence: now.fence })).toMatchObject({ held: false });
      expect(await scene.verify({ ...now, fence: before.fence })).toMatchObject({ held: false });
      expect(await scene.verify(now)).toMatchObject({ held: true });
    });
  });
}
