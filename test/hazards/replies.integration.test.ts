import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { buildCompanionKey, buildEventChannel } from "../../server/formats/keys.ts";
import { LOCK_WRITERS } from "../../server/formats/lock-writer.ts";
import { ATTEMPT_BUDGET_MS } from "../../server/locks/verbs/attempt.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import {
  createTestKey,
  getErrorCode,
  measureMs,
  sleepMs,
  startTestLocks,
  type TestLocks,
  WRITABLE_FORMATS,
} from "../support/test-locks.ts";
import { startTestProxy } from "../support/test-proxy.ts";
import { waitUntil } from "../support/test-server.ts";

const it = test
  .extend("near", async ({}, { onCleanup }) => {
    const near = await startTestLocks();
    onCleanup(() => near.stop());
    return near;
  })
  .extend("proxy", async ({ near }, { onCleanup }) => {
    const proxy = await startTestProxy(near.redis.port);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  // Verbs that connect to Redis through the proxy.
  .extend("far", ({ near, proxy }) => near.openVerbs(proxy.port))
  .extend("key", () => createTestKey());

const isFree = async ({ direct }: TestLocks, key: string) => (await direct.exists(key)) === 0;
const isKnown = async ({ direct }: TestLocks, key: string) =>
  (await direct.exists(String(buildCompanionKey(key)))) === 1;

/** Lists the verbs of the requests that are stored in the lock's companion, oldest first. */
async function countRequests({ direct }: TestLocks, key: string): Promise<(string | undefined)[]> {
  const companion = (await direct.get(String(buildCompanionKey(key)))) ?? "";
  return [...companion.matchAll(/^[^\t\n]+\t(\w+)\t/gm)].map(([, verb]) => verb);
}

// The tests spend most of their time waiting for missing replies, so they run in parallel.
describe.concurrent("hazard 3: lost replies", () => {
  it.for(WRITABLE_FORMATS)(
    "%s: each verb is carried out once even when its reply is lost",
    async (format, { far, proxy, near, key }) => {
      const lost = async <Reply>(verb: () => Promise<Reply>): Promise<Reply> => {
        const before = proxy.droppedCount;
        proxy.mode = "drop_replies";
        const reply = verb();
        await waitUntil(() => proxy.droppedCount > before);
        proxy.mode = "pass";
        return await reply;
      };
      const outer = await lost(() => far.acquire(key, "me", { format }));
      const { token, fence } = outer;
      const again = await lost(() => far.locks.reenter(outer));
      expect(again).toMatchObject({ count: 2, token, fence });
      const renewed = await lost(() => far.locks.renew(outer, { leaseMs: 60_000 }));
      expect(renewed).toMatchObject({ count: 2, token, fence });
      const inner = await lost(() => far.locks.release(outer, { requestId: "inner" }));
      expect(inner).toMatchObject({ outcome: "still_held", count: 1 });
      expect(await far.locks.verify(outer)).toMatchObject({ held: true, count: 1 });
      const last = await lost(() => far.locks.release(outer));
      expect(last).toMatchObject({ outcome: "released", count: 0 });
      expect(await isFree(near, key)).toBe(true);
    },
  );

  it("the connection never resends a command, so a force-release cannot end a second hold", async ({
    near,
    proxy,
    far,
  }) => {
    const [key, counter] = [createTestKey(), createTestKey()];
    const token = `${randomUUID()}:1`;
    const hold = () => near.direct.multi().hset(key, token, 1).pexpire(key, 30_000).exec();
    await hold();
    // Loads the script first. Otherwise, the dropped reply would be the NOSCRIPT error.
    await forceReleaseByOwner(near.locks, createTestKey(), "redisson", {
      token,
      fence: null,
      by: "mei",
      reason: "",
    });
    proxy.mode = "drop_replies";
    const counted = measureMs(far.connection.incr(counter));
    expect((await counted).ms).toBeLessThan(800);
    expect((await counted).code).not.toBe("ok");
    proxy.mode = "pass";
    await waitUntil(() => far.connection.status === "ready");
    proxy.mode = "drop_replies";
    const seen = { token, fence: null, by: "mei", reason: "stuck" };
    expect(await getErrorCode(forceReleaseByOwner(far.locks, key, "redisson", seen))).toBe("unknown_outcome");
    await waitUntil(() => isFree(near, key));
    await hold();
    proxy.mode = "pass";
    await waitUntil(() => far.connection.status === "ready");
    await far.connection.ping();
    expect(await near.direct.mget(counter)).toEqual(["1"]);
    expect(await near.direct.hgetall(key)).toEqual({ [token]: "1" });
  });

  it("a grant whose reply was lost is withdrawn, including after a wait", async ({ near }) => {
    const keys = WRITABLE_FORMATS.map(() => createTestKey());
    const waitedFor = createTestKey();
    near.redis.freeze();
    const acquires = WRITABLE_FORMATS.map((format, n) =>
      measureMs(near.acquire(keys[n] ?? "", "me", { format })),
    );
    const wait = getErrorCode(near.acquire(waitedFor, "me", { waitMs: 1200 }));
    for (const { code, ms } of await Promise.all(acquires)) {
      expect(code).toBe("unknown_outcome");
      expect(ms).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
    }
    expect(["unknown_outcome", "timeout"]).toContain(await wait);
    near.redis.thaw();
    for (const key of [...keys, waitedFor]) {
      // The acquire was executed late, after its caller had given up.
      await waitUntil(() => isKnown(near, key));
      await waitUntil(() => isFree(near, key));
    }
  });

  it("withdrawing a lost grant does not affect the same owner's existing hold", async ({
    near,
    far,
    key,
  }) => {
    const hold = await near.acquire(key, "me");
    near.redis.freeze();
    expect(await getErrorCode(far.acquire(key, "me"))).toBe("unknown_outcome");
    near.redis.thaw();
    const verbs = () => countRequests(near, key);
    await waitUntil(async () => (await verbs()).includes("withdrawn"));
    expect(await verbs()).toEqual(["acquire", "withdrawn"]);
    expect(await near.locks.verify(hold)).toMatchObject({ held: true, count: 1 });
  });

  it("a request that arrives after its grant was withdrawn acquires nothing", async ({ near, proxy }) => {
    const asked = await Promise.all(
      WRITABLE_FORMATS.map(async (format) => {
        const [key, far] = [createTestKey(), await near.openVerbs(proxy.port)];
        // The withdrawal must not release this existing hold of the same owner.
        const hold = await near.acquire(key, "me", { format });
        return { key, far, hold, format };
      }),
    );
    proxy.mode = "keep_requests";
    const codes = asked.map(({ key, far, format }) => getErrorCode(far.acquire(key, "me", { format })));
    await waitUntil(() => proxy.keptCount === asked.length);
    // The next attempts also fail, but the withdrawal succeeds later.
    proxy.targetPort = 1;
    proxy.mode = "pass";
    expect(new Set(await Promise.all(codes))).toEqual(new Set(["unknown_outcome"]));
    proxy.targetPort = near.redis.port;
    for (const { key } of asked) {
      await waitUntil(async () => (await countRequests(near, key)).includes("withdrawn"));
    }
    proxy.deliverKept();
    await waitUntil(() => proxy.keptCount === 0);
    for (const { key, hold } of asked) {
      expect(await near.locks.verify(hold)).toMatchObject({ held: true, count: 1 });
      await near.locks.release(hold);
      expect(await isFree(near, key)).toBe(true);
    }
  });
});

describe.concurrent("hazard 4: offline command queue", () => {
  it("a call while Redis is down fails at once and is not sent after Redis is back", async ({
    near,
    key,
  }) => {
    const { connection, redis } = near;
    await redis.kill();
    await waitUntil(() => connection.status !== "ready");
    const written = measureMs(connection.set(key, "late"));
    const acquired = measureMs(near.acquire(key, "me"));
    expect((await written).ms).toBeLessThan(500);
    expect((await written).code).toContain("isn't writeable");
    expect(await acquired).toMatchObject({ code: "unavailable" });
    expect((await acquired).ms).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
    await redis.restart();
    await waitUntil(() => connection.status === "ready");
    expect(await connection.dbsize()).toBe(0);
  });
});

describe.concurrent("hazard 17: flushed scripts", () => {
  it("flushed scripts are reloaded during work without counting a call twice", async ({ near }) => {
    let left = 40;
    const flush = async () => {
      while (left-- > 0) {
        await near.direct.script("FLUSH");
        await sleepMs(2);
      }
    };
    const work = async (format: (typeof WRITABLE_FORMATS)[number]) => {
      const key = createTestKey();
      const hold = await near.acquire(key, "me", { format });
      for (let n = 0; n < 40; n++) {
        expect(await near.locks.reenter(hold)).toMatchObject({ count: 2, token: hold.token });
        expect(await near.locks.release(hold, { requestId: `r${n}` })).toMatchObject({ count: 1 });
      }
      const [leftMs] = await LOCK_WRITERS[format].renewMany(near.connection, buildEventChannel(0), [hold]);
      expect(leftMs).toBeGreaterThan(25_000);
    };
    await Promise.all([flush(), ...WRITABLE_FORMATS.map(work)]);
  });

  it("scripts are reloaded after a Redis restart", async ({ near, key }) => {
    const { fence } = await near.acquire(key, "me");
    await near.redis.kill();
    await near.redis.restart();
    const grant = await near.acquire(key, "me", { waitMs: 5000 });
    expect(grant.count).toBe(1);
    expect(Number(grant.fence)).toBeGreaterThan(Number(fence));
  });
});
