import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { buildFairQueueKeys } from "../../../server/formats/keys.ts";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { contend } from "../contention.ts";
import { FairOrderRecorder } from "../fair-order.ts";
import { assert, computePercentile, expect, formatSummary } from "../figures.ts";
import { acquireLock, LEASE_MS, type PeerClient, releaseLock, WITHIN_MS } from "../hand-offs.ts";
import { startOurs } from "../ours.ts";
import type { Peer } from "../peer.ts";
import type { Client, ClientContext } from "./client.ts";
import { startRedisson } from "./redisson.ts";

const SECONDS = 60;
const THREADS = 4;
const LOOPS = 2;
const ROUNDS = 30;
const FAIR_WAIT_MS = 300_000;
/**
 * Maximum time in ms of a hand-off by message. It is shorter than Lockkeeper's retry interval (1.6 to 2 s), so a longer
 * hand-off means that a message was missed.
 */
const MISSED_MS = 1000;
/** Maximum wait in ms of the Redisson waiter that is killed. */
const SHORT_WAIT_MS = 3000;
const SHORT_LEASE_MS = 4000;
const HEARTBEAT_MS = 6000;

interface Sides {
  readonly redis: Redis;
  readonly theirs: Peer;
  readonly ours: readonly [Peer, Peer];
}

/**
 * Tests a fair lock with Redisson's RFairLock (two instances in one JVM) and two Lockkeeper processes, which share one
 * queue.
 */
export const redissonFairLock: Client = {
  name: "redisson fair lock",
  needs: ["redisson"],
  async run(bench) {
    await withSides(bench, FAIR_WAIT_MS, async (sides) => {
      await proveHandOffs(sides, bench);
      await proveOrder(sides, bench);
      await contendAll(sides, bench);
      bench.timed();
    });
    await withSides(bench, SHORT_WAIT_MS, (sides) => proveDeaths(sides, bench));
  },
};

async function withSides(
  { tools }: ClientContext,
  fairWaitMs: number,
  run: (sides: Sides) => Promise<void>,
): Promise<void> {
  const server = await startTestRedis();
  const stop = addCleanUp(() => server.stop());
  const { url } = server;
  const format = `redisson/fair/${fairWaitMs}` as const;
  const theirs = await startRedisson(tools.redisson, url, fairWaitMs);
  const ours = [await startOurs(url, "ours 1", format), await startOurs(url, "ours 2", format)] as const;
  try {
    await run({ redis: server.createClient(), theirs, ours });
  } finally {
    for (const peer of [theirs, ...ours]) peer.end();
    await stop();
  }
}

/** Measures hand-offs from Redisson to Lockkeeper and vice versa, with a single waiter. */
async function proveHandOffs({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const [theirEnd, ourEnd]: [PeerClient, PeerClient] = [
    { peer: theirs, who: "a" },
    { peer: ours[0], who: "a" },
  ];
  for (const [name, from, to] of [
    ["Redisson to ours", theirEnd, ourEnd],
    ["ours to Redisson", ourEnd, theirEnd],
  ] as const) {
    const tookMs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const key = `lock:fair:${name}:${round}`.replaceAll(" ", "-");
      await acquireLock(from, key, 0);
      const waiting = acquireLock(to, key, LEASE_MS);
      await waitUntilQueued(redis, key, 1);
      const { fromMs } = await releaseLock(from, key);
      tookMs.push((await waiting).atMs - fromMs);
      await releaseLock(to, key);
    }
    bench.note(`${name}: ${ROUNDS} hand-offs, ${formatSummary(tookMs)}`);
    const [p90, most] = [computePercentile(tookMs, 0.9), Math.max(...tookMs)];
    assert(p90 <= WITHIN_MS && most < MISSED_MS, () => `${name}: p90 ${p90} ms, at most ${most} ms`);
  }
}

/** Proves that waiters of both libraries acquire the lock in the order in which they began to wait. */
async function proveOrder({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const key = "lock:fair:order";
  const holder = { peer: ours[0], who: "h" };
  await acquireLock(holder, key, 0);
  const peers = [theirs, ours[0], theirs, ours[1], theirs, ours[0], theirs, ours[1]];
  const served: number[] = [];
  const waiting = peers.map((peer, at) => ({ peer, who: String.fromCharCode(97 + at), at }));
  const ends: Promise<void>[] = [];
  for (const { peer, who, at } of waiting) {
    const client = { peer, who };
    ends.push(
      acquireLock(client, key, LEASE_MS).then(async () => {
        served.push(at);
        await releaseLock(client, key);
      }),
    );
    await waitUntilQueued(redis, key, at + 1);
  }
  await releaseLock(holder, key);
  await Promise.all(ends);
  expect("the order of service", served, [...peers.keys()]);
  expect("what is left of the queue", await redis.exists(buildFairQueueKeys(key).map(String)), 0);
  bench.note(`${peers.length} waiters of both sides in turn were served in the order in which they came`);
}

async function contendAll({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const key = "lock:fair:contended";
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  const recorder = await FairOrderRecorder.start(redis, key);
  const contenders = [{ peer: theirs, loops: THREADS }, ...ours.map((peer) => ({ peer, loops: LOOPS }))];
  const { total, line } = await contend(redis, key, forMs, contenders);
  const { bypasses, grants, handOffsMs } = recorder.stop();
  expect("grants to a client that was not first in the queue", bypasses.slice(0, 3), []);
  expect("grants by MONITOR", grants, total.sections);
  expect("re-entered sections whose count in Redis was not 2 and then 1", total.wrongCounts, 0);
  assert(total.reentries > 0, () => "nothing was re-entered");
  const most = Math.max(...handOffsMs);
  assert(most < MISSED_MS, () => `a waiter was not woken: the hand-off took ${most} ms`);
  expect("what is left of the queue", await redis.exists(buildFairQueueKeys(key).map(String)), 0);
  bench.note(`${forMs / 1000} s of contention: ${line}`);
  const rounded = handOffsMs.map((ms) => Math.round(ms * 100) / 100);
  bench.note(
    `${grants} grants, 0 out of order; ${rounded.length} hand-offs in Redis, ${formatSummary(rounded)}`,
  );
}

/**
 * Proves that a killed waiter delays the others only until it is removed: a Lockkeeper waiter until its heartbeat has
 * passed, and a Redisson waiter until its timeout.
 */
async function proveDeaths({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const holder = { peer: theirs, who: "h" };
  await acquireLock(holder, "lock:fair:ours-dies", 0);
  const ended = waitUntilItEnds(ours[1], "lock:fair:ours-dies");
  await waitUntilQueued(redis, "lock:fair:ours-dies", 1);
  const behind = { peer: ours[0], who: "a" };
  const next = acquireLock(behind, "lock:fair:ours-dies", LEASE_MS);
  await waitUntilQueued(redis, "lock:fair:ours-dies", 2);
  ours[1].signal("SIGKILL");
  await ended;
  const { fromMs } = await releaseLock(holder, "lock:fair:ours-dies");
  const ourCost = (await next).atMs - fromMs;
  assert(ourCost < HEARTBEAT_MS + 2500, () => `a dead waiter of ours cost ${ourCost} ms`);
  bench.note(`a waiter of ours was killed: the next one had the lock ${ourCost} ms after the release`);

  const key = "lock:fair:theirs-dies";
  const ourHolder = { peer: ours[0], who: "h" };
  await acquireLock(ourHolder, key, 0, SHORT_LEASE_MS);
  const joinedMs = Date.now();
  // tryLock of Redisson uses its wait time as the fair wait time.
  const theirEnd = waitUntilItEnds(theirs, key, SHORT_WAIT_MS);
  await waitUntilQueued(redis, key, 1);
  const last = acquireLock({ peer: ours[0], who: "b" }, key, LEASE_MS);
  await waitUntilQueued(redis, key, 2);
  theirs.signal("SIGKILL");
  await theirEnd;
  await releaseLock(ourHolder, key);
  const theirCost = (await last).atMs - joinedMs;
  const timeoutMs = SHORT_LEASE_MS + SHORT_WAIT_MS;
  assert(theirCost < timeoutMs + 2500, () => `a dead waiter of Redisson cost ${theirCost} ms`);
  bench.note(`a JVM was killed while it waited: the next one had the lock ${theirCost} ms after it joined`);
}

/** Makes a peer wait for a lock and resolves when the process of the peer has exited or the wait has ended. */
function waitUntilItEnds(peer: Peer, key: string, waitMs = LEASE_MS): Promise<unknown> {
  return peer.ask("take", ["a", key, waitMs, LEASE_MS], waitMs).catch(() => undefined);
}

async function waitUntilQueued(redis: Redis, key: string, count: number): Promise<void> {
  const [queue] = buildFairQueueKeys(key);
  const until = performance.now() + 5000;
  while ((await redis.llen(String(queue))) < count) {
    assert(performance.now() < until, () => `the queue of ${key} did not reach ${count}`);
    await sleep(2);
  }
  // A waiter retries once after it has subscribed, and then sleeps.
  await sleep(25 + Math.random() * 20);
}
