import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";

const it = quorumTest(5);
const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);

describe("repeated request ids in a quorum", () => {
  it("a repeated request returns its hold, even if its votes had been withdrawn once before", async ({
    masters,
    acquire,
    release,
    key,
  }) => {
    await masters.occupy(key, [0, 1, 2]);
    const ask = { requestId: "r1", waitMs: 200 };
    expect(await getErrorCode(acquire(key, "me", ask))).toBe("timeout");
    await masters.vacate(key, [1]);
    const first = await acquire(key, "me", ask);
    const { token, fence } = first;
    expect(await acquire(key, "me", ask)).toMatchObject({ token, fence, count: 1 });
    await release(first);
    expect(await getErrorCode(acquire(key, "me", ask))).toBe("lost");
    await masters.vacate(key, [0, 2]);
    expect(await masters.readHolders(key)).toEqual(everywhere(null));
  });

  it("a repeated request returns its token after the reply was lost, and gives back the votes for a new one", async ({
    masters,
    acquire,
    release,
    key,
  }) => {
    await masters.occupy(key, [3, 4]);
    const first = await acquire(key, "me", { requestId: "r1", leaseMs: 9000 });
    await masters.vacate(key, [3, 4]);
    const { token, fence } = first;
    const again = await acquire(key, "me", { requestId: "r1", leaseMs: 9000 });
    expect(again).toMatchObject({ token, fence, count: 1, leaseMs: 9000, owner: "me" });
    await waitUntil(async () => (await masters.readHolders(key)).slice(3).join() === ",");
    expect(await masters.readHolders(key)).toEqual([token, token, token, null, null]);
    expect(await release(again)).toMatchObject({ outcome: "released", count: 0 });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a repeated request makes a new hold with a larger fencing token after a majority lost the first", async ({
    masters,
    acquire,
    key,
  }) => {
    const first = await acquire(key, "me", { requestId: "r1" });
    const names = [key, String(buildCompanionKey(key))];
    await Promise.all(masters.getMasters(0, 1, 2).map(({ redis }) => redis.del(...names)));
    const second = await acquire(key, "me", { requestId: "r1" });
    expect(second.token).not.toBe(first.token);
    expect(BigInt(second.fence)).toBeGreaterThan(BigInt(first.fence));
    await waitUntil(async () => (await masters.readHolders(key)).slice(3).join() === ",");
    expect((await masters.readHolders(key)).slice(0, 3)).toEqual(Array(3).fill(second.token));
  });

  it("the id of one principal does not return the hold of another", async ({ acquire, key }) => {
    await acquire(key, "me", { requestId: "r1", principal: "key-1" });
    expect(await getErrorCode(acquire(key, "me", { requestId: "r1", principal: "key-2" }))).toBe("held");
  });
});
