import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { buildCompanionKey, buildEventChannel } from "../../server/formats/keys.ts";
import { LOCK_WRITERS } from "../../server/formats/lock-writer.ts";
import { ATTEMPT_BUDGET_MS } from "../../server/locks/verbs/attempt.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import {
  createTestKey,
  getErrorCode,
  sleepMs,
  startTestLocks,
  type TestLocks,
  type TestVerbs,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import { startTestProxy, type TestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

interface DistantRedis {
  readonly near: TestLocks;
  readonly proxy: TestProxy;
  /** The verbs behind the proxy. */
  readonly far: TestVerbs;
}

async function createDistantRedis(run: (far: DistantRedis) => Promise<void>): Promise<void> {
  const near = await startTestLocks();
  const proxy = await startTestProxy(near.redis.port);
  try {
    await run({ near, proxy, far: await near.openVerbs(proxy.port) });
  } finally {
    await proxy.stop();
    await near.stop();
  }
}

const isFree = async ({ near }: DistantRedis, key: string) => (await near.direct.exists(key)) === 0;
const isKnown = async ({ near }: DistantRedis, key: string) =>
  (await near.direct.exists(String(buildCompanionKey(key)))) === 1;

/** The verbs of the requests that the lock remembers, oldest first. */
async function countRequests({ direct }: TestLocks, key: string): Promise<(string | undefined)[]> {
  const companion = (await direct.get(String(buildCompanionKey(key)))) ?? "";
  return [...companion.matchAll(/^[^\t\n]+\t(\w+)\t/gm)].map(([, verb]) => verb);
}

async function measureMs(promise: Promise<unknown>): Promise<{ code: string; tookMs: number }> {
  const startedAt = performance.now();
  const code = await getErrorCode(promise);
  return { code, tookMs: performance.now() - startedAt };
}

// Most of the time of these tests is spent waiting for an answer that does not come.
describe.concurrent("hazard 3: lost replies", () => {
  it.each(WRITABLE_FORMATS)(
    "%s: each verb is carried out once even when its reply is lost",
    async (format) => {
      await createDistantRedis(async (apartly) => {
        const { far, proxy } = apartly;
        const key = createTestKey();
        const outer = await far.acquire(key, "me", { format });
        const lost = async <Reply>(verb: () => Promise<Reply>): Promise<Reply> => {
          const before = proxy.droppedCount;
          proxy.mode = "drop_replies";
          const reply = verb();
          await waitUntil(() => proxy.droppedCount > before);
          proxy.mode = "pass";
          return await reply;
        };
        const ask = { owner: "me", format };
        const again = await lost(() => far.acquire(key, "me", { format }));
        expect(again).toMatchObject({ count: 2, fence: outer.fence });
        const renewed = await lost(() => far.locks.renew(key, { ...ask, leaseMs: 60_000 }));
        expect(renewed).toMatchObject({ count: 2, fence: outer.fence });
        const inner = await lost(() => far.locks.release(key, ask));
        expect(inner).toMatchObject({ outcome: "released", count: 1 });
        expect(await far.locks.verify(key, { owner: "me" })).toMatchObject({ count: 1, fence: outer.fence });
        const last = await lost(() => far.locks.release(key, ask));
        expect(last).toMatchObject({ outcome: "released", count: 0 });
        expect(await isFree(apartly, key)).toBe(true);
      });
    },
  );

  it("the connection never resends a command, so a force-release cannot end a second hold", async () => {
    await createDistantRedis(async (apartly) => {
      const { far, near, proxy } = apartly;
      const [key, counter] = [createTestKey(), createTestKey()];
      const owner = `${randomUUID()}:1`;
      const hold = () => near.direct.multi().hset(key, owner, 1).pexpire(key, 30_000).exec();
      await hold();
      // So that it is in Redis's cache: an answer that says it is not would be lost instead.
      await forceReleaseByOwner(near.locks, createTestKey(), "redisson", {
        owner,
        fence: null,
        by: "mei",
        reason: "",
      });
      proxy.mode = "drop_replies";
      const counted = measureMs(far.connection.incr(counter));
      expect((await counted).tookMs).toBeLessThan(800);
      expect((await counted).code).not.toBe("ok");
      proxy.mode = "pass";
      await waitUntil(() => far.connection.status === "ready");
      proxy.mode = "drop_replies";
      const seen = { owner, fence: null, by: "mei", reason: "stuck" };
      expect(await getErrorCode(forceReleaseByOwner(far.locks, key, "redisson", seen))).toBe(
        "unknown_outcome",
      );
      await waitUntil(() => isFree(apartly, key));
      await hold();
      proxy.mode = "pass";
      await waitUntil(() => far.connection.status === "ready");
      await far.connection.ping();
      expect(await near.direct.mget(counter)).toEqual(["1"]);
      expect(await near.direct.hgetall(key)).toEqual({ [owner]: "1" });
    });
  });

  it("a grant whose reply was lost is withdrawn, including after a wait", async () => {
    await createDistantRedis(async (apartly) => {
      const { near } = apartly;
      const keys = WRITABLE_FORMATS.map(createTestKey);
      const waitedFor = createTestKey();
      near.redis.freeze();
      const acquires = WRITABLE_FORMATS.map((format, n) =>
        measureMs(near.acquire(keys[n] ?? "", "me", { format })),
      );
      const wait = getErrorCode(near.acquire(waitedFor, "me", { waitMs: 1200 }));
      for (const { code, tookMs } of await Promise.all(acquires)) {
        expect(code).toBe("unknown_outcome");
        expect(tookMs).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
      }
      expect(["unknown_outcome", "timeout"]).toContain(await wait);
      near.redis.thaw();
      for (const key of [...keys, waitedFor]) {
        // It did run: late, for nobody.
        await waitUntil(() => isKnown(apartly, key));
        await waitUntil(() => isFree(apartly, key));
      }
    });
  });

  it("withdrawing a lost grant does not affect the same owner's existing hold", async () => {
    await createDistantRedis(async ({ near, far }) => {
      const key = createTestKey();
      const { fence } = await near.acquire(key, "me");
      near.redis.freeze();
      expect(await getErrorCode(far.acquire(key, "me"))).toBe("unknown_outcome");
      near.redis.thaw();
      const verbs = () => countRequests(near, key);
      await waitUntil(async () => (await verbs()).at(-1) === "release");
      expect(await verbs()).toEqual(["acquire", "withdrawn", "release"]);
      expect(await near.locks.verify(key, { owner: "me" })).toMatchObject({ count: 1, fence });
    });
  });

  it("a request that arrives after its grant was withdrawn acquires nothing", async () => {
    await createDistantRedis(async ({ near, proxy }) => {
      const asked = await Promise.all(
        WRITABLE_FORMATS.map(async (format) => {
          const [key, far] = [createTestKey(), await near.openVerbs(proxy.port)];
          // What the same owner holds already is not given back in its place.
          const { fence } = await near.acquire(key, "me", { format });
          return { key, far, fence, format };
        }),
      );
      proxy.mode = "keep_requests";
      const codes = asked.map(({ key, far, format }) => getErrorCode(far.acquire(key, "me", { format })));
      await waitUntil(() => proxy.keptCount === asked.length);
      // The tries that follow do not come through either, the give-back does.
      proxy.targetPort = 1;
      proxy.mode = "pass";
      expect(new Set(await Promise.all(codes))).toEqual(new Set(["unknown_outcome"]));
      proxy.targetPort = near.redis.port;
      for (const { key } of asked) {
        await waitUntil(async () => (await countRequests(near, key)).includes("withdrawn"));
      }
      proxy.deliverKept();
      await waitUntil(() => proxy.keptCount === 0);
      for (const { key, fence } of asked) {
        expect(await near.locks.verify(key, { owner: "me" })).toMatchObject({ count: 1, fence });
      }
    });
  });
});

describe.concurrent("hazard 4: offline command queue", () => {
  it("a call while Redis is down fails at once and is not sent after Redis is back", async () => {
    await createDistantRedis(async ({ near }) => {
      const { connection, redis } = near;
      await redis.kill();
      await waitUntil(() => connection.status !== "ready");
      const key = createTestKey();
      const written = measureMs(connection.set(key, "late"));
      const acquired = measureMs(near.acquire(key, "me"));
      expect((await written).tookMs).toBeLessThan(500);
      expect((await written).code).toContain("isn't writeable");
      expect(await acquired).toMatchObject({ code: "unavailable" });
      expect((await acquired).tookMs).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
      await redis.restart();
      await waitUntil(() => connection.status === "ready");
      expect(await connection.dbsize()).toBe(0);
    });
  });
});

describe.concurrent("hazard 17: flushed scripts", () => {
  it("flushed scripts are reloaded during work without counting a call twice", async () => {
    await createDistantRedis(async ({ near }) => {
      let left = 40;
      const flush = async () => {
        while (left-- > 0) {
          await near.direct.script("FLUSH");
          await sleepMs(2);
        }
      };
      const work = async (format: (typeof WRITABLE_FORMATS)[number]) => {
        const key = createTestKey();
        const { fence } = await near.acquire(key, "me", { format });
        for (let n = 0; n < 40; n++) {
          expect(await near.acquire(key, "me", { format })).toMatchObject({ count: 2, fence });
          expect(await near.locks.release(key, { owner: "me", format })).toMatchObject({ count: 1 });
        }
        const hold = { key, owner: "me", fence, leaseMs: 30_000 };
        const [leftMs] = await LOCK_WRITERS[format].renewMany(near.connection, buildEventChannel(0), [hold]);
        expect(leftMs).toBeGreaterThan(25_000);
      };
      await Promise.all([flush(), ...WRITABLE_FORMATS.map(work)]);
    });
  });

  it("scripts are reloaded after a Redis restart", async () => {
    await createDistantRedis(async ({ near }) => {
      const key = createTestKey();
      const { fence } = await near.acquire(key, "me");
      await near.redis.kill();
      await near.redis.restart();
      const grant = await near.acquire(key, "me", { waitMs: 5000 });
      expect(grant.count).toBe(1);
      expect(Number(grant.fence)).toBeGreaterThan(Number(fence));
    });
  });
});
