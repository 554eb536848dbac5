import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { decodeKey, type Key } from "../../../lib/keys/key.ts";
import { formatTest } from "../../../test/support/fixtures.ts";
import { createUuid1, LIBRARIES } from "../../../test/support/libraries.ts";
import { EVENT_CHANNEL, RESERVED_BY_MEI } from "../../../test/support/observed-lock.ts";
import { PollingLock } from "../../../test/support/seeds/polling-lock.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { toRedisArgument } from "../../redis/script.ts";
import { parseScriptEvent } from "../../watch/connection/script-event.ts";
import { LOCK_WRITERS } from "../lock-writer.ts";
import { getReleaseTerms } from "../registry/release-terms.ts";

const it = formatTest().extend(
  "readEvents",
  { scope: "file" },
  ({ messages }) =>
    // Returns the events of a key once there are `count`.
    async (key: Key, count: number) => {
      const events = () =>
        messages.map((message) => parseScriptEvent(message)).filter((event) => event?.key === key);
      await waitUntil(() => events().length >= count);
      return events().map((event) => `${event?.type} ${event?.owner} ${event?.by ?? ""}`.trim());
    },
);

describe.each(LIBRARIES)("$name locks", ({ format, key: fresh, owner: draw, acquire }) => {
  const taken = async (direct: Redis) => {
    const [key, owner] = [fresh(), draw()];
    expect(await acquire(direct, key, owner)).toBe(true);
    return { key, owner };
  };

  it("a lock is detected with its owner and can be force-released with what was seen", async ({
    observeHeld,
    direct,
    forceRelease,
    readEvents,
  }) => {
    const { key, owner } = await taken(direct);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ format, holders: [{ owner, count: 1, fence: null }] });
    expect(seen.confidence).not.toBe("possible");
    expect(getReleaseTerms(seen).may).toBe("yes");
    expect(await acquire(direct, key, draw())).toBe(false);
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(key)).toBe(0);
    expect(await readEvents(key, 1)).toEqual([`force_released ${owner} mei`]);
    expect(await acquire(direct, key, draw())).toBe(true);
  });

  it("force-release changes nothing when the owner has changed, the lock is gone or the type differs", async ({
    observeHeld,
    direct,
    forceRelease,
  }) => {
    const { key, owner } = await taken(direct);
    const seen = await observeHeld(key);
    const next = draw();
    await direct.set(key, next, "PX", 30_000);
    expect(await forceRelease(seen)).toBe("changed");
    expect(await forceRelease(seen, { reservedMs: 30_000 })).toBe("changed");
    expect(await direct.get(key)).toBe(next);
    await direct.del(key);
    expect(await forceRelease(seen)).toBe("gone");
    expect(await forceRelease(seen, { reservedMs: 30_000 })).toBe("gone");
    await direct.rpush(key, owner);
    expect(await forceRelease(seen)).toBe("not_a_lock");
    expect(await direct.llen(key)).toBe(1);
  });

  it("a reservation blocks the library's clients, is listed and can be force-released", async ({
    forceRelease,
    observeHeld,
    direct,
    readEvents,
  }) => {
    const { key, owner } = await taken(direct);
    expect(await forceRelease(await observeHeld(key), { reservedMs: 60_000 })).toBe("released");
    expect(await acquire(direct, key, draw())).toBe(false);
    const reserved = await observeHeld(key);
    expect(reserved).toMatchObject({ confidence: "certain", holders: [{ owner: RESERVED_BY_MEI }] });
    expect(reserved.holders[0].fence).not.toBeNull();
    expect(await readEvents(key, 2)).toEqual([`force_released ${owner} mei`, `acquired ${RESERVED_BY_MEI}`]);
    expect(await forceRelease(reserved)).toBe("released");
    expect(await acquire(direct, key, draw())).toBe(true);
  });
});

describe("force-release of strings", () => {
  it("an owner that is not UTF-8 is compared byte by byte and reported", async ({
    direct,
    observeHeld,
    forceRelease,
    readEvents,
  }) => {
    const key = `shop_lock_${randomUUID()}`;
    const packed = (first: number) => Buffer.concat([Buffer.of(first), Buffer.from("aB3dE5fG7hJ9kL1m")]);
    await direct.set(key, packed(0xb0), "PX", 30_000);
    const seen = await observeHeld(key);
    expect(seen.format).toBe("laravel");
    expect(toRedisArgument(seen.holders[0].owner)).toEqual(packed(0xb0));
    await direct.set(key, packed(0xb1), "PX", 30_000);
    expect(await forceRelease(seen)).toBe("changed");
    await direct.set(key, packed(0xb0), "PX", 30_000);
    expect(await forceRelease(seen)).toBe("released");
    expect(await readEvents(key, 1)).toHaveLength(1);
  });

  it("an owner with tabs and line breaks is reported like any other", async ({
    direct,
    forceRelease,
    observeHeld,
    readEvents,
  }) => {
    const key = createTestKey();
    await direct.set(key, "h5Gq_0ZkWcX1nP2sT8vB-wweb\t1\n2", "PX", 30_000);
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect(await readEvents(key, 1)).toEqual(["force_released h5Gq_0ZkWcX1nP2sT8vB-wweb 1 2 mei"]);
  });

  it("force-release does not end a Lockkeeper hold that now has the same value", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const key = createTestKey();
    const token = randomUUID();
    await direct.set(key, token, "PX", 30_000);
    const seen = await observeHeld(key);
    await direct.del(key);
    const request = { id: randomUUID(), digest: "d", owner: "me", record: undefined };
    const times = { leaseMs: 30_000, graceMs: 0, minHoldMs: 0, unit: "ms" } as const;
    await LOCK_WRITERS.token.acquire(direct, EVENT_CHANNEL, key, { token, ...request, ...times });
    expect(await forceRelease(seen)).toBe("changed");
    expect(await direct.get(key)).toBe(token);
  });

  it("a reservation of a published SETNX/GETSET lock blocks such clients with a deadline", async ({
    direct,
    observeHeld,
    forceRelease,
    observe,
  }) => {
    const key = `lock.${randomUUID()}`;
    const [one, two] = [new PollingLock(direct), new PollingLock(direct, { waitMs: 0 })];
    expect(await one.acquire(key)).toBe(true);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ format: "timestamp", confidence: "likely" });
    expect(await forceRelease(seen, { reservedMs: 60_000 })).toBe("released");
    expect(await two.acquire(key)).toBe(false);
    expect(await forceRelease(await observeHeld(key))).toBe("released");
    expect(await two.acquire(key)).toBe(true);
    await direct.set(key, String(Date.now() - 10_000));
    expect(await observe(key)).toMatchObject({ state: "ended", format: "timestamp" });
  });

  it("a reservation of a redis-lock key blocks deadline clients as well", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const key = `lock.${randomUUID()}`;
    await direct.set(key, String(Date.now() + 30_001), "PX", 30_000);
    const seen = await observeHeld(key);
    expect(seen).toMatchObject({ format: "redis-lock", candidates: ["timestamp"] });
    expect(await forceRelease(seen, { reservedMs: 60_000 })).toBe("released");
    expect(await new PollingLock(direct, { waitMs: 0 }).acquire(key)).toBe(false);
  });

  it("a redis-py lock reports since when it was requested", async ({ direct, observeHeld }) => {
    const key = createTestKey();
    await direct.set(key, createUuid1(Date.now() - 7000), "PX", 30_000);
    const { holders, asOf } = await observeHeld(key);
    expect(holders[0].sinceIs).toBe("reported");
    expect(Math.abs(asOf - 7000 - (holders[0].sinceMs ?? 0))).toBeLessThan(2000);
  });
});

describe("locks with binary keys", () => {
  it("a lock whose key is not UTF-8 is force-released by its bytes", async ({
    direct,
    observeHeld,
    forceRelease,
  }) => {
    const bytes = Buffer.concat([Buffer.from(`lock:${randomUUID()}:`), Buffer.of(0xff)]);
    await direct.set(bytes, createUuid1(), "PX", 30_000);
    const seen = await observeHeld(decodeKey(bytes));
    expect(await forceRelease(seen)).toBe("released");
    expect(await direct.exists(bytes)).toBe(0);
  });
});
