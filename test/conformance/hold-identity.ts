import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import type { Grant, VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import { getErrorCode } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, LEASE_MS } from "./conformance-fixture.ts";

const HELD_MS = 20_000;
const PRINCIPAL = { principal: "key-1" };

/**
 * Registers tests that a verb on one hold has no effect on a different hold, such as a later hold of the same owner, a
 * hold whose companion was lost, or a lock of another client.
 */
export function describeHoldIdentity(scene: ConformanceFixture): void {
  /** Asserts that the hold has ended and that no verb on this hold changes the key. */
  async function assertEnded(hold: VerbHold): Promise<void> {
    const before = await scene.dumpContent(hold.key);
    expect(await getErrorCode(scene.renew(hold, { leaseMs: 2 * LEASE_MS }))).toBe("lost");
    expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
    expect(await scene.verify(hold)).toMatchObject({ held: false });
    expect(await scene.release(hold)).toMatchObject({ outcome: "not_held", count: 0 });
    expect(await scene.dumpContent(hold.key)).toBe(before);
  }

  describe("a hold of an earlier acquire", () => {
    it("an earlier hold of the same owner has no effect on the current one", async () => {
      const key = scene.createKey();
      const earlier = await scene.acquire(key, "me");
      await scene.release(earlier);
      const now = await scene.acquire(key, "me");
      await assertEnded(earlier);
      await assertEnded({ ...earlier, fence: now.fence });
      await assertEnded({ ...now, fence: earlier.fence });
      expect(await scene.release(now)).toMatchObject({ outcome: "released" });
    });

    it("a hold that ended while its principal was away has no effect on the next one of that principal", async () => {
      const key = scene.createKey();
      const earlier = { ...(await scene.acquire(key, "me", PRINCIPAL)), ...PRINCIPAL };
      await scene.deleteKey(key);
      const now = { ...(await scene.acquire(key, "me", PRINCIPAL)), ...PRINCIPAL };
      await assertEnded(earlier);
      expect(await scene.countHold(now)).toBe(1);
    });
  });

  describeMissingCompanion(scene, assertEnded);
  describeRecreatedKey(scene, assertEnded);
}

type AssertEnded = (hold: VerbHold) => Promise<void>;

function describeMissingCompanion(scene: ConformanceFixture, assertEnded: AssertEnded): void {
  const lose = async (principal?: string): Promise<VerbHold & Grant> => {
    const hold = await scene.acquire(scene.createKey(), "me", { principal, leaseMs: 5000 });
    // On a quorum, the acquire may return before the first master has granted the lock.
    await waitUntil(async () => (await scene.countKeys(hold.key)) === 1);
    await scene.deleteCompanion(hold.key);
    return { ...hold, principal };
  };

  describe("a lock whose companion is missing", () => {
    it("the lock is still held, and nobody else can acquire it", async () => {
      const { key } = await lose();
      expect(await getErrorCode(scene.acquire(key, "you"))).toBe("held");
    });

    it("a hold of the API is lost, and its release returns not_held", async () => {
      await assertEnded(await lose("key-1"));
    });

    if (scene.format.format === "timestamp") {
      it("a timestamp hold of the library is lost, since its token is not in the lock", async () => {
        await assertEnded(await lose());
      });
      return;
    }

    it("a client of the library renews and verifies its hold by the token in the lock", async () => {
      const hold = await lose();
      const renewed = await scene.renew(hold, { leaseMs: LEASE_MS });
      expect(renewed).toMatchObject({ token: hold.token, count: 1 });
      expect(renewed.remainingMs).toBeGreaterThan(LEASE_MS * 0.8);
      expect(await scene.verify(hold)).toMatchObject({ held: true, count: 1 });
      const { key, token, fence, format } = hold;
      const watched = { key, token, fence, format, leaseMs: 2 * LEASE_MS };
      const [leftMs] = await scene.opened.renewMany([watched], 1000);
      expect(leftMs).toBeGreaterThan(LEASE_MS * 1.6);
    });

    it("a client of the library releases its hold by the token in the lock", async () => {
      const hold = await lose();
      expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
      expect(await scene.countKeys(hold.key)).toBe(0);
      const next = await scene.acquire(hold.key, "you");
      expect(BigInt(next.fence)).toBeGreaterThan(BigInt(hold.fence));
    });

    it("a renewal without a lease does not end a hold that lost its companion and its TTL", async () => {
      const hold = await lose();
      await scene.runOnServers(hold.key, (redis) => redis.persist(hold.key));
      await scene.renew(hold).catch(() => undefined);
      expect(await scene.countKeys(hold.key)).toBe(1);
    });

    it("a hold without a companion cannot be re-entered", async () => {
      const hold = await lose();
      expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
      expect(await scene.countHold(hold)).toBe(1);
    });

    it("another token does not stand for the one in the lock", async () => {
      const { key } = await lose();
      await assertEnded(scene.createUnknownHold(key));
    });

    if (scene.format.format === "redisson") {
      it("a re-entered hold without a companion is released one count at a time, each request once", async () => {
        const hold = await scene.acquire(scene.createKey(), "me");
        await scene.reenter(hold);
        await scene.reenter(hold);
        await scene.deleteCompanion(hold.key);
        for (let n = 0; n < 2; n++)
          expect(await scene.release(hold, { requestId: "r1" })).toMatchObject({
            outcome: "still_held",
            count: 2,
          });
        expect(await scene.release(hold, { requestId: "r2" })).toMatchObject({ count: 1 });
        expect(await scene.release(hold)).toMatchObject({ outcome: "released", count: 0 });
      });
    }
  });
}

function describeRecreatedKey(scene: ConformanceFixture, assertEnded: AssertEnded): void {
  const { format } = scene.format;
  /** Replaces the key with a lock of another client whose owner is `text`. */
  const recreate = (key: string, text: string) =>
    scene.runOnServers(key, async (redis: Redis) => {
      await redis.del(key);
      if (format === "redisson") await redis.multi().hset(key, text, 1).pexpire(key, HELD_MS).exec();
      else await redis.set(key, text, "PX", HELD_MS);
    });
  const readValue = (key: string) => scene.runOnServers(key, (redis) => redis.get(key));
  const createEnd = () => {
    const end = Date.now() + HELD_MS;
    return String(scene.format.unit === "s" ? Math.ceil(end / 1000) : end);
  };

  describe("a key recreated by another client", () => {
    it("a lock of another client under the same owner text is not the hold", async () => {
      const owner = format === "timestamp" ? createEnd() : scene.createUnknownHold("").token;
      for (const principal of [undefined, "key-1"]) {
        const hold = { ...(await scene.acquire(scene.createKey(), owner, { principal })), principal };
        await recreate(hold.key, owner);
        await assertEnded(hold);
        expect(await getErrorCode(scene.acquire(hold.key, owner, { principal }))).toBe("held");
      }
    });

    it("a lock of another client under the text of the token is the hold as long as the companion is", async () => {
      const hold = await scene.acquire(scene.createKey(), "me", PRINCIPAL);
      const mine = { ...hold, ...PRINCIPAL };
      const text = format === "timestamp" ? ((await readValue(hold.key)) ?? "") : hold.token;
      await recreate(hold.key, text);
      expect(await scene.verify(mine)).toMatchObject({ held: true, count: 1, fence: hold.fence });
      expect(await scene.release(mine)).toMatchObject({ outcome: "released", count: 0 });
      await recreate(hold.key, text);
      await assertEnded(mine);
      await assertEnded({ ...mine, principal: "key-2" });
      const next = await scene.acquire(hold.key, "you").catch(() => undefined);
      expect(next).toBeUndefined();
    });
  });

  describe("a lock of another format", () => {
    const others: readonly WritableFormat[] = (["redisson", "token", "timestamp"] as const).filter(
      (other) => other !== format,
    );
    it.each(others)("a hold has ended where the key holds a lock of another client as %s", async (other) => {
      for (const principal of [undefined, "key-1"]) {
        const hold = { ...(await scene.acquire(scene.createKey(), "me", { principal })), principal };
        const { key, token } = hold;
        await scene.runOnServers(key, async (redis) => {
          await redis.del(key);
          if (other === "redisson") await redis.multi().hset(key, token, 1).pexpire(key, HELD_MS).exec();
          else await redis.set(key, other === "token" ? "another's" : createEnd(), "PX", HELD_MS);
        });
        // A string without a companion is a lock of the format `token`, but not a hold of Lockkeeper.
        await assertEnded(hold);
      }
    });

    it.each(others)("a hold addressed as %s is not found, and the lock is not changed", async (other) => {
      for (const principal of [undefined, "key-1"]) {
        const hold = { ...(await scene.acquire(scene.createKey(), "me", { principal })), principal };
        if (format === "token" && scene.format.lacks?.["other-formats"] !== undefined) return;
        await assertEnded({ ...hold, format: other, unit: other === "timestamp" ? "ms" : undefined });
        expect(await scene.countHold(hold)).toBe(1);
      }
    });
  });
}
