import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/test-server.ts";
import { watchForEndless } from "./endless.ts";
import { Journal } from "./history/journal.ts";
import { readHistory } from "./history/read.ts";
import { leftovers } from "./leftovers.ts";
import { Topology } from "./servers/topology.ts";

let topology: Topology;

beforeAll(async () => {
  topology = await Topology.start("single");
});

afterEach(async () => {
  await topology.direct(0).flushall();
});

afterAll(() => topology.stop());

it("the companion key of a lock is not a leftover", async () => {
  await topology.direct(0).set("lockkeeper:hold:{lock:a}", "x", "PX", 60_000);
  expect(await leftovers(topology, 10)).toEqual([]);
});

it("a lock is a leftover only if its lease outlasts the wait", async () => {
  await topology.direct(0).set("lock:a", "x", "PX", 300);
  expect(await leftovers(topology, 300)).toEqual([]);
  await topology.direct(0).set("lock:a", "x", "PX", 60_000);
  expect(await leftovers(topology, 10)).toMatchObject([{ key: "lock:a", why: "nobody is left who has it" }]);
});

it("a waiter list is a leftover only if it outlives the longest wait", async () => {
  await topology.direct(0).set("lockkeeper:waiters:{lock:a}", "x", "PX", 7000);
  expect(await leftovers(topology, 10)).toEqual([]);
  await topology.direct(0).set("lockkeeper:waiters:{lock:a}", "x", "PX", 60_000);
  expect(await leftovers(topology, 10)).toMatchObject([{ key: "lockkeeper:waiters:{lock:a}" }]);
});

it("the keys of an API server are not leftovers", async () => {
  await topology.direct(0).mset("{lockkeeper}:home", "x", "lockkeeper:canary", "x");
  expect(await leftovers(topology, 10)).toEqual([]);
});

it("a key without TTL is a leftover at once", async () => {
  await topology.direct(0).set("lockkeeper:hold:{lock:a}", "x");
  expect(await leftovers(topology, 60_000)).toMatchObject([{ why: "without an end" }]);
});

it("a lock without TTL is detected while it exists", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lockkeeper-chaos-"));
  const stop = new AbortController();
  const journal = new Journal(join(folder, "harness.jsonl"), String(process.hrtime.bigint()), "harness");
  const watched = watchForEndless(topology, ["lock:a", "lock:b"], journal, stop.signal);
  try {
    await topology.direct(0).set("lock:a", "x", "PX", 60_000);
    await topology.direct(0).set("lock:b", "x");
    await waitUntil(() => readHistory(folder).length > 0);
    for (const { op, lock } of readHistory(folder)) expect([op, lock]).toEqual(["endless", "lock:b"]);
  } finally {
    stop.abort();
    await watched;
    rmSync(folder, { recursive: true });
  }
});
