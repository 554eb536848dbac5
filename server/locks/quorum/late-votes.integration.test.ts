import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { getErrorCode } from "../../../test/support/test-locks.ts";
import type { TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";

const it = quorumTest(5);

const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);

describe("late votes", () => {
  /** Pauses the writes of one master for 600 ms, so that the other masters decide first. */
  async function isLate(masters: TestMasters, master: number): Promise<void> {
    await masters.getClient(master).call("CLIENT", "PAUSE", "600", "WRITE");
  }

  it("a late vote joins its hold under the agreed fencing token and is released with it", async ({
    acquire,
    readFences,
    masters,
    release,
    key,
  }) => {
    await isLate(masters, 2);
    const startedAt = performance.now();
    const hold = await acquire(key);
    const { token, fence } = hold;
    expect(performance.now() - startedAt).toBeLessThan(580);
    await waitUntil(async () => (await readFences(key))[2] === fence);
    expect(await masters.readHolders(key)).toEqual(everywhere(token));
    await release(hold);
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a late vote from a master with a clock ahead does not keep its own fencing token", async ({
    masters,
    acquire,
    readFences,
    release,
    key,
  }) => {
    const ahead = await masters.advanceFence(key, 2, 10_000);
    await isLate(masters, 2);
    const hold = await acquire(key);
    const fence = BigInt(hold.fence);
    expect(fence).toBeLessThan(ahead);
    await waitUntil(async () => (await readFences(key))[2] === hold.fence);
    await release(hold);
    await masters.occupy(key, [0, 1]);
    expect(BigInt((await acquire(key)).fence)).toBeGreaterThan(fence);
  });

  it("a late vote for a token that was not agreed on is given back", async ({ acquire, masters, key }) => {
    await masters.occupy(key, [2, 3]);
    const { token } = await acquire(key, "me", { requestId: "r1" });
    await masters.vacate(key, [2, 3]);
    await isLate(masters, 2);
    expect((await acquire(key, "me", { requestId: "r1" })).token).toBe(token);
    const companion = String(buildCompanionKey(key));
    await waitUntil(async () => (await masters.getClient(2).get(companion))?.includes("withdrawn") === true);
    await waitUntil(async () => (await masters.readHolders(key)).slice(2).join() === `,,${token}`);
    expect(await masters.readHolders(key)).toEqual([token, token, null, null, token]);
  });

  it("a late vote is withdrawn when the acquire was refused", async ({ masters, acquire, key }) => {
    await masters.occupy(key, [0, 1, 3]);
    await isLate(masters, 2);
    expect(await getErrorCode(acquire(key, "me"))).toBe("held");
    const companion = String(buildCompanionKey(key));
    // The master voted and then withdrew the vote, which its companion records.
    await waitUntil(async () => (await masters.getClient(2).get(companion))?.includes("withdrawn") === true);
    expect(await masters.readHolders(key)).toEqual(["somebody", "somebody", null, "somebody", null]);
  });
});
