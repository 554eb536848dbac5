import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { catchLockError, getErrorCode } from "../../../test/support/test-locks.ts";
import type { TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";

const it = quorumTest(5)
  .extend("verbs", { scope: "file" }, ({ backend }) => backend.verbs)
  .extend(
    "readCounts",
    { scope: "file" },
    ({ masters }) =>
      async (key: string) =>
        (await masters.readCompanions(key)).map((hold) => hold?.count ?? 0),
  )
  // Acquires a hold on all masters with one fencing token, so that none of them misses later requests.
  .extend(
    "acquireEverywhere",
    { scope: "file" },
    ({ acquire, readFences }) =>
      async (key: string, more: Partial<AcquireOptions> = {}) => {
        const hold = await acquire(key, "me", more);
        await waitUntil(async () => (await readFences(key)).every((fence) => fence === hold.fence));
        return hold;
      },
  );

/** Replaces the hold on masters during the work, so that they refuse re-entries. Restores the hold afterwards. */
async function without(
  masters: TestMasters,
  key: string,
  numbers: readonly number[],
  work: () => Promise<unknown>,
): Promise<void> {
  const companion = String(buildCompanionKey(key));
  const kept = await Promise.all(
    masters.getMasters(...numbers).map(async ({ redis }) => ({
      redis,
      lock: await redis.dumpBuffer(key),
      dump: await redis.dumpBuffer(companion),
    })),
  );
  await masters.occupy(key, numbers);
  await work();
  for (const { redis, lock, dump } of kept) {
    if (lock === null || dump === null) throw new Error("there was no hold");
    await redis
      .multi()
      .restore(key, 20_000, lock, "REPLACE")
      .restore(companion, 600_000, dump, "REPLACE")
      .exec();
  }
}

/** Deletes the hold on masters, like a restart without persisted data. */
async function forgetAt(masters: TestMasters, key: string, ...numbers: number[]): Promise<void> {
  const names = [key, String(buildCompanionKey(key))];
  await Promise.all(masters.getMasters(...numbers).map(({ redis }) => redis.del(...names)));
}

/** Freezes masters while the work runs. Afterwards, they execute all pending requests. */
async function whileFrozen<Result>(
  masters: TestMasters,
  numbers: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  const frozen = masters.getMasters(...numbers).map(({ master }) => master);
  for (const master of frozen) master.freeze();
  try {
    return await work();
  } finally {
    for (const master of frozen) master.thaw();
  }
}

describe("quorum re-entry", () => {
  it("a re-entry is counted on all masters under the same token and fencing token", async ({
    acquireEverywhere,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key, { leaseMs: 9000 });
    const { token, fence } = hold;
    expect(await verbs.reenter(hold)).toMatchObject({ token, fence, count: 2, leaseMs: 9000, owner: "me" });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect(await verbs.verify(hold)).toMatchObject({ held: true, token, fence, count: 2, owner: "me" });
    expect(await verbs.release(hold, { requestId: "r1" })).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await verbs.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    expect(await verbs.verify(hold)).toMatchObject({ held: false });
  });

  it("a re-entry has at least the lease that was asked for", async ({ acquireEverywhere, verbs, key }) => {
    const hold = await acquireEverywhere(key, { leaseMs: 5000 });
    const { leaseMs, remainingMs } = await verbs.reenter(hold, { leaseMs: 30_000 });
    expect(leaseMs).toBe(30_000);
    expect(remainingMs).toBeGreaterThan(25_000);
  });

  it("a re-entry is granted while a master is away, which then enters, too", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await whileFrozen(masters, [2], async () => {
      expect(await verbs.reenter(hold)).toMatchObject({ count: 2 });
    });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
  });

  it("a re-entry is granted beside masters that lost the hold, and does not restore it there", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await forgetAt(masters, key, 0, 4);
    expect(await verbs.reenter(hold)).toMatchObject({ fence: hold.fence, count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "0,2,2,2,0");
    await verbs.release(hold, { requestId: "r1" });
    expect(await verbs.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a re-entry covers masters that missed the previous one, and no master ends the hold too early", async ({
    acquire,
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await without(masters, key, [3, 4], () => verbs.reenter(hold));
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,1,1");
    await without(masters, key, [0, 1], async () => {
      // One of the three reachable masters has two entries, so this re-entry is the third.
      expect(await verbs.reenter(hold)).toMatchObject({ fence: hold.fence, count: 3 });
    });
    expect((await readCounts(key)).slice(2)).toEqual([3, 3, 3]);

    expect((await verbs.release(hold, { requestId: "r1" })).count).toBeGreaterThanOrEqual(1);
    expect(await verbs.verify(hold)).toMatchObject({ held: true });
    await verbs.release(hold, { requestId: "r2" });
    expect(await verbs.verify(hold)).toMatchObject({ held: true });
    expect(await getErrorCode(acquire(key, "you"))).toBe("held");
    await verbs.release(hold, { requestId: "r3" });
    expect(await verbs.verify(hold)).toMatchObject({ held: false });
  });

  it("a re-entry repeated with its id is counted once, also by a master that missed the first", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await without(masters, key, [4], () => verbs.reenter(hold, { requestId: "e1" }));
    expect(await verbs.reenter(hold, { requestId: "e1" })).toMatchObject({ count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect(await getErrorCode(verbs.reenter(hold, { requestId: "e1", leaseMs: 7000 }))).toBe(
      "idempotency_key_reused",
    );
  });
});

describe("quorum re-entry without a majority", () => {
  it("an undecided re-entry is given back, also by the masters that answer late", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await whileFrozen(masters, [0, 1, 2], async () => {
      expect(await getErrorCode(verbs.reenter(hold))).toBe("unavailable");
    });
    const companion = String(buildCompanionKey(key));
    await waitUntil(async () => {
      const texts = await Promise.all(masters.clients.map((redis) => redis.get(companion)));
      return texts.every((text) => text?.includes("\nback:"));
    });
    expect(await readCounts(key)).toEqual([1, 1, 1, 1, 1]);
    expect(await verbs.release(hold)).toMatchObject({ outcome: "released" });
  });

  it("an undecided re-entry with an id of the caller is unknown and counts once when repeated", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    const ask = { requestId: "e1" };
    await whileFrozen(masters, [0, 1, 2], async () => {
      expect(await getErrorCode(verbs.reenter(hold, ask))).toBe("unknown_outcome");
    });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect(await verbs.reenter(hold, ask)).toMatchObject({ count: 2 });
    expect(await readCounts(key)).toEqual([2, 2, 2, 2, 2]);
  });

  it("a re-entry is lost with the majority, and the remaining masters keep their count", async ({
    acquireEverywhere,
    masters,
    readCounts,
    verbs,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await forgetAt(masters, key, 0, 1, 2);
    await masters.occupy(key, [0, 1, 2]);
    const refusal = await catchLockError(verbs.reenter(hold));
    expect([refusal.code, refusal.facts]).toMatchObject(["lost", { holders: [{ owner: "somebody" }] }]);
    expect((await readCounts(key)).slice(3)).toEqual([1, 1]);
  });

  it("an acquire after a majority lost the hold makes a new hold with a larger fencing token", async ({
    acquire,
    acquireEverywhere,
    masters,
    verbs,
    key,
  }) => {
    const old = await acquireEverywhere(key);
    await forgetAt(masters, key, 0, 1, 2);
    const now = await acquire(key);
    expect(now.token).not.toBe(old.token);
    expect(BigInt(now.fence)).toBeGreaterThan(BigInt(old.fence));
    expect(await getErrorCode(verbs.reenter(old))).toBe("lost");
    expect(await verbs.verify(old)).toMatchObject({ held: false });
    expect(await verbs.verify(now)).toMatchObject({ held: true, fence: now.fence, count: 1 });
    expect(await verbs.release(old)).toMatchObject({ outcome: "not_held" });
    expect(await verbs.release(now)).toMatchObject({ outcome: "released", count: 0 });
  });
});
