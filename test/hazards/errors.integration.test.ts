import { pino } from "pino";
import { describe, expect } from "vitest";
import { HeldError, LostError } from "../../server/errors/lock-errors.ts";
import { UnknownOutcomeError } from "../../server/errors/redis-errors.ts";
import { locksTest } from "../support/fixtures.ts";
import { createTestKey } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";

const it = locksTest()
  .extend("told", { scope: "file" }, () => [] as { msg: string; key: string }[])
  .extend("client", { scope: "file" }, ({ env, told }) =>
    env.openClient({
      log: pino({ level: "warn" }, { write: (line: string) => told.push(JSON.parse(line)) }),
    }),
  );

it.beforeEach(({ told }) => {
  told.length = 0;
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
    told,
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
    expect(told.map(({ msg }) => msg)).toEqual(Array(2).fill("release failed; the lease ends the hold"));
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

  it("a lock lost before the work ended is logged even if the work never checked it", async ({
    client,
    direct,
    told,
    key,
  }) => {
    const result = await client.withLock(key, {}, async (hold) => {
      await direct.del(hold.key);
      return 7;
    });
    expect(result).toBe(7);
    expect(told).toMatchObject([{ msg: "lost before the work had ended", key }]);
  });
});
