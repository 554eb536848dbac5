import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import {
  countScriptCalls,
  createTestKey,
  getErrorCode,
  startTestLocks,
  type TestLocks,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

let test: TestLocks;

beforeAll(async () => {
  test = await startTestLocks();
});

afterAll(() => test.stop());

const dump = (key: string) => test.direct.dump(key);

describe("hazard 1: releasing another owner's lock", () => {
  it.each(WRITABLE_FORMATS)("%s: a release by another owner changes nothing", async (format) => {
    const { locks, acquire } = test;
    const key = createTestKey();
    await acquire(key, "me", { format });
    const before = await dump(key);
    expect(await locks.release(key, { owner: "you", format })).toMatchObject({ outcome: "not_held" });
    expect(await dump(key)).toEqual(before);
    expect(await locks.release(key, { owner: "me", format })).toMatchObject({ outcome: "released" });
  });

  it.each(WRITABLE_FORMATS)(
    "%s: a late release after the lease has ended does not affect the next holder",
    async (format) => {
      const { locks, acquire } = test;
      const key = createTestKey();
      await acquire(key, "me", { format, leaseMs: 30 });
      const { fence } = await acquire(key, "you", { format, waitMs: 5000 });
      const before = await dump(key);
      expect(await locks.release(key, { owner: "me", format })).toMatchObject({ outcome: "not_held" });
      expect(await dump(key)).toEqual(before);
      expect(await locks.verify(key, { owner: "you" })).toMatchObject({ fence, count: 1 });
    },
  );

  it.each(WRITABLE_FORMATS)("%s: a renewal by another owner changes nothing", async (format) => {
    const { locks, acquire, direct } = test;
    const key = createTestKey();
    await acquire(key, "me", { format, leaseMs: 20_000 });
    const before = await dump(key);
    expect(await getErrorCode(locks.renew(key, { owner: "you", leaseMs: 60_000, format }))).toBe("lost");
    expect(await dump(key)).toEqual(before);
    expect(await direct.pttl(key)).toBeLessThan(21_000);
  });
});

describe("hazard 2: late releases", () => {
  it.each(WRITABLE_FORMATS)(
    "%s: a late release returns not_held after a single script call",
    async (format) => {
      const { locks, acquire, direct } = test;
      const key = createTestKey();
      const endings: [string, () => Promise<unknown>][] = [
        ["ran out", () => waitUntil(async () => (await direct.exists(key)) === 0)],
        ["is another's", () => acquire(key, "you", { format, waitMs: 5000 })],
        ["was deleted", () => direct.del(key)],
      ];
      for (const [ending, end] of endings) {
        await direct.del(key);
        await acquire(key, "me", { format, leaseMs: ending === "was deleted" ? 30_000 : 30 });
        await end();
        const before = await countScriptCalls(direct);
        expect(await locks.release(key, { owner: "me", format }), ending).toMatchObject({
          outcome: "not_held",
          count: 0,
        });
        expect((await countScriptCalls(direct)) - before, ending).toBe(1);
      }
    },
  );

  it("a late release of a hold returns not_held and ends `await using` without an error", async () => {
    const client = await test.openClient();
    const key = createTestKey();
    {
      await using hold = await client.acquire(key, { leaseMs: 50, renew: false });
      await waitUntil(() => hold.signal.aborted);
      expect(hold.signal.reason).toMatchObject({ code: "lost" });
    }
    const hold = await client.acquire(key, { leaseMs: 50, renew: false, waitMs: 1000 });
    // Our own deadline ends a moment before Redis's.
    await waitUntil(async () => hold.signal.aborted && (await test.direct.exists(key)) === 0);
    expect(await hold.release()).toMatchObject({ outcome: "not_held" });
  });
});

describe("hazard 28: keys that hold something else", () => {
  const residents: [string, (key: string) => Promise<unknown>][] = [
    ["a string", (key) => test.direct.set(key, "Ada")],
    ["an empty string", (key) => test.direct.set(key, "")],
    ["a long string", (key) => test.direct.set(key, "x".repeat(5000))],
    ["a hash", (key) => test.direct.hset(key, "name", "Ada")],
    ["a list", (key) => test.direct.rpush(key, "Ada")],
    ["a set", (key) => test.direct.sadd(key, "Ada")],
    ["a sorted set", (key) => test.direct.zadd(key, 1, "Ada")],
    ["a stream", (key) => test.direct.xadd(key, "*", "name", "Ada")],
  ];

  it.each(WRITABLE_FORMATS.flatMap((format) => residents.map(([what, move]) => ({ format, what, move }))))(
    "$format: no verb changes a key that holds $what",
    async ({ format, what, move }) => {
      const { locks, direct } = test;
      const key = createTestKey();
      await move(key);
      const before = await direct.dump(key);
      // Any string may be somebody's token.
      const isToken = format === "token" && what === "a string";
      const owner = "me";
      const seen = { owner, fence: null, by: "mei", reason: "stuck" };
      const codes = await Promise.all([
        getErrorCode(locks.acquire(key, { owner, leaseMs: 1000, reentrant: true, format })),
        getErrorCode(
          locks.acquire(key, { owner, leaseMs: 1000, reentrant: true, format, waitMs: isToken ? 30 : 5000 }),
        ),
        getErrorCode(locks.renew(key, { owner, leaseMs: 1000, format })),
        locks.release(key, { owner, format }).then(
          ({ outcome }) => outcome,
          ({ code }) => code,
        ),
        forceReleaseByOwner(locks, key, format, seen).then(({ outcome }) => outcome),
      ]);
      expect(codes).toEqual(
        isToken ? ["held", "timeout", "lost", "not_held", "changed"] : Array(5).fill("not_a_lock"),
      );
      expect(await direct.dump(key)).toBe(before);
      expect(await direct.pttl(key)).toBe(-1);
    },
  );

  it("the refusal names the Redis type, and Lockkeeper's own keys cannot be locked", async () => {
    const { locks, direct, acquire } = test;
    const key = createTestKey();
    await direct.rpush(key, "Ada");
    const refused: unknown = await acquire(key, "me").catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ code: "not_a_lock", facts: { redisType: "list" } });
    const ours = `lockkeeper:hold:{${key}}`;
    expect(await getErrorCode(locks.acquire(ours, { owner: "me", leaseMs: 1000, reentrant: true }))).toBe(
      "key_not_allowed",
    );
  });
});
