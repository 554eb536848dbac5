import { afterEach, describe, expect, vi } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { catchLockError, countWaiters, getErrorCode } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { HeldError } from "../../errors/lock-errors.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";

const it = quorumTest(5)
  // Acquires the lock on these masters only, and releases it.
  .extend(
    "grantBy",
    { scope: "file" },
    ({ masters, acquire, release }) =>
      async (key: string, numbers: readonly number[]) => {
        const others = [0, 1, 2, 3, 4].filter((number) => !numbers.includes(number));
        await masters.occupy(key, others);
        const hold = await acquire(key);
        await release(hold);
        await masters.vacate(key, others);
        return BigInt(hold.fence);
      },
  );

afterEach(() => {
  vi.restoreAllMocks();
});

const LEASE_MS = 20_000;
const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);

describe("quorum holds", () => {
  it("a hold is stored on all reachable masters under one fencing token and removed by its release", async ({
    acquire,
    masters,
    readFences,
    release,
    key,
  }) => {
    const hold = await acquire(key);
    const { token, fence, remainingMs } = hold;
    expect(await masters.readHolders(key)).toEqual(everywhere(token));
    await waitUntil(async () => (await readFences(key)).every((each) => each === fence));
    expect((await masters.readCompanions(key)).map((each) => each?.owner)).toEqual(everywhere("me"));
    expect(remainingMs).toBeLessThanOrEqual(LEASE_MS * 0.99 - 2);
    expect(remainingMs).toBeGreaterThan(LEASE_MS * 0.9);
    expect(await release(hold)).toMatchObject({ outcome: "released", count: 0 });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a second acquire is refused, also under the owner of the hold", async ({ acquire, key, masters }) => {
    const { token } = await acquire(key, "me");
    const refusal = await catchLockError(acquire(key, "me"));
    expect([refusal.code, refusal.facts]).toMatchObject(["held", { holders: [{ owner: "me", count: 1 }] }]);
    expect(await masters.readHolders(key)).toEqual(everywhere(token));
  });

  it("a hold is granted when another owner has a minority of masters, whose votes stay unchanged", async ({
    masters,
    acquire,
    release,
    key,
  }) => {
    await masters.occupy(key, [1, 4]);
    const hold = await acquire(key);
    const { token } = hold;
    expect(await masters.readHolders(key)).toEqual([token, "somebody", token, token, "somebody"]);
    expect(await release(hold)).toMatchObject({ outcome: "released" });
    await waitUntil(
      async () => (await masters.readHolders(key)).filter((vote) => vote === null).length === 3,
    );
    expect(await masters.readHolders(key)).toEqual([null, "somebody", null, null, "somebody"]);
  });

  it("a refusal names the owner with the most votes and its remaining time, and withdraws the votes cast", async ({
    masters,
    acquire,
    key,
  }) => {
    await masters.occupy(key, [0], "one", 90_000);
    await masters.occupy(key, [1, 2, 3], "most", 40_000);
    const refusal = await catchLockError(acquire(key, "me", { minHoldMs: 10_000 }));
    if (!(refusal instanceof HeldError)) throw refusal;
    expect(refusal.facts.holders.map(({ owner }) => owner)).toEqual(["most"]);
    expect(refusal.facts.remainingMs).toBeGreaterThan(30_000);
    expect(refusal.facts.remainingMs).toBeLessThanOrEqual(40_000);
    expect(await masters.readHolders(key)).toEqual(["one", "most", "most", "most", null]);
  });

  it("waiters leave the waiting lists of all masters, whether granted or timed out", async ({
    masters,
    acquire,
    key,
  }) => {
    const waiters = () => Promise.all(masters.clients.map((redis) => countWaiters(redis, key)));
    await masters.occupy(key, [0, 1, 2]);
    const gets = acquire(key, "me", { waitMs: 15_000 });
    await waitUntil(async () => (await waiters()).join() === "1,1,1,0,0");
    expect(await getErrorCode(acquire(key, "you", { waitMs: 200 }))).toBe("timeout");
    await waitUntil(async () => (await waiters()).join() === "1,1,1,0,0");
    await masters.vacate(key, [0, 1]);
    await gets;
    await waitUntil(async () => (await waiters()).join() === "0,0,0,0,0");
  });
});

describe("quorum fencing tokens", () => {
  it("the fencing token is the largest of the votes and is stored by all voters before it is returned", async ({
    masters,
    acquire,
    readFences,
    key,
  }) => {
    const ahead = await masters.advanceFence(key, 1, 10_000);
    await masters.occupy(key, [3, 4]);
    const { fence } = await acquire(key);
    expect(BigInt(fence)).toBe(ahead + 1n);
    expect((await readFences(key)).slice(0, 3)).toEqual([fence, fence, fence]);
  });

  it("the fencing token rises between majorities that share one master, even after one with a clock ahead", async ({
    masters,
    grantBy,
    key,
  }) => {
    await masters.advanceFence(key, 0, 10_000);
    const first = await grantBy(key, [0, 1, 2]);
    // The clocks of the other masters would produce a smaller token. The token increases only because the clients wrote
    // the agreed token to the third master.
    expect(first).toBeGreaterThan(BigInt(Date.now() + 5_000) * 1000n);
    expect(await grantBy(key, [2, 3, 4])).toBeGreaterThan(first);
  });

  it("the fencing token rises over 40 grants by random majorities with one clock ahead", async ({
    masters,
    grantBy,
    key,
  }) => {
    await masters.advanceFence(key, 3, 10_000);
    let last = 0n;
    for (let round = 0; round < 40; round++) {
      const byChance = [0, 1, 2, 3, 4].toSorted(() => Math.random() - 0.5);
      const fence = await grantBy(key, byChance.slice(0, 3 + (round % 2)));
      expect(fence).toBeGreaterThan(last);
      last = fence;
    }
  });

  it("a hold whose fencing token a majority cannot confirm is refused and leaves no votes", async ({
    acquire,
    masters,
    key,
  }) => {
    vi.spyOn(LOCK_WRITERS.token, "agree").mockResolvedValue(false);
    expect(await getErrorCode(acquire(key, "me"))).toBe("unavailable");
    expect(await masters.readHolders(key)).toEqual(everywhere(null));
  });
});

describe("unconfirmed majority", () => {
  it("a majority that could not confirm the hold costs one more attempt and leaves nothing behind", async ({
    acquire,
    masters,
    release,
    key,
  }) => {
    const { agree } = LOCK_WRITERS.token;
    const asked = vi.spyOn(LOCK_WRITERS.token, "acquire");
    // Prevents an agreement in the first attempt.
    vi.spyOn(LOCK_WRITERS.token, "agree").mockImplementation(async (...what) => {
      return asked.mock.calls.length > 5 && (await agree.apply(LOCK_WRITERS.token, what));
    });
    const hold = await acquire(key, "me", { minHoldMs: 50 });
    const { fence, count } = hold;
    expect(count).toBe(1);
    await waitUntil(async () =>
      (await masters.readCompanions(key)).every((each) => each?.fence === fence && each.count === 1),
    );
    await release(hold);
  });
});

describe("quorum requests", () => {
  it("a quorum refuses every format except token before contacting a master", async ({
    acquire,
    backend,
    masters,
    key,
  }) => {
    const refusal = await catchLockError(acquire(key, "me", { format: "redisson" }));
    expect([refusal.code, refusal.facts]).toEqual(["invalid", { field: "format" }]);
    const foreign = { key, format: "timestamp", unit: "ms", token: "me:1", fence: "7" } as const;
    const { verbs } = backend;
    const calls = [
      verbs.release(foreign),
      verbs.renew(foreign),
      verbs.reenter(foreign),
      verbs.verify(foreign),
    ];
    expect(await Promise.all(calls.map(getErrorCode))).toEqual(Array(4).fill("invalid"));
    expect(await getErrorCode(acquire(key, "me", { leaseMs: Number.NaN }))).toBe("invalid");
    expect(await masters.readHolders(key)).toEqual(everywhere(null));
  });
});
