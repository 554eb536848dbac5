import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { buildWakeChannel } from "../../server/formats/keys.ts";
import type { AcquireResult, ReleaseResult } from "./clients/client.ts";
import { assert, computePercentile, expect, formatSummary } from "./figures.ts";
import type { Peer } from "./peer.ts";

/** Lease in ms, longer than every retry interval, so that a hand-off without a wake-up takes seconds. */
export const LEASE_MS = 30_000;
export const WITHIN_MS = 50;
/**
 * Minimum share of hand-offs within `WITHIN_MS`. It is less than 1, because other processes use the machine as well.
 */
const SHARE = 0.9;
/**
 * Maximum time of a hand-off in ms. It is shorter than Lockkeeper's retry interval (1.6 to 2 s) and far shorter than
 * the lease, so a longer hand-off means that a wake-up was missed.
 */
const MISSED_MS = 1000;
const EACH = 40;
/** Maximum number of batches. A batch that is too slow is repeated, because other load may have disturbed it. */
const BATCHES = 5;

export interface PeerClient {
  readonly peer: Peer;
  readonly who: string;
}

/**
 * Measures hand-offs: one client holds a lock and releases it, and another client waits for it.
 *
 * @returns a line with the measurements
 * @throws if a hand-off took a second or longer, or if fewer than 90 % were completed within 50 ms in each of five
 * batches
 */
export async function measureHandOffs(
  redis: Redis,
  from: PeerClient,
  to: PeerClient,
  name: string,
): Promise<string> {
  for (let batch = 1; ; batch++) {
    const tookMs: number[] = [];
    for (let n = 0; n < EACH; n++) {
      const key = `lock:hand-off:${name}:${batch}:${n}`.replaceAll(" ", "-");
      const took = await measureHandOff(redis, key, from, to);
      assert(took < MISSED_MS, () => `${name}: a wake-up was missed, the hand-off took ${took} ms`);
      tookMs.push(took);
    }
    const line = `${name}: ${EACH} hand-offs, ${formatSummary(tookMs)}`;
    if (computePercentile(tookMs, SHARE) <= WITHIN_MS) return line;
    assert(batch < BATCHES, () => `less than 90 % were handed over within ${WITHIN_MS} ms: ${line}`);
  }
}

async function measureHandOff(redis: Redis, key: string, from: PeerClient, to: PeerClient): Promise<number> {
  await acquireLock(from, key, 0);
  const waiting = acquireLock(to, key, LEASE_MS);
  await waitUntilWaiting(redis, key);
  const { fromMs } = await releaseLock(from, key);
  const { atMs } = await waiting;
  await releaseLock(to, key);
  return atMs - fromMs;
}

/** Waits until a client has subscribed to the wake-up channel of a lock and has had time to retry once. */
export async function waitUntilWaiting(redis: Redis, key: string): Promise<void> {
  const channel = String(buildWakeChannel(key));
  const until = performance.now() + 5000;
  for (;;) {
    const [, listeners] = (await redis.pubsub("NUMSUB", channel)) as [string, number];
    if (Number(listeners) > 0) break;
    assert(performance.now() < until, () => `nobody came to wait for ${key}`);
    await sleep(2);
  }
  await sleep(25 + Math.random() * 20);
}

export async function acquireLock(
  { peer, who }: PeerClient,
  key: string,
  waitMs: number,
  leaseMs = LEASE_MS,
): Promise<AcquireResult> {
  const taken = await peer.ask<AcquireResult>("take", [who, key, waitMs, leaseMs], waitMs);
  expect(`${peer.name} takes ${key}`, taken.outcome, "granted");
  return taken;
}

export async function releaseLock({ peer, who }: PeerClient, key: string): Promise<ReleaseResult> {
  const released = await peer.ask<ReleaseResult>("release", [who, key]);
  expect(`${peer.name} releases ${key}`, released.outcome, "released");
  return released;
}
