import { describe, expect, it } from "vitest";
import type { Grant } from "../../server/locks/verbs/contract/grant.ts";
import type { RenewalTarget } from "../../server/locks/verbs/contract/verbs.ts";
import { getErrorCode, sleepMs } from "../support/test-locks.ts";
import { type ConformanceFixture, LEASE_MS, SHORT_MS } from "./conformance-fixture.ts";

const ONE = { principal: "key-1" };

/** Events that can happen to a hold before it is renewed. */
const FATES: Readonly<Record<string, (scene: ConformanceFixture, hold: Grant) => Promise<unknown>>> = {
  held: async () => undefined,
  "held twice": (scene, hold) => scene.reenter({ ...hold, ...ONE }),
  released: (scene, hold) => scene.release({ ...hold, ...ONE }),
  deleted: (scene, { key }) => scene.deleteKey(key),
  "without its companion": (scene, { key }) => scene.deleteCompanion(key),
  "acquired by another": async (scene, hold) => {
    await scene.release({ ...hold, ...ONE });
    await scene.acquire(hold.key, "you");
  },
  "of another type": (scene, { key }) =>
    scene.runOnServers(key, async (redis) => {
      await redis.del(key);
      await redis.rpush(key, "a list");
    }),
};

export function describeManyHolds(scene: ConformanceFixture): void {
  const acquireEach = async () => {
    const holds: RenewalTarget[] = [];
    for (const meet of Object.values(FATES)) {
      const hold = await scene.acquire(scene.createKey(), "me", ONE);
      await meet(scene, hold);
      holds.push({ ...hold, ...ONE, leaseMs: 60_000 });
    }
    const foreign = await scene.acquire(scene.createKey(), "you", { principal: "key-2" });
    return [...holds, { ...foreign, ...ONE, leaseMs: 60_000 }];
  };
  const describeEach = (settled: readonly PromiseSettledResult<Grant>[]) =>
    Promise.all(
      settled.map(async (each) =>
        each.status === "fulfilled"
          ? `count ${each.value.count}, lease ${each.value.leaseMs}`
          : await getErrorCode(Promise.reject(each.reason)),
      ),
    );

  describe("renewal of many holds", () => {
    it("each hold gets the result of a single renewal, whatever became of the others", async () => {
      const [together, alone] = [await acquireEach(), await acquireEach()];
      const settled = await scene.opened.verbs.renewHolds(together);
      const single = await Promise.allSettled(
        alone.map(({ leaseMs, ...hold }) => scene.renew(hold, { leaseMs })),
      );
      expect(await describeEach(settled)).toEqual(await describeEach(single));
      expect(await describeEach(settled)).toEqual([
        "count 1, lease 60000",
        "count 2, lease 60000",
        ...Array(5).fill("lost"),
        "not_owner",
      ]);
      for (const [at, { key }] of together.entries()) {
        const other = alone[at]?.key ?? "";
        const [ttl, otherTtl] = await Promise.all(
          [key, other].map((each) => scene.runOnServers(each, (redis) => redis.pttl(each))),
        );
        expect(Math.abs((ttl ?? 0) - (otherTtl ?? 0)), key).toBeLessThan(2500);
      }
    });

    it("holds without leaseMs keep their own leases, and no lease is shortened", async () => {
      const leases = [LEASE_MS, 45_000, 60_000];
      const holds = await Promise.all(
        leases.map((leaseMs) => scene.acquire(scene.createKey(), "me", { ...ONE, leaseMs })),
      );
      const named = holds.map((hold) => ({ ...hold, ...ONE }));
      const kept = await scene.opened.verbs.renewHolds(
        named.map((hold) => ({ ...hold, leaseMs: undefined })),
      );
      const shorter = await scene.opened.verbs.renewHolds(named.map((hold) => ({ ...hold, leaseMs: 1000 })));
      expect(await describeEach(kept)).toEqual(leases.map((leaseMs) => `count 1, lease ${leaseMs}`));
      for (const [at, each] of shorter.entries()) {
        const leaseMs = leases[at] ?? 0;
        expect(each.status === "fulfilled" && each.value.remainingMs).toBeGreaterThan(leaseMs - 5000);
      }
    });

    it("an expired hold is lost and stays so, although it is renewed together with others", async () => {
      const lasting = await scene.acquire(scene.createKey(), "me", ONE);
      const short = await scene.acquire(scene.createKey(), "me", { ...ONE, leaseMs: SHORT_MS });
      await sleepMs(SHORT_MS + scene.roundedMs + scene.driftMs + 20);
      const holds = [short, lasting].map((hold) => ({ ...hold, ...ONE, leaseMs: LEASE_MS }));
      expect(await describeEach(await scene.opened.verbs.renewHolds(holds))).toEqual([
        "lost",
        `count 1, lease ${LEASE_MS}`,
      ]);
      expect(await scene.countHold({ ...short, ...ONE })).toBe(0);
    });
  });
}
