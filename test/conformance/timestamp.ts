import { describe, expect, it } from "vitest";
import type { VerbHold } from "../../server/locks/verbs/contract/grant.ts";
import { catchLockError, getErrorCode } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, catchHolders, LEASE_MS, SHORT_MS } from "./conformance-fixture.ts";

/** A TTL in milliseconds that is shorter than any lease of these tests. */
const SHORT_TTL_MS = LEASE_MS / 4;

/**
 * Tolerance in milliseconds for times that a script computes from `PTTL`. Redis 6.2 reads its clock again for each
 * `PTTL`, so the result can be smaller by this amount.
 */
const CLOCK_READ_MS = 50;

/** Registers the tests that apply only to the `timestamp` format. */
export function describeTimestamp(scene: ConformanceFixture): void {
  if (scene.format.format !== "timestamp") return;
  const unit = scene.format.unit ?? "ms";
  const unitMs = unit === "s" ? 1000 : 1;
  const deadlineOf = async (key: string) => Number(await scene.runOnServers(key, (redis) => redis.get(key)));
  const nowMs = async (key: string) => {
    const [seconds, micros] = await scene.runOnServers(key, (redis) => redis.time());
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const readEnd = async (hold: VerbHold) => {
    const status = await scene.verify(hold);
    return status.held ? status.asOf + status.remainingMs : undefined;
  };
  const set = (key: string, value: number) => scene.runOnServers(key, (redis) => redis.set(key, value));

  describe(`timestamp deadlines in ${unit}`, () => {
    it("the stored value is the deadline, and the hold ends for its holder one unit before it", async () => {
      const key = scene.createKey();
      const { asOf, remainingMs } = await scene.acquire(key, "me");
      const value = await deadlineOf(key);
      expect(String(value)).toHaveLength(unit === "s" ? 10 : 13);
      expect(asOf + remainingMs).toBe((value - 1) * unitMs);
      expect(remainingMs).toBeGreaterThanOrEqual(LEASE_MS);
    });

    it("a timestamp lock without a TTL still ends at its deadline", async () => {
      const key = scene.createKey();
      await scene.acquire(key, "me", { leaseMs: SHORT_MS });
      const value = await deadlineOf(key);
      await scene.runOnServers(key, (redis) => redis.persist(key));
      expect(await catchHolders(scene.acquire(key, "you"))).toEqual(["me"]);
      const next = await scene.acquire(key, "you", { waitMs: 10_000 });
      expect(next.asOf).toBeGreaterThanOrEqual((value + 1) * unitMs);
      expect(await scene.runOnServers(key, (redis) => redis.pttl(key))).toBeGreaterThan(LEASE_MS * 0.9);
    });

    it("a TTL that ends before the deadline bounds the remaining time of the hold", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      await scene.runOnServers(key, (redis) => redis.pexpire(key, SHORT_TTL_MS));
      const status = await scene.verify(hold);
      expect(status.held && status.remainingMs).toBeLessThanOrEqual(SHORT_TTL_MS);
      const refusal = await catchLockError(scene.acquire(key, "you"));
      expect(refusal.code).toBe("held");
      const facts: { remainingMs?: number } = refusal.facts;
      expect(facts.remainingMs).toBeLessThanOrEqual(SHORT_TTL_MS);
    });

    it("a foreign deadline is taken over one whole unit after it has passed, not before", async () => {
      const key = scene.createKey();
      const value = Math.ceil((await nowMs(key)) / unitMs) + (unit === "s" ? 1 : 300);
      await set(key, value);
      const { asOf } = await scene.acquire(key, "me", { waitMs: 10_000 });
      expect(asOf).toBeGreaterThanOrEqual((value + 1) * unitMs);
      expect(asOf).toBeLessThan((value + 1) * unitMs + 1000);
    });

    it("a deadline in the other unit is refused as unit_conflict and left unchanged", async () => {
      const key = scene.createKey();
      for (const seconds of [4_000_000_000, 1_000_000_000]) {
        await set(key, unit === "s" ? seconds * 1000 : seconds);
        const before = await scene.dumpContent(key);
        const refusal = await catchLockError(scene.acquire(key, "me"));
        expect(refusal.code).toBe("unit_conflict");
        expect(refusal.facts).toMatchObject({ unit: unit === "s" ? "ms" : "s" });
        expect(await scene.dumpContent(key)).toBe(before);
      }
    });

    it("a deadline moved by another client's GETSET ends the hold and is not overwritten", async () => {
      const key = scene.createKey();
      const hold = await scene.acquire(key, "me");
      const moved = (await deadlineOf(key)) + 1;
      await scene.runOnServers(key, (redis) => redis.getset(key, moved));
      expect(await getErrorCode(scene.renew(hold))).toBe("lost");
      expect(await getErrorCode(scene.reenter(hold))).toBe("lost");
      expect(await scene.verify(hold)).toMatchObject({ held: false });
      expect(await getErrorCode(scene.acquire(key, "me"))).toBe("held");
      expect(await scene.release(hold)).toMatchObject({ outcome: "not_held" });
      expect(await deadlineOf(key)).toBe(moved);
    });

    it("the watchdog reports the hold as lost when another client moved its deadline", async () => {
      const key = scene.createKey();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.toHoldOptions({ leaseMs: SHORT_MS }));
      const moved = (await deadlineOf(key)) + 60_000 / unitMs;
      await set(key, moved);
      await waitUntil(() => hold.state === "lost");
      expect(await deadlineOf(key)).toBe(moved);
    });

    it("an expired deadline is taken over by exactly one of many clients, and the others do not move it", async () => {
      const key = scene.createKey();
      await set(key, Math.floor((await nowMs(key)) / unitMs) - 60);
      const [one, two] = scene.opened.clients;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? one : two)
            .acquire(key, scene.toHoldOptions({ renew: false }))
            .catch(() => undefined),
        ),
      );
      const [winner, ...others] = outcomes.filter((hold) => hold !== undefined);
      expect(others).toEqual([]);
      const endsAt = ((await deadlineOf(key)) - 1) * unitMs;
      const toldEnd = winner && (await readEnd(winner));
      expect(toldEnd).toBeLessThanOrEqual(endsAt);
      expect(toldEnd).toBeGreaterThanOrEqual(endsAt - CLOCK_READ_MS);
    });
  });
}
