import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { AcquireResult, ReleaseResult } from "../clients/client.ts";
import { assert, expect } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { GuardedStore, WriteOutcome } from "./guard.ts";

const LEASE_MS = 400;
const STOPPED_FOR_LEASES = 3;
const KEY = "lock:history";
const RESOURCE = "history";
const WHO = "a";

/** Two Lockkeeper worker processes that have opened the guarded store. */
export interface Workers {
  readonly stopped: Peer;
  readonly next: Peer;
}

/**
 * Stops a holder for three leases, while another client acquires the lock and writes. When the stopped holder
 * continues, its signal must report the loss, and the guard must reject its late write.
 */
export async function proveStaleWriterRefused(
  redis: Redis,
  { stopped, next }: Workers,
  store: GuardedStore,
): Promise<string> {
  await store.create(RESOURCE);
  const before = await acquireLock(stopped, 0, LEASE_MS);
  expect("the first write", await writeGuarded(stopped, before, "first"), "written");
  stopped.signal("SIGSTOP");
  const stoppedAt = performance.now();
  const after = await acquireLock(next, 10_000, 60_000);
  assert(Number(after) > Number(before), () => `the fence fell from ${before} to ${after}`);
  expect("the next holder's write", await writeGuarded(next, after, "next"), "written");
  await sleep(Math.max(0, STOPPED_FOR_LEASES * LEASE_MS - (performance.now() - stoppedAt)));
  const holders = await redis.hgetall(KEY);
  stopped.signal("SIGCONT");
  const { events } = await stopped.ask<{ events: readonly string[] }>("assert", [WHO, KEY]);
  expect("what the first one notices, in order", events, ["signal", "lost"]);
  expect("its late write", await writeGuarded(stopped, before, "late"), "refused");
  const late = await stopped.ask<ReleaseResult & { answer: string }>("release", [WHO, KEY]);
  expect("its late release", late.answer, "not_held");
  expect("the next one's hold after that", await redis.hgetall(KEY), holders);
  expect("what is stored", await store.readStored(RESOURCE), { fence: after, value: "next" });
  expect("the next holder's second write", await writeGuarded(next, after, "again"), "written");
  await next.ask("release", [WHO, KEY]);
  return `a holder stopped for ${STOPPED_FOR_LEASES} leases wrote late with ${before} after ${after}: refused`;
}

async function acquireLock(worker: Peer, waitMs: number, leaseMs: number): Promise<string> {
  const { outcome, fence } = await worker.ask<AcquireResult>("take", [WHO, KEY, waitMs, leaseMs], waitMs);
  expect(`${worker.name} takes the lock`, outcome, "granted");
  return fence ?? "";
}

async function writeGuarded(worker: Peer, fence: string, value: string): Promise<WriteOutcome> {
  return (await worker.ask<{ verdict: WriteOutcome }>("write", [RESOURCE, fence, value])).verdict;
}
