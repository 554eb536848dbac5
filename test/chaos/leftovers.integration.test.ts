import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { waitUntil } from "../support/test-server.ts";
import { Journal } from "./history/journal.ts";
import { readHistory } from "./history/read.ts";
import { findLeftovers } from "./leftovers.ts";
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
  expect(await findLeftovers(topology, 10)).toMatchObject([
    { key: "lock:a", why: "nobody is left who has it" },
  ]);
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
