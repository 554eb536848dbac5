import { describe, expect, it } from "vitest";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import { getErrorCode } from "../support/test-locks.ts";
import type { ConformanceFixture } from "./conformance-fixture.ts";

const isRising = (fences: readonly (string | null)[]) =>
  fences.every((fence, at) => at === 0 || BigInt(fence ?? 0) > BigInt(fences[at - 1] ?? 0));

export function describeFences(scene: ConformanceFixture): void {
  describe("fencing tokens", () => {
    it("the fencing token rises with every hold: after a release, a manual DEL and the loss of the companion key", async () => {
      const key = scene.createKey();
      const seen = [(await scene.acquire(key, "a")).fence];
      await scene.release(key, "a");
      seen.push((await scene.acquire(key, "b")).fence);
      await scene.deleteKey(key);
      seen.push((await scene.acquire(key, "b")).fence);
      await scene.runOnServers(key, (redis) => redis.del(key, String(buildCompanionKey(key))));
      seen.push((await scene.acquire(key, "a")).fence);
      expect(seen).not.toContain(null);
      expect(isRising(seen)).toBe(true);
    });

    it("a hold is verified by its fencing token, since the same owner may have reacquired the lock", async () => {
      const key = scene.createKey();
      const before = await scene.acquire(key, "me");
      expect(await scene.verify(key, "me", before.fence ?? "")).toMatchObject({ owner: "me", count: 1 });
      await scene.release(key, "me");
      expect(await getErrorCode(scene.verify(key, "me"))).toBe("lost");
      const now = await scene.acquire(key, "me");
      expect(await getErrorCode(scene.verify(key, "me", before.fence ?? ""))).toBe("lost");
      expect(await getErrorCode(scene.verify(key, "me", now.fence ?? ""))).toBe("ok");
      expect(await getErrorCode(scene.verify(key, "you"))).toBe("lost");
    });
  });
}
