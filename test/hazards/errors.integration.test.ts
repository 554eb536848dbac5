import { pino } from "pino";
import { describe, expect } from "vitest";
import { HeldError, LostError } from "../../server/errors/lock-errors.ts";
import { UnknownOutcomeError } from "../../server/errors/redis-errors.ts";
import { locksTest } from "../support/fixtures.ts";
import { createTestKey } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

const it = locksTest()
  .extend("records", { scope: "file" }, () => [] as { msg: string; key: string }[])
  .extend("client", { scope: "file" }, ({ env, records }) =>
    env.openClient({
      log: pino({ level: "warn" }, { write: (line: string) => records.push(JSON.parse(line)) }),
    }),
  );

it.beforeEach(({ records }) => {
  records.length = 0;
});

const mine = new Error("mine");
const catchReason = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (result) => ({ result }),
    (reason: unknown) => reason,
  );

describe("hazard 27: errors that hide each other", () => {
  it("the error or result of the work takes precedence over a failed release, which is logged or suppressed", async ({
    env,
    client,
    records,
  }) => {
    let inside = 0;
    const frozen = async () => {
      if (++inside === 3) env.redis.freeze();
      await waitUntil(() => inside === 3);
    };
    const throwing = client.withLock(createTestKey(), {}, async () => {
      await frozen();
      throw mine;
    });
    const returning = client.withLock(createTestKey(), {}, async () => {
      await frozen();
      return 7;
    });
    const using = async () => {
      await using hold = await client.acquire(createTestKey());
      hold.assertHeld();
      await frozen();
      throw mine;
    };
    const [thrown, returned, suppressed] = await Promise.all([throwing, returning, using()].map(catchReason));
    env.redis.thaw();
    expect(thrown).toBe(mine);
    expect(returned).toEqual({ result: 7 });
    expect(suppressed).toMatchObject({ name: "SuppressedError", suppressed: mine });
    expect((suppressed as SuppressedError).error).toBeInstanceOf(UnknownOutcomeError);
    expect(records.map(({ msg }) => msg)).toEqual(Array(2).fill("release failed; the lease ends the hold"));
  });

  it("a lock that was not granted and a lock that was lost raise different errors", async ({
    acquire,
    client,
    direct,
    key,
  }) => {
    await acquire(key, "other");
    expect(await catchReason(client.withLock(key, {}, async () => 7))).toBeInstanceOf(HeldError);
    const lost = client.withLock(createTestKey(), { leaseMs: 300 }, async (hold) => {
      await direct.del(hold.key);
      await waitUntil(() => hold.signal.aborted);
      hold.assertHeld();
    });
    expect(await catchReason(lost)).toBeInstanceOf(LostError);
  });

  it("withLock rejects with the loss, and logs it, when the work never checked a hold that was lost", async ({
    client,
    direct,
    records,
    key,
  }) => {
    const working = client.withLock(key, {}, async () => {
      await direct.del(key);
      return 7;
    });
    expect(await catchReason(working)).toBeInstanceOf(LostError);
    expect(records).toMatchObject([{ msg: "hold lost before the work finished", key }]);
  });

  it("an error of the work wins over the loss of its hold, and carries the loss as its cause", async ({
    client,
    direct,
    key,
  }) => {
    const error = new Error("of the work");
    const working = client.withLock(key, {}, async () => {
      await direct.del(key);
      throw error;
    });
    expect(await catchReason(working)).toBe(error);
    expect(error.cause).toBeInstanceOf(LostError);
  });
});
