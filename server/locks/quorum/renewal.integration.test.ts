import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Hold } from "../client/hold.ts";
import type { VerbHold } from "../verbs/contract/grant.ts";

const it = quorumTest(5).extend(
  "renew",
  { scope: "file" },
  ({ backend }) =>
    (hold: VerbHold) =>
      backend.verbs.renew(hold, { leaseMs: 20_000 }),
);

const LEASE_MS = 1500;

describe("renewed quorum holds", () => {
  it("a hold lost by a minority of masters continues without jeopardy and is not restored there", async ({
    client,
    masters,
    key,
  }) => {
    const alarms: Hold[] = [];
    const hold = await client.acquire(key, {
      owner: "me",
      leaseMs: 4 * LEASE_MS,
      onJeopardy: (each) => alarms.push(each),
    });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === hold.token));
    await masters.vacate(key, [0, 1]);
    await sleepMs(4 * LEASE_MS + 500);
    hold.assertHeld();
    expect(hold.state).toBe("held");
    expect(alarms).toEqual([]);
    expect(await masters.readHolders(key)).toEqual([null, null, hold.token, hold.token, hold.token]);
    await hold.release();
  });

  it("a hold is reported as lost as soon as a majority of masters lost it", async ({
    client,
    masters,
    key,
  }) => {
    const hold = await client.acquire(key, { owner: "me", leaseMs: 6000 });
    await masters.vacate(key, [0, 2, 4]);
    const startedAt = performance.now();
    await waitUntil(() => hold.signal.aborted, 5000);
    expect(performance.now() - startedAt).toBeLessThan(3500);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
  });

  it("a hold is reported as lost when a majority of masters is held by another owner", async ({
    client,
    masters,
    key,
  }) => {
    const hold = await client.acquire(key, { owner: "me", leaseMs: LEASE_MS });
    await masters.occupy(key, [1, 2, 3], "you");
    await waitUntil(() => hold.signal.aborted, LEASE_MS);
    expect((await masters.readHolders(key)).slice(1, 4)).toEqual(["you", "you", "you"]);
  });

  it("a hold is in jeopardy while a majority is unreachable and held again afterwards", async ({
    client,
    masters,
    key,
  }) => {
    const hold = await client.acquire(key, { owner: "me", leaseMs: 4000 });
    const away = masters.getMasters(0, 1, 2).map(({ master }) => master);
    for (const master of away) master.freeze();
    await waitUntil(() => hold.state === "jeopardy", 3000);
    hold.assertHeld();
    for (const master of away) master.thaw();
    await waitUntil(() => hold.state === "held", 3000);
    await hold.release();
  });

  it("a hold is lost at its deadline, and not earlier, when a majority stays unreachable", async ({
    client,
    masters,
    key,
  }) => {
    const hold = await client.acquire(key, { owner: "me", leaseMs: LEASE_MS });
    const away = masters.getMasters(2, 3, 4).map(({ master }) => master);
    for (const master of away) master.freeze();
    const leftMs = hold.remainingMs();
    const startedAt = performance.now();
    await waitUntil(() => hold.signal.aborted, LEASE_MS + 500);
    for (const master of away) master.thaw();
    expect(performance.now() - startedAt).toBeGreaterThan(leftMs - 20);
    expect(hold.state).toBe("lost");
    await waitUntil(
      async () => (await getErrorCode(client.acquire(key, { waitMs: 3000, renew: false }))) === "ok",
    );
  });
});

describe("quorum renewal", () => {
  it("a renewal whose replies are read late counts from the time it was sent", async ({
    client,
    masters,
  }) => {
    const hold = await client.acquire(createTestKey(), { owner: "me", leaseMs: LEASE_MS, renew: false });
    // Caches the script on the masters, so that they reply immediately.
    await hold.renew();
    for (const master of masters.all) master.freeze();
    const sentAt = performance.now();
    const renewing = hold.renew();
    await sleepMs(20);
    for (const master of masters.all) master.thaw();
    // Blocks this process while the replies arrive.
    while (performance.now() < sentAt + LEASE_MS * 0.6);
    await renewing;
    expect(hold.state).toBe("held");
    expect(performance.now() + hold.remainingMs()).toBeGreaterThan(sentAt + LEASE_MS * 0.95);
    await hold.release();
  });

  it("a renewal succeeds when a majority has the hold and returns lost otherwise", async ({
    acquire,
    masters,
    renew,
    key,
  }) => {
    const hold = await acquire(key, "me", { leaseMs: 5000 });
    const { token, fence } = hold;
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === token));
    await masters.vacate(key, [0, 1]);
    const renewed = await renew(hold);
    expect(renewed).toMatchObject({ token, fence, count: 1, leaseMs: 20_000, owner: "me" });
    expect(renewed.remainingMs).toBeGreaterThan(18_000);
    await masters.occupy(key, [2], "you");
    expect(await getErrorCode(renew(hold))).toBe("lost");
    expect(await masters.readHolders(key)).toEqual([null, null, "you", token, token]);
  });

  it("a hold that every master refuses to renew does not affect the other holds of its call", async ({
    acquire,
    backend,
    masters,
  }) => {
    const holds = [
      await acquire(createTestKey("lock:open"), "me"),
      await acquire(createTestKey("lock:closed"), "me"),
      await acquire(createTestKey("lock:open"), "me"),
    ].map((hold) => ({ ...hold, leaseMs: 60_000 }));
    const setKeys = (pattern: string) =>
      Promise.all(
        masters.clients.map((each) => each.call("ACL", "SETUSER", "default", "resetkeys", pattern)),
      );
    await setKeys("~*lock:open:*");
    const renewed = await backend.renewMany(holds, 2000);
    await setKeys("~*");
    expect(renewed).toEqual([expect.any(Number), undefined, expect.any(Number)]);
  });

  it("a renewal without a lease keeps the one that the hold has", async ({ acquire, backend, key }) => {
    const hold = await acquire(key, "me", { leaseMs: 7000 });
    await sleepMs(20);
    const { leaseMs, remainingMs } = await backend.verbs.renew(hold);
    expect(leaseMs).toBe(7000);
    expect(remainingMs).toBe(7000 * 0.99 - 2);
  });

  it("a renewal returns unavailable while the reachable masters cannot decide it", async ({
    acquire,
    backend,
    masters,
    renew,
    key,
  }) => {
    const hold = await acquire(key);
    const away = masters.getMasters(0, 1, 2).map(({ master }) => master);
    for (const master of away) master.freeze();
    const startedAt = performance.now();
    expect(await getErrorCode(renew(hold))).toBe("unavailable");
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(await getErrorCode(backend.verbs.verify(hold))).toBe("unavailable");
    for (const master of away) master.thaw();
    await waitUntil(async () => (await getErrorCode(renew(hold))) === "ok");
  });
});
