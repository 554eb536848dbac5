import type { Redis } from "ioredis";
import { afterEach, describe, expect, vi } from "vitest";
import { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
import { locksTest } from "../support/fixtures.ts";
import {
  createTestKey,
  getErrorCode,
  readCompanion,
  sleepMs,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

const it = locksTest();

afterEach(() => {
  vi.restoreAllMocks();
});

const HOUR_MS = 60 * 60 * 1000;

function shift(clocks: { monotonicMs?: number; wallMs?: number }): void {
  const { monotonicMs = 0, wallMs = 0 } = clocks;
  const [monotonic, wall] = [performance.now.bind(performance), Date.now];
  vi.spyOn(performance, "now").mockImplementation(() => monotonic() + monotonicMs);
  vi.spyOn(Date, "now").mockImplementation(() => wall() + wallMs);
}

describe("hazard 5: pauses longer than the lease", () => {
  // Pauses of a whole process are tested in fencing.integration.test.ts.

  it("after an event-loop stall, assertHeld reports the loss before any timer fires", async ({ client }) => {
    const hold = await client.acquire(createTestKey(), { leaseMs: 200 });
    const stalledUntil = performance.now() + 300;
    while (performance.now() < stalledUntil);
    expect(hold.signal.aborted).toBe(false);
    expect(() => hold.assertHeld()).toThrow(LockkeeperError);
    expect(hold.signal.reason).toMatchObject({ code: "lost" });
  });

  it("after a machine suspend, the wall clock reveals that the lease has ended", async ({ client }) => {
    const hold = await client.acquire(createTestKey(), { leaseMs: 30_000 });
    shift({ wallMs: 31_000 });
    expect(() => hold.assertHeld()).toThrow(LockkeeperError);
    expect(hold.signal.aborted).toBe(true);
  });

  it("after the wall clock was set back, the monotonic clock reveals that the lease has ended", async ({
    client,
  }) => {
    const hold = await client.acquire(createTestKey(), { leaseMs: 30_000 });
    shift({ wallMs: -HOUR_MS });
    hold.assertHeld();
    vi.restoreAllMocks();
    shift({ wallMs: -HOUR_MS, monotonicMs: 31_000 });
    expect(() => hold.assertHeld()).toThrow(LockkeeperError);
  });

  it("no renewal is sent after the local deadline has passed", async ({ client, direct, key }) => {
    const hold = await client.acquire(key, { leaseMs: 1500 });
    shift({ wallMs: 2000 });
    // The renewal is due after a third of the lease.
    await waitUntil(() => hold.signal.aborted);
    expect(await direct.pttl(key)).toBeLessThan(1050);
    expect(await getErrorCode(hold.renew())).toBe("lost");
  });
});

describe("hazard 6: client clocks", () => {
  it.for([HOUR_MS, -HOUR_MS])(
    "a client clock %d ms off does not affect holds and is never sent to Redis",
    async (wallMs, { env, direct }) => {
      shift({ wallMs });
      const off = await env.openClient();
      const monitor = await direct.monitor();
      const sent: string[] = [];
      monitor.on("monitor", (_, words: string[], source: string) => {
        if (source !== "lua") sent.push(...words);
      });
      for (const format of WRITABLE_FORMATS) {
        const key = createTestKey();
        const hold = await off.acquire(key, { format, leaseMs: 20_000, graceMs: 500 });
        const before = await serverMs(direct);
        expect(hold.remainingMs()).toBeGreaterThan(15_000);
        expect(await direct.pttl(key)).toBeGreaterThan(15_000);
        expect(await direct.pttl(key)).toBeLessThan(21_000);
        const companion = await readCompanion(direct, key);
        expect(Math.abs((companion?.sinceMs ?? 0) - before)).toBeLessThan(5000);
        expect(Math.abs(Number(hold.fence) / 1000 - before)).toBeLessThan(5000);
        await hold.renew(25_000);
        expect(hold.remainingMs()).toBeGreaterThan(20_000);
        const refused = getErrorCode(off.acquire(key, { format, owner: "another", waitMs: 60 }));
        expect(await refused).toBe("timeout");
        const waits = off.acquire(key, { format, owner: "another", waitMs: 5000 });
        expect(await hold.release({ reservedMs: 20 })).toMatchObject({ outcome: "released" });
        expect((await waits).count).toBe(1);
      }
      monitor.disconnect();
      const absolute = sent.filter((word) => /^\d{10,16}$/.test(word)).map(asMs);
      const clientMs = Date.now();
      expect(sent.length).toBeGreaterThan(20);
      expect(absolute.filter((ms) => Math.abs(ms - clientMs) < HOUR_MS / 2)).toEqual([]);
    },
  );

  const asMs = (digits: string) =>
    Number(digits) * (digits.length === 10 ? 1000 : digits.length === 16 ? 0.001 : 1);

  async function serverMs(direct: Redis): Promise<number> {
    const [seconds] = await direct.time();
    return Number(seconds) * 1000;
  }
});

describe("hazard 12: renewal racing a release, in Redis", () => {
  it("a renewal racing a release never extends the next hold of the same owner in 300 rounds", async ({
    client,
    direct,
  }) => {
    const [watchedMs, fixedMs] = [300, 150];
    const next = async (_: unknown, round: number) => {
      const [key, owner] = [createTestKey(), "me"];
      const hold = await client.acquire(key, { owner, leaseMs: watchedMs });
      // Releases the hold around the time of its renewal, which is due after a third of the lease.
      await sleepMs(watchedMs / 3 - 10 + (round % 20));
      await hold.release();
      await client.acquire(key, { owner, leaseMs: fixedMs, renew: false });
      return key;
    };
    const keys = await Promise.all(Array.from({ length: 300 }, next));
    const longest = async () => Math.max(...(await Promise.all(keys.map((key) => direct.pttl(key)))));
    await waitUntil(async () => {
      const leftMs = await longest();
      expect(leftMs).toBeLessThanOrEqual(fixedMs);
      return leftMs < 0;
    });
    expect(await longest()).toBe(-2);
  });
});

describe.concurrent("hazards 13 and 19: blocked renewals", () => {
  it("renewals continue on their own connection while the verbs connection is stalled", async ({
    env,
    direct,
    key,
  }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await env.openClient({ port: proxy.port });
    const hold = await far.acquire(key, { leaseMs: 2400 });
    proxy.stall("verbs");
    const stuck = getErrorCode(far.acquire(createTestKey()));
    await sleepMs(3600);
    hold.assertHeld();
    expect(await direct.pttl(key)).toBeGreaterThan(0);
    proxy.stall(undefined);
    await hold.release();
    await stuck;
    await proxy.stop();
  });

  it("blocked renewals raise jeopardy, then lost, before another owner can acquire the lock", async ({
    env,
    client,
    key,
  }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await env.openClient({ port: proxy.port });
    const notices: string[] = [];
    const hold = await far.acquire(key, { leaseMs: 600, onJeopardy: () => notices.push("jeopardy") });
    hold.signal.addEventListener("abort", () => notices.push("lost"));
    proxy.stall("renewals");
    await client.acquire(key, { waitMs: 5000, owner: "next" });
    notices.push("next");
    expect(notices).toEqual(["jeopardy", "lost", "next"]);
    await proxy.stop();
  });
});

describe("hazard 13: dropped connections", () => {
  it("renewals are retried until the deadline when connections are killed repeatedly", async ({
    client,
    direct,
  }) => {
    const hold = await client.acquire(createTestKey(), { leaseMs: 1800 });
    for (let cut = 0; cut < 6; cut++) {
      await direct.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await sleepMs(600);
    }
    hold.assertHeld();
    await hold.release();
  });
});
