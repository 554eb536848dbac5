import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { EVENT_CHANNEL, forceReleaseObserved, observeHeldLock } from "../../support/observed-lock.ts";
import { startTestRedis, type TestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { assert, computePercentile, expect, formatSummary } from "../figures.ts";
import { startOurs } from "../ours.ts";
import type { Peer } from "../peer.ts";
import type { AcquireResult, Client, ClientContext } from "./client.ts";
import { WAKE_UP_LIBRARIES, type WakeUpLibrary } from "./wake-up-libraries.ts";

const ROUNDS = 15;
const LEASE_MS = 30_000;
/** Maximum time in ms that a waiter of the other library sleeps. */
const WAIT_MS = 3000;
/**
 * Minimum time in ms after which a waiter sleeps or polls. It is longer than the longest interval of a polling library.
 */
const SETTLE_MS = 150;
/**
 * Maximum median of a wake-up in ms. It is far shorter than the sleep of a waiter and longer than every polling
 * interval.
 */
const WOKEN_MS = 1000;

/** Combinations of the client that ends the hold and the client that waits. */
const DIRECTIONS = [
  "their release to our waiter",
  "our release to their waiter",
  "our force-release to their waiter",
] as const;
type Direction = (typeof DIRECTIONS)[number];

interface Sides {
  readonly server: TestRedis;
  readonly library: WakeUpLibrary;
  readonly theirs: Peer;
  readonly ours: Peer;
}

/** Measures, for each library, the time from a release until a waiter of the other library acquires the lock. */
export const wakeUpClients: readonly Client[] = WAKE_UP_LIBRARIES.map((library) => ({
  name: `wake-ups of ${library.name}`,
  needs: [library.needs],
  run: async (bench) => {
    for (const [direction, tookMs] of await measureWakeUps(library, bench, ROUNDS)) {
      bench.note(`${direction}: ${tookMs.length} rounds, ${formatSummary(tookMs)}`);
      const p50 = computePercentile(tookMs, 0.5);
      assert(p50 < WOKEN_MS, () => `${direction}: p50 ${p50} ms, so nobody was woken`);
    }
  },
}));

/**
 * Measures wake-ups in each direction.
 *
 * @returns the duration of each round in ms, by direction. A wait that timed out counts with its whole duration
 */
export async function measureWakeUps(
  library: WakeUpLibrary,
  { tools }: Pick<ClientContext, "tools">,
  rounds: number,
): Promise<ReadonlyMap<Direction, number[]>> {
  const server = await startTestRedis();
  const stop = addCleanUp(() => server.stop());
  const theirs = await library.start(tools, server.url);
  const ours = await startOurs(server.url, "ours", "token", library.signal);
  try {
    const sides = { server, library, theirs, ours };
    const found = new Map<Direction, number[]>();
    for (const direction of DIRECTIONS) found.set(direction, await measureRounds(sides, direction, rounds));
    return found;
  } finally {
    for (const peer of [theirs, ours]) peer.end();
    await stop();
  }
}

async function measureRounds(sides: Sides, direction: Direction, rounds: number): Promise<number[]> {
  const tookMs: number[] = [];
  const redis = sides.server.createClient();
  for (let round = 0; round < rounds; round++) {
    const key = `lock:${direction.replaceAll(" ", "-")}:${round}`;
    const isOurWaiter = direction === "their release to our waiter";
    const [take, wait] = isOurWaiter ? [takeTheirs, takeOurs] : [takeOurs, takeTheirs];
    expect(`who holds ${key} first`, (await take(sides, key, 0)).outcome, "granted");
    const waiting = wait(sides, key, WAIT_MS);
    await sleep(SETTLE_MS + Math.random() * SETTLE_MS);
    const until = performance.now() + WAIT_MS / 2;
    while (!isOurWaiter && !(await isAsleep(sides, redis)) && performance.now() < until) await sleep(5);
    const fromMs = Date.now();
    if (isOurWaiter) await sides.library.release(sides.theirs, key);
    else if (direction === "our release to their waiter") await sides.ours.ask("release", ["a", key]);
    else await forceReleaseObserved(redis, EVENT_CHANNEL, await observeHeldLock(redis, key));
    tookMs.push((await waiting).atMs - fromMs);
    await redis.del(key);
  }
  redis.disconnect();
  return tookMs;
}

/** Whether the waiter of the library sleeps until it gets a signal. Always true for a library that polls. */
async function isAsleep({ library }: Sides, redis: Redis): Promise<boolean> {
  if (library.signal === undefined) return true;
  if (library.signal === "spring") return Number(await redis.pubsub("NUMPAT")) > 0;
  return String(await redis.client("LIST")).includes("cmd=blpop");
}

const takeOurs = ({ ours }: Sides, key: string, waitMs: number) =>
  ours.ask<AcquireResult>("take", ["a", key, waitMs, LEASE_MS], waitMs);

const takeTheirs = ({ library, theirs }: Sides, key: string, waitMs: number) =>
  library.acquire(theirs, key, waitMs, waitMs === 0 ? LEASE_MS : WAIT_MS);
