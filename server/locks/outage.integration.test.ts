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
});

describe("a Redis that is away", () => {
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
