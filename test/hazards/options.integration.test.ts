import fc from "fast-check";
import { describe, expect } from "vitest";
import { LEASE_MS_MAX, LEASE_MS_MIN } from "../../lib/contract/actions/verb.ts";
import { buildCompanionKey } from "../../server/formats/keys.ts";
import type { HoldOptions } from "../../server/locks/client/hold-options.ts";
import { locksTest } from "../support/fixtures.ts";
import { createTestKey, getErrorCode, readCompanion, WRITABLE_FORMATS } from "../support/test-locks.ts";

const it = locksTest();

/**
 * Maximum difference between a requested time and the time in Redis, in milliseconds. Covers elapsed time and the
 * rounding of deadlines to whole units.
 */
const SLACK_MS = 3000;

describe.each(WRITABLE_FORMATS)("hazard 11: re-entry and the TTL (%s)", (format) => {
  it("neither a re-entry nor a partial release shortens the lease", async ({
    acquire,
    direct,
    locks,
    key,
  }) => {
    const outer = await acquire(key, "me", { format, leaseMs: 60_000 });
    expect(await locks.reenter(outer, { leaseMs: 1000 })).toMatchObject({ count: 2, fence: outer.fence });
    expect(await direct.pttl(key)).toBeGreaterThan(55_000);
    expect(await locks.reenter(outer, { leaseMs: 90_000 })).toMatchObject({ count: 3, fence: outer.fence });
    for (const left of [2, 1]) {
      expect(await locks.release(outer, { requestId: `left-${left}` })).toMatchObject({ count: left });
      expect(await direct.pttl(key)).toBeGreaterThan(85_000);
    }
    expect(await locks.verify(outer)).toMatchObject({ held: true, count: 1 });
  });

  it("the fencing token of an outer hold stays valid after an inner release", async ({
    client,
    locks,
    key,
  }) => {
    const outer = await client.acquire(key, { format });
    const inner = await outer.reenter();
    expect([inner.token, inner.fence]).toEqual([outer.token, outer.fence]);
    await inner.release();
    expect(await locks.verify(outer)).toMatchObject({ held: true, count: 1, fence: outer.fence });
    await outer.release();
  });

  it("parallel branches that enter one hold exclude each other, and a plain acquire is refused", async ({
    client,
    direct,
    key,
  }) => {
    let inside = 0;
    await client.withLock(key, { format }, async (outer) => {
      const branch = () =>
        client.withLock(key, { format, reentrant: true, waitMs: 5000 }, async ({ token, count }) => {
          expect(++inside).toBe(1);
          await direct.ping();
          inside--;
          return { token, count };
        });
      const entered = { token: outer.token, count: 2 };
      expect(await Promise.all([branch(), branch(), branch()])).toEqual([entered, entered, entered]);
      expect(await getErrorCode(client.acquire(key, { format }))).toBe("held");
      expect(await getErrorCode(client.withLock(key, { format }, async () => undefined))).toBe("held");
    });
    expect(await direct.exists(key)).toBe(0);
  });
});

const durationMs = (leastMs: number) => fc.integer({ min: leastMs, max: 600_000 });
const anyOptions = fc
  .record({
    format: fc.constantFrom(...WRITABLE_FORMATS),
    unit: fc.constantFrom("s" as const, "ms" as const),
    owner: fc
      .string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(..."abcXYZ09-_:@äß €") })
      .map((text) => `o${text}o`),
    leaseMs: durationMs(5000),
    graceMs: durationMs(0),
    minHoldMs: durationMs(0),
    renew: fc.boolean(),
    record: fc.record({ service: fc.string({ maxLength: 20 }), pid: fc.nat() }),
  })
  .map((options) => ({ ...options, unit: options.format === "timestamp" ? options.unit : undefined }));

describe("hazard 29: options that are not applied", () => {
  it("every acquire, renew and release option is applied in Redis", async ({ client, direct }) => {
    await fc.assert(
      fc.asyncProperty(anyOptions, durationMs(5000), durationMs(5000), async (options, renewMs, offMs) => {
        const { format, owner, leaseMs, graceMs, minHoldMs, record, unit } = options;
        const key = createTestKey();
        const near = (actual: number, asked: number) => {
          expect(actual).toBeGreaterThan(asked - SLACK_MS);
          expect(actual).toBeLessThanOrEqual(asked + SLACK_MS);
        };
        const hold = await client.acquire(key, options);
        expect(hold).toMatchObject({ key, owner, format, leaseMs, count: 1 });
        if (format === "redisson") expect(await direct.hgetall(key)).toEqual({ [hold.token]: "1" });
        if (format === "token") expect(await direct.get(key)).toBe(hold.token);
        near(hold.remainingMs(), leaseMs);
        expect(hold.remainingMs()).toBeLessThanOrEqual(leaseMs + 1000);
        near(await direct.pttl(key), leaseMs + graceMs);
        expect(await readCompanion(direct, key)).toMatchObject({
          token: hold.token,
          owner,
          format,
          leaseMs,
          graceMs,
          record,
          fence: hold.fence,
        });
        if (format === "timestamp") expect((await direct.get(key))?.length).toBe(unit === "s" ? 10 : 13);
        await hold.renew(renewMs);
        near(hold.remainingMs(), Math.max(leaseMs, renewMs));
        near(await direct.pttl(key), Math.max(leaseMs, renewMs) + graceMs);
        expect(await hold.release({ reservedMs: offMs })).toMatchObject({ outcome: "released", count: 0 });
        near(await direct.pttl(key), Math.max(offMs, minHoldMs));
        expect((await readCompanion(direct, key))?.owner).toMatch(/^lockkeeper:reserve:/);
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  it("the duration and format of a reservation are applied in Redis", async ({ client, direct }) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...WRITABLE_FORMATS), durationMs(5000), async (format, reservedMs) => {
        const key = createTestKey();
        await client.reserve(key, { by: "mei", reservedMs, format });
        expect(await readCompanion(direct, key)).toMatchObject({
          owner: "lockkeeper:reserve:mei",
          format,
          leaseMs: reservedMs,
        });
        expect(await direct.pttl(key)).toBeGreaterThan(reservedMs - SLACK_MS);
        expect(await getErrorCode(client.acquire(key, { format }))).toBe("held");
      }),
      { numRuns: 20 },
    );
  });

  it("an invalid duration is refused before Redis is called", async ({ client, direct, key }) => {
    const anyDuration = fc.constantFrom("leaseMs", "graceMs", "minHoldMs", "reservedMs", "renewMs", "waitMs");
    const noDuration = fc.constantFrom(Number.NaN, -1, Number.NEGATIVE_INFINITY, -0.5);
    const noLength = fc.oneof(
      noDuration,
      fc.constantFrom(0.5, Number.POSITIVE_INFINITY, LEASE_MS_MAX + 1, 1e300),
    );
    const hold = await client.acquire(createTestKey());
    const ask = (name: string, value: number) => {
      if (name === "reservedMs") return client.reserve(key, { by: "mei", reservedMs: value });
      if (name === "renewMs") return hold.renew(value);
      return client.acquire(key, { [name]: value } satisfies HoldOptions);
    };
    await fc.assert(
      fc.asyncProperty(anyDuration, noLength, noDuration, async (name, length, patience) => {
        expect(await getErrorCode(ask(name, name === "waitMs" ? patience : length))).toBe("invalid");
        expect(await direct.exists(key, String(buildCompanionKey(key)))).toBe(0);
      }),
      { numRuns: 60 },
    );
    expect(await getErrorCode(client.acquire(key, { leaseMs: LEASE_MS_MIN - 1 }))).toBe("invalid");
    expect(await getErrorCode(client.acquire(key, { leaseMs: LEASE_MS_MAX, graceMs: 1 }))).toBe("invalid");
    for (const retry of [
      { tries: Number.NaN, pauseMs: 1 },
      { tries: 0, pauseMs: 1 },
      { tries: 2, pauseMs: Number.NaN },
      { tries: 2, pauseMs: 1, jitter: 2 },
    ]) {
      expect(await getErrorCode(client.acquire(key, { retry }))).toBe("invalid");
    }
    hold.assertHeld();
    await hold.release();
  });
});
