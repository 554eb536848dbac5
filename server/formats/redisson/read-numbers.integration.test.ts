import { describe, expect } from "vitest";
import { redissonTest } from "../../../test/support/fixtures.ts";
import { getOwners } from "../../../test/support/observed-lock.ts";
import { getReleaseTerms } from "../registry/release-terms.ts";

const it = redissonTest();

describe("Redisson semaphores with expiring permits", () => {
  it("each permit is listed by its id with its own TTL, and expired permits count as available", async ({
    scene,
  }) => {
    const [app] = scene.clients;
    const key = scene.createKey("sem");
    await scene.redis.set(key, 5);
    const ended = await app.acquirePermit(key, -1);
    const one = await app.acquirePermit(key, 5000);
    const never = await app.acquirePermit(key);
    await scene.subscribe(app.channels.semaphore(key));
    const seen = await scene.observeHeld(key);
    expect(seen).toMatchObject({ kind: "semaphore", confidence: "certain", remainingMs: null });
    expect(seen.permits).toEqual({ available: 3, total: 5 });
    expect(getOwners(seen)).toEqual([one, never]);
    expect(getOwners(seen)).not.toContain(ended);
    expect(seen.holders[0].ownRemainingMs).toBeLessThanOrEqual(5000);
    expect(seen.holders[1]?.ownRemainingMs).toBeNull();
    expect(seen.waiters).toEqual({ count: 1, known: "estimated" });
  });

  it("a semaphore with more permits out than the read limit has no total", async ({ scene }) => {
    const [app] = scene.clients;
    const key = scene.createKey("sem");
    await scene.redis.set(key, 270);
    await Promise.all(Array.from({ length: 260 }, () => app.acquirePermit(key, 60_000)));
    const seen = await scene.observeHeld(key);
    expect(seen.holders).toHaveLength(256);
    expect(seen.permits).toEqual({ available: 10, total: null });
  });

  it("a number beside an unrelated sorted set is not detected as a semaphore", async ({ scene }) => {
    const key = scene.createKey("sem");
    await scene.redis.set(key, 5);
    await scene.redis.zadd(scene.clients[0].getPermitsKey(key), 1, "somebody's");
    expect((await scene.observe(key)).state).toBe("not_a_lock");
  });
});

describe("Redisson numbers", () => {
  it("a number without a format rule is at most a possible lock of one string", async ({ scene, key }) => {
    await scene.redis.set(key, 3);
    await scene.subscribe(scene.clients[0].channels.semaphore(key));
    expect(await scene.observe(key)).toMatchObject({ format: "token", confidence: "possible" });
    const unnamed = scene.createKey("orders");
    await scene.redis.set(unnamed, 3);
    expect((await scene.observe(unnamed)).state).toBe("not_a_lock");
  });

  it("a number named by a rule takes its kind from its listeners and can be released only if it has any", async ({
    scene,
  }) => {
    const { channels } = scene.clients[0];
    const [semaphore, latch, silent] = [
      scene.createKey("ruled"),
      scene.createKey("ruled"),
      scene.createKey("ruled"),
    ];
    await scene.redis.mset(semaphore, 0, latch, 3, silent, 3);
    await scene.subscribe(channels.semaphore(semaphore));
    await scene.subscribe(channels.latch(latch));
    const seen = [
      await scene.observeHeld(semaphore),
      await scene.observeHeld(latch),
      await scene.observeHeld(silent),
    ] as const;
    expect(seen[0]).toMatchObject({ kind: "semaphore", confidence: "likely", permits: { available: 0 } });
    expect(seen[1]).toMatchObject({ kind: "latch", confidence: "likely", holders: [{ count: 3 }] });
    expect(seen[2]).toMatchObject({ confidence: "possible" });
    const terms = seen.map((each) => getReleaseTerms(each));
    expect(terms.map(({ may }) => may)).toEqual(["yes", "yes", "never"]);
    expect(terms.map(({ reservable }) => reservable)).toEqual([false, false, false]);
    for (const { why } of terms) expect(why).toBeTruthy();
  });
});
