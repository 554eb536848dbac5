/**
 * A peer that uses semaphores and latches of Lockkeeper's Node.js library.
 *
 * Usage: `shared-objects.ts <url> [semaphore|plain_semaphore]`
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { LockkeeperError } from "../../../server/errors/lockkeeper-error.ts";
import type { Hold } from "../../../server/locks/client/hold.ts";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import { serveVerbs } from "./serve.ts";

const LEASE_MS = 30_000;
const PAUSE_MS = 4;

const [url = "", kindName] = process.argv.slice(2);
const kind = kindName === "plain_semaphore" ? kindName : "semaphore";
const client = await LockClient.open(url);
const redis = new Redis(url);
const holds = new Map<string, Hold>();

interface Tally {
  sections: number;
  overlaps: number;
  longestWaitMs: number;
}

/**
 * Repeatedly acquires one or two permits until `until`, and counts sections in which more than `limit` permits were
 * acquired.
 */
async function contendOnce(key: string, limit: number, until: number, tally: Tally): Promise<void> {
  for (let turn = 0; performance.now() < until; turn++) {
    const permits = 1 + (turn % 2);
    const askedAt = performance.now();
    const hold = await client.acquire(key, {
      ...{ kind, permits, limit, leaseMs: LEASE_MS, waitMs: LEASE_MS },
    });
    tally.longestWaitMs = Math.max(tally.longestWaitMs, Math.round(performance.now() - askedAt));
    if ((await redis.incrby(`out:${key}`, permits)) > limit) tally.overlaps++;
    await sleep(Math.random() * PAUSE_MS);
    await redis.decrby(`out:${key}`, permits);
    const { outcome } = await hold.release();
    if (outcome !== "released") throw new Error(`the release answered ${outcome}`);
    tally.sections++;
  }
}

serveVerbs({
  async contend(key = "", limit, forMs, loops) {
    const tally: Tally = { sections: 0, overlaps: 0, longestWaitMs: 0 };
    const until = performance.now() + Number(forMs);
    await Promise.all(
      Array.from({ length: Number(loops) }, () => contendOnce(key, Number(limit), until, tally)),
    );
    return tally;
  },

  /** Runs pairs of acquire and release one after the other, on a semaphore that no other client uses. */
  async pairs(key = "", count) {
    const from = performance.now();
    for (let n = 0; n < Number(count); n++)
      await (await client.acquire(key, { kind, leaseMs: LEASE_MS })).release();
    return { perSecond: Math.round((Number(count) * 1000) / (performance.now() - from)) };
  },

  async prepare(key = "", limit) {
    if (kind === "semaphore") return await client.setLimit(key, Number(limit));
    return await (await client.acquire(key, { kind, limit: Number(limit) })).release();
  },

  async take(key = "", waitMs, leaseMs) {
    try {
      const waiting = { waitMs: Number(waitMs), leaseMs: Number(leaseMs), renew: false };
      holds.set(key, await client.acquire(key, { kind, ...waiting }));
      return { outcome: "granted", atMs: Date.now() };
    } catch (error) {
      const isRefusal = error instanceof LockkeeperError && ["held", "timeout"].includes(error.code);
      if (!isRefusal) throw error;
      return { outcome: "refused", atMs: Date.now() };
    }
  },

  /** Acquires one permit and renews it until this process is killed. */
  async keep(key = "", leaseMs) {
    const { token } = await client.acquire(key, { kind, waitMs: LEASE_MS, leaseMs: Number(leaseMs) });
    return { token };
  },

  async release(key = "") {
    const fromMs = Date.now();
    return { outcome: (await holds.get(key)?.release())?.outcome, fromMs };
  },

  async set_count(key = "", count) {
    return { isSet: await client.latch(key).trySetCount(Number(count)) };
  },

  async count_down(key = "") {
    const fromMs = Date.now();
    await client.latch(key).countDown();
    return { fromMs };
  },

  async await(key = "", waitMs) {
    await client.latch(key).await({ waitMs: Number(waitMs) });
    return { isOpen: true, atMs: Date.now() };
  },
});
