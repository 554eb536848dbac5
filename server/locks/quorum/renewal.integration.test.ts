import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { Hold } from "../client/hold.ts";

const it = quorumTest(5).extend(
  "renew",
  { scope: "file" },
  ({ backend }) =>
    (key: string) =>
      backend.verbs.renew(key, { owner: "me", leaseMs: 20_000 }),
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
      leaseMs: LEASE_MS,
      onJeopardy: (each) => alarms.push(each),
    });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === "me"));
    await masters.vacate(key, [0, 1]);
    await sleepMs(LEASE_MS * 1.5);
    hold.assertHeld();
    expect(hold.state).toBe("held");
    expect(alarms).toEqual([]);
    expect(await masters.readHolders(key)).toEqual([null, null, "me", "me", "me"]);
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
    // They know the script from here on, and answer at once.
    await hold.renew();
    for (const master of masters.all) master.freeze();
    const sentAt = performance.now();
    const renewing = hold.renew();
    await sleepMs(20);
    for (const master of masters.all) master.thaw();
    // The answers arrive while this process does not read them.
    while (performance.now() < sentAt + LEASE_MS * 0.6);
    await renewing;
    expect(hold.state).toBe("held");
    expect(performance.now() + hold.remainingMs()).toBeGreaterThan(sentAt + LEASE_MS * 0.95);
    await hold.release();
  });

  it("a renewal succeeds when a majority has the hold and returns lost otherwise", async ({
    backend,
    masters,
    renew,
    key,
  }) => {
    const { grant } = await backend.verbs.acquire(key, { owner: "me", leaseMs: 5000, reentrant: true });
    await masters.vacate(key, [0, 1]);
    const renewed = await renew(key);
    expect(renewed).toMatchObject({ fence: grant.fence, count: 1 });
    expect(renewed.remainingMs).toBeGreaterThan(18_000);
    await masters.occupy(key, [2], "you");
    expect(await getErrorCode(renew(key))).toBe("lost");
    expect(await masters.readHolders(key)).toEqual([null, null, "you", "me", "me"]);
  });

  it("a renewal returns unavailable while the reachable masters cannot decide it", async ({
    backend,
    masters,
    renew,
    key,
  }) => {
    await backend.verbs.acquire(key, { owner: "me", leaseMs: 20_000, reentrant: true });
    const away = masters.getMasters(0, 1, 2).map(({ master }) => master);
    for (const master of away) master.freeze();
    const startedAt = performance.now();
    expect(await getErrorCode(renew(key))).toBe("unavailable");
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(await getErrorCode(backend.verbs.verify(key, { owner: "me" }))).toBe("unavailable");
    for (const master of away) master.thaw();
    await waitUntil(async () => (await getErrorCode(renew(key))) === "ok");
  });
});
