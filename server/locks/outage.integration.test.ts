import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addressOf, connect, whenReady } from "../redis/connect.ts";
import { startTestProxy, type TestProxy } from "../testing/proxy.ts";
import { startTestRedis, type TestRedis } from "../testing/redis.ts";
import { until } from "../testing/server.ts";
import { BUDGET_MS } from "./attempt.ts";
import { LockkeeperError } from "./errors.ts";
import { Locks } from "./locks.ts";

let redis: TestRedis;
let direct: Redis;
let proxy: TestProxy;
let connection: Redis;
let wake: Redis;
let locks: Locks;

beforeAll(async () => {
  redis = await startTestRedis();
  direct = redis.client();
  proxy = await startTestProxy(redis.port, seeded(42));
  connection = connect(addressOf(`redis://127.0.0.1:${proxy.port}`), "test");
  wake = connect(addressOf(`redis://127.0.0.1:${proxy.port}`), "wake", { autoResubscribe: false });
  await whenReady(connection, AbortSignal.timeout(5000));
  locks = new Locks(connection, wake, 0, ["lock:*"]);
});

afterEach(() => {
  proxy.mode = "pass";
  proxy.dropShare = 0;
});

afterAll(async () => {
  connection.disconnect();
  wake.disconnect();
  await proxy.stop();
  await redis.stop();
});

const fresh = () => `lock:${randomUUID()}`;
const ask = (owner: string, more = {}) => ({ owner, leaseMs: 30_000, reentrant: true, ...more });

async function timed(promise: Promise<unknown>): Promise<{ code: string; tookMs: number }> {
  const startedAt = performance.now();
  const code = await promise.then(
    () => "ok",
    (error: unknown) => (error instanceof LockkeeperError ? error.code : String(error)),
  );
  return { code, tookMs: performance.now() - startedAt };
}

describe("replies that are lost after Redis has run the script", () => {
  it("count once: 300 pairs of acquire and release, one reply in twenty lost, leave the right counts", async () => {
    proxy.dropShare = 0.05;
    const key = fresh();
    const outer = await locks.acquire(key, ask("me"));
    for (let pair = 0; pair < 300; pair++) {
      const { grant } = await locks.acquire(key, ask("me"));
      expect([grant.count, grant.fence]).toEqual([2, outer.grant.fence]);
      expect(await locks.release(key, { owner: "me" })).toMatchObject({ outcome: "released", count: 1 });
    }
    expect(proxy.dropped).toBeGreaterThan(15);
    expect(await direct.hgetall(key)).toEqual({ me: "1" });
  });

  it("are unknown when none gets through, and what was taken for nobody is given back", async () => {
    proxy.mode = "drop_replies";
    const key = fresh();
    const { code, tookMs } = await timed(locks.acquire(key, ask("me")));
    // Cut connections cannot become ready again through this proxy, so nothing may have been sent at all.
    expect(["unknown_outcome", "unavailable"]).toContain(code);
    expect(tookMs).toBeLessThan(BUDGET_MS + 500);
    proxy.mode = "pass";
    await until(async () => (await direct.exists(key)) === 0);
  });
});

describe("a Redis that is away", () => {
  it("is unknown within the budget when it hangs, and the grant nobody knows of is given back", async () => {
    const key = fresh();
    redis.freeze();
    const { code, tookMs } = await timed(locks.acquire(key, ask("me")));
    redis.thaw();
    expect(code).toBe("unknown_outcome");
    expect(tookMs).toBeLessThan(BUDGET_MS + 500);
    const companion = `lockkeeper:hold:{${key}}`;
    // It did run: late, for nobody.
    await until(async () => (await direct.exists(companion)) === 1);
    await until(async () => (await direct.exists(key)) === 0);
  });

  it("leaves nothing behind of a wait that ended without an answer", async () => {
    const key = fresh();
    redis.freeze();
    const { code } = await timed(locks.acquire(key, ask("me", { waitMs: 1500 })));
    redis.thaw();
    expect(["unknown_outcome", "timeout"]).toContain(code);
    await until(async () => (await direct.exists(`lockkeeper:hold:{${key}}`)) === 1);
    await until(async () => (await direct.exists(key)) === 0);
  });

  it("is unavailable within the budget when it is down, and works again when it is back", async () => {
    await redis.kill();
    // What was sent into a connection that is just breaking is unknown, rightly.
    await until(() => connection.status !== "ready");
    const { code, tookMs } = await timed(locks.acquire(fresh(), ask("me")));
    expect(code).toBe("unavailable");
    expect(tookMs).toBeLessThan(BUDGET_MS + 500);
    await redis.restart();
    expect((await locks.acquire(fresh(), ask("me"))).grant.count).toBe(1);
  });

  it("does not matter when it is back within the budget", async () => {
    await redis.kill();
    const acquired = locks.acquire(fresh(), ask("me"));
    await redis.restart();
    expect((await acquired).grant.count).toBe(1);
  });

  it("hands out a larger fence after a restart without data", async () => {
    const key = fresh();
    const before = (await locks.acquire(key, ask("me"))).grant.fence;
    await redis.kill();
    await redis.restart();
    expect(Number((await locks.acquire(key, ask("me"))).grant.fence)).toBeGreaterThan(Number(before));
  });

  it("refuses clearly and at once when it is full", async () => {
    await direct.config("SET", "maxmemory", "1");
    const { code, tookMs } = await timed(locks.acquire(fresh(), ask("me")));
    await direct.config("SET", "maxmemory", "0");
    expect(code).toBe("unavailable");
    expect(tookMs).toBeLessThan(500);
  });
});

/** mulberry32: the same seed loses the same replies. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
