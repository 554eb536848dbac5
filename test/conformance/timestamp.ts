import { describe, expect, it } from "vitest";
import { until } from "../support/test-server.ts";
import { codeOf, holdersOf, LEASE_MS, refusalOf, type Scene, SHORT_MS } from "./conformance-fixture.ts";

/** What the format of deadlines promises besides. */
export function timestamp(scene: Scene): void {
  if (scene.spoken.format !== "timestamp") return;
  const unit = scene.spoken.unit ?? "ms";
  const unitMs = unit === "s" ? 1000 : 1;
  const deadlineOf = async (key: string) => Number(await scene.byHand(key, (redis) => redis.get(key)));
  const nowMs = async (key: string) => {
    const [seconds, micros] = await scene.byHand(key, (redis) => redis.time());
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const set = (key: string, value: number) => scene.byHand(key, (redis) => redis.set(key, value));

  describe(`a deadline in ${unit}`, () => {
    it("is the value, and ends for its holder where its last unit begins", async () => {
      const key = scene.key();
      const { asOf, remainingMs } = await scene.acquire(key, "me");
      const value = await deadlineOf(key);
      expect(String(value)).toHaveLength(unit === "s" ? 10 : 13);
      expect(asOf + remainingMs).toBe((value - 1) * unitMs);
      expect(remainingMs).toBeGreaterThanOrEqual(LEASE_MS);
    });

    it("is never the time to live: without one it ends all the same", async () => {
      const key = scene.key();
      await scene.acquire(key, "me", { leaseMs: SHORT_MS });
      const value = await deadlineOf(key);
      await scene.byHand(key, (redis) => redis.persist(key));
      expect(await holdersOf(scene.acquire(key, "you"))).toEqual(["me"]);
      const next = await scene.acquire(key, "you", { waitMs: 10_000 });
      expect(next.asOf).toBeGreaterThanOrEqual((value + 1) * unitMs);
      expect(await scene.byHand(key, (redis) => redis.pttl(key))).toBeGreaterThan(LEASE_MS * 0.9);
    });

    it("is not shortened by a shorter time to live, as long as the key is there", async () => {
      const key = scene.key();
      const { asOf, remainingMs } = await scene.acquire(key, "me");
      await scene.byHand(key, (redis) => redis.pexpire(key, 5000));
      const seen = await scene.verify(key, "me");
      expect(seen.asOf + (seen.remainingMs ?? 0)).toBe(asOf + remainingMs);
      expect(await codeOf(scene.acquire(key, "you"))).toBe("held");
    });

    it("of another is passed over one whole unit after it, not before", async () => {
      const key = scene.key();
      const value = Math.ceil((await nowMs(key)) / unitMs) + (unit === "s" ? 1 : 300);
      await set(key, value);
      const { asOf } = await scene.acquire(key, "me", { waitMs: 10_000 });
      expect(asOf).toBeGreaterThanOrEqual((value + 1) * unitMs);
      expect(asOf).toBeLessThan((value + 1) * unitMs + 1000);
    });

    it("of the other unit is a conflict, and is not touched, neither held nor ended", async () => {
      const key = scene.key();
      for (const seconds of [4_000_000_000, 1_000_000_000]) {
        await set(key, unit === "s" ? seconds * 1000 : seconds);
        const before = await scene.content(key);
        const refusal = await refusalOf(scene.acquire(key, "me"));
        expect(refusal.code).toBe("unit_conflict");
        expect(refusal.facts).toMatchObject({ unit: unit === "s" ? "ms" : "s" });
        expect(await scene.content(key)).toBe(before);
      }
    });

    it("that a GETSET moved is not ours any more, and we write nothing over it", async () => {
      const key = scene.key();
      await scene.acquire(key, "me");
      const moved = (await deadlineOf(key)) + 1;
      await scene.byHand(key, (redis) => redis.getset(key, moved));
      expect(await codeOf(scene.renew(key, "me"))).toBe("lost");
      expect(await codeOf(scene.verify(key, "me"))).toBe("lost");
      expect(await codeOf(scene.acquire(key, "me"))).toBe("held");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
      expect(await deadlineOf(key)).toBe(moved);
    });

    it("is lost to the watchdog when it was moved", async () => {
      const key = scene.key();
      const [client] = scene.opened.clients;
      const hold = await client.acquire(key, scene.holding({ leaseMs: SHORT_MS }));
      const moved = (await deadlineOf(key)) + 60_000 / unitMs;
      await set(key, moved);
      await until(() => hold.state === "lost");
      expect(await deadlineOf(key)).toBe(moved);
    });

    it("that ended is taken by one of many at once, and no loser moves it", async () => {
      const key = scene.key();
      await set(key, Math.floor((await nowMs(key)) / unitMs) - 60);
      const [one, two] = scene.opened.clients;
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? one : two).acquire(key, scene.holding({ renew: false })).catch(() => undefined),
        ),
      );
      const [winner, ...others] = outcomes.filter((hold) => hold !== undefined);
      expect(others).toEqual([]);
      const seen = await scene.verify(key, winner?.owner ?? "");
      expect(seen.asOf + (seen.remainingMs ?? 0)).toBe(((await deadlineOf(key)) - 1) * unitMs);
    });
  });
}
