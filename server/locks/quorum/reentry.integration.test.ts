import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestMasters, type TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { openBackend } from "../backends/open-backend.ts";
import { LockClient } from "../client/lock-client.ts";
import type { Backend } from "../verbs/backend.ts";

let masters: TestMasters;
let backend: Backend;
let client: LockClient;

beforeAll(async () => {
  masters = await startTestMasters(5);
  const where = { quorum: masters.urls };
  [backend, client] = await Promise.all([openBackend(where, ["*"]), LockClient.open(where)]);
});

afterAll(async () => {
  backend.close();
  client.close();
  await masters.stop();
});

const createKey = () => `lock:${randomUUID()}`;
const acquire = async (key: string, owner = "me", leaseMs = 20_000) =>
  (await backend.verbs.acquire(key, { owner, leaseMs, reentrant: true })).grant;
const release = (key: string) => backend.verbs.release(key, { owner: "me" });
const verify = (key: string) => backend.verbs.verify(key, { owner: "me" });
const catchErrorCode = (call: Promise<unknown>) =>
  call.then(
    () => "granted",
    (error: unknown) => (error instanceof LockkeeperError ? error.code : String(error)),
  );
const readCounts = async (key: string) => (await masters.readCompanions(key)).map((hold) => hold?.count ?? 0);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes masters refuse re-entry by hiding the hold from them for a moment: each has it again as it was after that. */
async function without(key: string, numbers: readonly number[], work: () => Promise<unknown>): Promise<void> {
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
async function forgetAt(key: string, ...numbers: number[]): Promise<void> {
  const names = [key, String(buildCompanionKey(key))];
  await Promise.all(masters.getMasters(...numbers).map(({ redis }) => redis.del(...names)));
}

describe("quorum re-entry", () => {
  it("a re-entry is counted on all masters under the same fencing token", async () => {
    const key = createKey();
    const { fence } = await acquire(key);
    expect(await acquire(key)).toMatchObject({ fence, count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect(await verify(key)).toMatchObject({ fence, count: 2 });
    expect(await release(key)).toMatchObject({ count: 1 });
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a re-entry restores the hold on masters that lost it, with the agreed fencing token and count", async () => {
    const key = createKey();
    const { fence } = await acquire(key);
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === "me"));
    await forgetAt(key, 0, 4);
    expect(await acquire(key)).toMatchObject({ fence, count: 2 });
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,2,2");
    expect((await masters.readCompanions(key)).map((hold) => hold?.fence)).toEqual(Array(5).fill(fence));
    await masters.vacate(key, [1, 2]);
    expect(await verify(key)).toMatchObject({ fence, count: 2 });
    await release(key);
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a re-entry covers masters that missed the previous one, and no master ends the hold too early", async () => {
    const key = createKey();
    const { fence } = await acquire(key);
    await without(key, [3, 4], () => acquire(key));
    await waitUntil(async () => (await readCounts(key)).join() === "2,2,2,1,1");
    await without(key, [0, 1], async () => {
      // One of the three that can be asked knows of two entries: this is the third.
      expect(await acquire(key)).toMatchObject({ fence, count: 3 });
    });
    expect((await readCounts(key)).slice(2)).toEqual([3, 3, 3]);

    expect((await release(key)).count).toBeGreaterThanOrEqual(1);
    expect(await verify(key)).toMatchObject({ fence });
    await release(key);
    expect(await verify(key)).toMatchObject({ fence });
    expect(await catchErrorCode(acquire(key, "you"))).toBe("held");
    await release(key);
    expect(await catchErrorCode(verify(key))).toBe("lost");
  });

  it("a re-entry is refused when the hold has lost its majority, and new votes make no second hold", async () => {
    const key = createKey();
    await acquire(key, "me", 2000);
    await forgetAt(key, 0, 1, 2);
    await masters.occupy(key, [0]);
    expect(await catchErrorCode(acquire(key))).toBe("held");
    await waitUntil(async () => (await masters.readHolders(key)).join() === "somebody,,,me,me");
    expect((await readCounts(key)).slice(3)).toEqual([1, 1]);
  });

  it("a re-entry after a majority lost the hold makes a new hold with a larger token, and the old one is lost", async () => {
    const key = createKey();
    const old = await client.acquire(key, { owner: "me", leaseMs: 3000 });
    await forgetAt(key, 0, 1, 2);
    const now = await acquire(key);
    expect(now.count).toBe(1);
    expect(BigInt(now.fence ?? 0)).toBeGreaterThan(BigInt(old.fence ?? 0));
    await waitUntil(() => old.signal.aborted, 3000);
    expect(await verify(key)).toMatchObject({ fence: now.fence, count: 1 });
    expect(await release(key)).toMatchObject({ outcome: "released", count: 0 });
    await pause(50);
    expect(await catchErrorCode(verify(key))).toBe("lost");
  });
});
