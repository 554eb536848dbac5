import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { waitUntil } from "../support/test-server.ts";
import { Journal } from "./history/journal.ts";
import { readHistory } from "./history/read.ts";
import { findLeftovers } from "./leftovers.ts";
import type { KindUnderTest } from "./locks-under-test.ts";
import { watchForMissingTtl } from "./missing-ttl.ts";
import { topologyTest } from "./servers/topology-test.ts";

const it = topologyTest();

it("the companion key of a lock is not a leftover", async ({ topology, redis }) => {
  await redis.set("lockkeeper:hold:{lock:a}", "x", "PX", 60_000);
  expect(await findLeftovers(topology, 10)).toEqual([]);
});

it("a lock is a leftover only if its lease outlasts the wait", async ({ topology, redis }) => {
  await redis.set("lock:a", "x", "PX", 300);
  expect(await findLeftovers(topology, 300)).toEqual([]);
  await redis.set("lock:a", "x", "PX", 60_000);
  expect(await findLeftovers(topology, 10)).toMatchObject([{ key: "lock:a", why: "no process holds it" }]);
});

it("a waiter list is a leftover only if it outlives the longest wait", async ({ topology, redis }) => {
  await redis.set("lockkeeper:waiters:{lock:a}", "x", "PX", 7000);
  expect(await findLeftovers(topology, 10)).toEqual([]);
  await redis.set("lockkeeper:waiters:{lock:a}", "x", "PX", 60_000);
  expect(await findLeftovers(topology, 10)).toMatchObject([{ key: "lockkeeper:waiters:{lock:a}" }]);
});

it("the keys of an API server are not leftovers", async ({ topology, redis }) => {
  await redis.mset("{lockkeeper}:home", "x", "lockkeeper:canary", "x");
  expect(await findLeftovers(topology, 10)).toEqual([]);
});

it("a key without TTL is a leftover at once", async ({ topology, redis }) => {
  await redis.set("lockkeeper:hold:{lock:a}", "x");
  expect(await findLeftovers(topology, 60_000)).toMatchObject([{ why: "without an end" }]);
});

it("a lock without TTL is detected while it exists", async ({ topology, redis }) => {
  const folder = mkdtempSync(join(tmpdir(), "lockkeeper-chaos-"));
  const stop = new AbortController();
  const journal = new Journal(join(folder, "harness.jsonl"), String(process.hrtime.bigint()), "harness");
  const locks = ["lock:a", "lock:b"].map((key) => ({ key, kind: "lock" as const }));
  const watched = watchForMissingTtl(topology, locks, journal, stop.signal);
  try {
    await redis.set("lock:a", "x", "PX", 60_000);
    await redis.set("lock:b", "x");
    await waitUntil(() => readHistory(folder).length > 0);
    for (const { op, lock } of readHistory(folder)) expect([op, lock]).toEqual(["endless", "lock:b"]);
  } finally {
    stop.abort();
    await watched;
    rmSync(folder, { recursive: true });
  }
});

const kindOf = (kind: KindUnderTest) => [{ key: "lock:a", kind }];

it("a semaphore is a leftover if permits are missing or outlast the longest lease", async ({
  topology,
  redis,
}) => {
  const [now = 0] = (await redis.time()).map(Number);
  await redis.set("lock:a", 3);
  await redis.zadd("{lock:a}:timeout", now * 1000, "p1", now * 1000, "p2");
  expect(await findLeftovers(topology, 10, kindOf("semaphore"))).toEqual([]);
  await redis.zadd("{lock:a}:timeout", (now + 60) * 1000, "p2");
  expect(await findLeftovers(topology, 10, kindOf("semaphore"))).toMatchObject([
    { why: "1 permits outlast the longest lease" },
  ]);
  await redis.zrem("{lock:a}:timeout", "p2");
  expect(await findLeftovers(topology, 10, kindOf("semaphore"))).toMatchObject([
    { key: "lock:a", why: "4 of 5 permits: 3 available, 1 acquired" },
  ]);
});

it("a plain semaphore is a leftover if permits were lost with a dead holder", async ({ topology, redis }) => {
  const [now = 0] = (await redis.time()).map(Number);
  await redis.set("lock:a", 3);
  await redis.zadd("lockkeeper:permits:{lock:a}", now * 1000, "p1", now * 1000, "p2");
  expect(await findLeftovers(topology, 10, kindOf("plain-semaphore"))).toEqual([]);
  await redis.del("lockkeeper:permits:{lock:a}");
  expect(await findLeftovers(topology, 10, kindOf("plain-semaphore"))).toMatchObject([
    { key: "lock:a", why: "3 of 5 permits: 3 available, 0 acquired" },
  ]);
});

it("a waiter of a fair lock is a leftover only if nothing ends it", async ({ topology, redis }) => {
  const [now = 0] = (await redis.time()).map(Number);
  await redis.rpush("redisson_lock_queue:{lock:a}", "w1");
  await redis.zadd("lockkeeper:fair:{lock:a}", (now + 5) * 1000, "w1");
  expect(await findLeftovers(topology, 10, kindOf("fair"))).toEqual([]);
  await redis.rpush("redisson_lock_queue:{lock:a}", "w2");
  expect(await findLeftovers(topology, 10, kindOf("fair"))).toMatchObject([
    { why: "waiters in its queue that nothing ends: w2" },
  ]);
});

it("a waiter for a condition is a leftover only if nothing ends it", async ({ topology, redis }) => {
  const [now = 0] = (await redis.time()).map(Number);
  const [places, records, beats] = ["", ":waiters", ":heartbeats"].map(
    (name) => `lockkeeper:conditions${name}:{lock:a}`,
  ) as [string, string, string];
  await redis.zadd(places, 0, "c\t1\tw1");
  await redis.hset(records, "w1", "x", "w2", "x");
  await redis.zadd(beats, (now + 5) * 1000, "w1", (-now - 100) * 1000, "w2");
  expect(await findLeftovers(topology, 10, kindOf("condition"))).toEqual([
    expect.objectContaining({ why: "without an end" }),
    expect.objectContaining({ why: "without an end" }),
    expect.objectContaining({ why: "without an end" }),
  ]);
  for (const key of [places, records, beats]) await redis.pexpire(key, 600_000);
  expect(await findLeftovers(topology, 10, kindOf("condition"))).toEqual([]);
  await redis.zrem(beats, "w1");
  expect(await findLeftovers(topology, 10, kindOf("condition"))).toMatchObject([
    { why: "waiters of its conditions that nothing ends: w1" },
  ]);
  await redis.hdel(records, "w1");
  expect(await findLeftovers(topology, 10, kindOf("condition"))).toMatchObject([
    { why: expect.stringContaining("without a waiter") },
  ]);
});

it("a closed latch is not a leftover", async ({ topology, redis }) => {
  await redis.set("lock:a", 2);
  expect(await findLeftovers(topology, 10, kindOf("latch"))).toEqual([]);
  expect(await findLeftovers(topology, 10)).toMatchObject([{ why: "without an end" }]);
});
