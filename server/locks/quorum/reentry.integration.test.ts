import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import type { TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";

const it = quorumTest(5)
  .extend(
    "verify",
    { scope: "file" },
    ({ backend }) =>
      (key: string) =>
        backend.verbs.verify(key, { owner: "me" }),
  )
  .extend(
    "readCounts",
    { scope: "file" },
    ({ masters }) =>
      async (key: string) =>
        (await masters.readCompanions(key)).map((hold) => hold?.count ?? 0),
  );

/** Makes masters refuse re-entry by hiding the hold from them for a moment: each has it again as it was after that. */
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
      told: await redis.dumpBuffer(companion),
    })),
  );
  await masters.occupy(key, numbers);
  await work();
  for (const { redis, lock, told } of kept) {
    if (lock === null || told === null) throw new Error("there was no hold");
    await redis
      .multi()
      .restore(key, 20_000, lock, "REPLACE")
      .restore(companion, 600_000, told, "REPLACE")
      .exec();
  }
}

/** Has masters come back without any of their data. */
async function forgetAt(masters: TestMasters, key: string, ...numbers: number[]): Promise<void> {
  const names = [key, String(buildCompanionKey(key))];
  await Promise.all(masters.getMasters(...numbers).map(({ redis }) => redis.del(...names)));
}

describe("quorum re-entry", () => {
  it("a re-entry is counted on all masters under the same fencing token", async ({
    acquire,
    readCounts,
    verify,
    release,
    key,
  }) => {
    const { fence } = await acquire(key);
    expect(await acquire(key)).toMatchObject({ fence, count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect(await verify(key)).toMatchObject({ fence, count: 2 });
    expect(await release(key)).toMatchObject({ count: 1 });
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a re-entry restores the hold on masters that lost it, with the agreed fencing token and count", async ({
    acquire,
    masters,
    readCounts,
    verify,
    release,
    key,
  }) => {
    const { fence } = await acquire(key);
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === "me"));
    await forgetAt(masters, key, 0, 4);
    expect(await acquire(key)).toMatchObject({ fence, count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect((await masters.readCompanions(key)).map((hold) => hold?.fence)).toEqual(Array(5).fill(fence));
    await masters.vacate(key, [1, 2]);
    expect(await verify(key)).toMatchObject({ fence, count: 2 });
    await release(key);
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a re-entry covers masters that missed the previous one, and no master ends the hold too early", async ({
    acquire,
    masters,
    readCounts,
    release,
    verify,
    key,
  }) => {
    const { fence } = await acquire(key);
    await without(masters, key, [3, 4], () => acquire(key));
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,1,1");
    await without(masters, key, [0, 1], async () => {
      // One of the three that can be asked knows of two entries: this is the third.
      expect(await acquire(key)).toMatchObject({ fence, count: 3 });
    });
    expect((await readCounts(key)).slice(2)).toEqual([3, 3, 3]);

    expect((await release(key)).count).toBeGreaterThanOrEqual(1);
    expect(await verify(key)).toMatchObject({ fence });
    await release(key);
    expect(await verify(key)).toMatchObject({ fence });
    expect(await getErrorCode(acquire(key, "you"))).toBe("held");
    await release(key);
    expect(await getErrorCode(verify(key))).toBe("lost");
  });

  it("a re-entry is refused when the hold has lost its majority, and new votes make no second hold", async ({
    acquire,
    masters,
    readCounts,
    key,
  }) => {
    await acquire(key, "me", { leaseMs: 2000 });
    await forgetAt(masters, key, 0, 1, 2);
    await masters.occupy(key, [0]);
    expect(await getErrorCode(acquire(key))).toBe("held");
    await waitUntil(async () => (await masters.readHolders(key)).join() === "somebody,,,me,me");
    expect((await readCounts(key)).slice(3)).toEqual([1, 1]);
  });

  it("a re-entry after a majority lost the hold makes a new hold with a larger token, and the old one is lost", async ({
    client,
    masters,
    acquire,
    verify,
    release,
    key,
  }) => {
    const old = await client.acquire(key, { owner: "me", leaseMs: 3000 });
    await forgetAt(masters, key, 0, 1, 2);
    const now = await acquire(key);
    expect(now.count).toBe(1);
    expect(BigInt(now.fence ?? 0)).toBeGreaterThan(BigInt(old.fence ?? 0));
    await waitUntil(() => old.signal.aborted, 3000);
    expect(await verify(key)).toMatchObject({ fence: now.fence, count: 1 });
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
    await sleepMs(50);
    expect(await getErrorCode(verify(key))).toBe("lost");
  });
});
