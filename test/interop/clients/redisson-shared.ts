import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import type { SemaphoreKind } from "../../../lib/contract/format.ts";
import { buildPlainPermitsKey } from "../../../server/formats/keys.ts";
import { computePermitIds } from "../../../server/formats/redisson/permit-ids.ts";
import { buildLatchChannel, buildSemaphoreChannel } from "../../../server/formats/redisson/redisson-keys.ts";
import type { RedisArgument } from "../../../server/redis/commands.ts";
import { readSemaphore } from "../../support/read-semaphore.ts";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { assert, expect, formatSummary } from "../figures.ts";
import { Peer } from "../peer.ts";
import type { AcquireResult, Client, ClientContext, ReleaseResult } from "./client.ts";

const SECONDS = 60;
const LIMIT = 5;
const LOOPS = 4;
const WAIT_MS = 20_000;
/**
 * Maximum time in ms of a hand-off by message. It is shorter than the interval at which Lockkeeper's waiters retry
 * without a message.
 */
const MISSED_MS = 1000;
const HAND_OFFS = 30;
const LEAKED_MS = 700;
const PAIRS = 2000;
/** Lease in ms of a worker that is killed. */
const KEPT_MS = 2000;
/**
 * Maximum time in ms until the permits of a dead holder are returned. It is longer than the interval at which a
 * Lockkeeper process returns them.
 */
const RETURN_MS = 6000;

interface Sides {
  readonly kind: SemaphoreKind;
  readonly startOurs: (name: string) => Promise<Peer>;
  readonly redis: Redis;
  readonly theirs: readonly [Peer, Peer];
  readonly ours: readonly [Peer, Peer];
  readonly all: readonly Peer[];
}

type Proof = (sides: Sides, bench: ClientContext) => Promise<void>;

/** Creates a test with two Redisson JVMs and two Lockkeeper processes. */
function createClient(name: string, prove: Proof, kind: SemaphoreKind = "semaphore"): Client {
  return {
    name,
    needs: ["redisson"],
    async run(bench) {
      const server = await startTestRedis();
      const stop = addCleanUp(() => server.stop());
      const { java, classpath } = bench.tools.redisson;
      const startTheirs = (peer: string) =>
        Peer.start(peer, java, ["-Xmx128m", "-cp", classpath, "SharedObjectsPeer", server.url, kind]);
      const worker = fileURLToPath(new URL("../workers/shared-objects.ts", import.meta.url));
      const startOurs = (peer: string) =>
        Peer.start(peer, process.execPath, ["--import", "tsx", worker, server.url, kind]);
      const theirs = [await startTheirs("Redisson 1"), await startTheirs("Redisson 2")] as const;
      const ours = [await startOurs("ours 1"), await startOurs("ours 2")] as const;
      const all = [...theirs, ...ours];
      try {
        await prove({ kind, startOurs, redis: server.createClient(), theirs, ours, all }, bench);
      } finally {
        for (const peer of all) peer.end();
        await stop();
      }
    },
  };
}

async function waitForSubscribers(redis: Redis, channel: RedisArgument, clients: number): Promise<void> {
  for (;;) {
    const [, count] = (await redis.call("PUBSUB", "NUMSUB", channel)) as [string, number];
    if (count >= clients) return;
    await sleep(2);
  }
}

/** Measures hand-offs of a semaphore's only permit from one client to another. */
async function measureHandOffs(sides: Sides, from: Peer, to: Peer): Promise<string> {
  const { redis } = sides;
  const tookMs: number[] = [];
  const key = `permits:${from.name}:${to.name}`.replaceAll(" ", "-");
  await from.ask("prepare", [key, 1]);
  for (let n = 0; n < HAND_OFFS; n++) {
    expect("the first", (await from.ask<AcquireResult>("take", [key, WAIT_MS, WAIT_MS])).outcome, "granted");
    const waiting = to.ask<AcquireResult>("take", [key, WAIT_MS, WAIT_MS], WAIT_MS);
    await waitForSubscribers(redis, buildSemaphoreChannel(key), 1);
    await sleep(10);
    const { fromMs } = await from.ask<ReleaseResult>("release", [key]);
    const { atMs } = await waiting;
    assert(atMs - fromMs < MISSED_MS, () => `${key}: a wake-up was missed, it took ${atMs - fromMs} ms`);
    tookMs.push(atMs - fromMs);
    await to.ask("release", [key]);
  }
  expect("the permits after all", await readSemaphore(sides.redis, key, sides.kind), {
    available: "1",
    acquired: 0,
  });
  return `${from.name} to ${to.name}: ${HAND_OFFS} hand-offs, ${formatSummary(tookMs)}`;
}

/** Proves that the only permit, if its holder does not release it, is acquired by a waiter when it expires. */
async function proveExpiry(sides: Sides, from: Peer, to: Peer): Promise<string> {
  const key = `permits:leaked:${from.name}`.replaceAll(" ", "-");
  await from.ask("prepare", [key, 1]);
  const { atMs: leakedAt } = await from.ask<AcquireResult>("take", [key, 0, LEAKED_MS]);
  const { outcome, atMs } = await to.ask<AcquireResult>("take", [key, WAIT_MS, WAIT_MS], WAIT_MS);
  expect("the one who waited", outcome, "granted");
  const lateMs = atMs - leakedAt - LEAKED_MS;
  assert(lateMs > -100 && lateMs < MISSED_MS, () => `${key}: acquired ${lateMs} ms after it expired`);
  await to.ask("release", [key]);
  expect("the permits after all", await readSemaphore(sides.redis, key, sides.kind), {
    available: "1",
    acquired: 0,
  });
  return `${to.name} acquired a permit that ${from.name} let expire ${lateMs} ms after its end`;
}

interface Tally {
  readonly sections: number;
  readonly overlaps: number;
  readonly longestWaitMs: number;
}

async function measurePairs({ theirs, ours }: Sides): Promise<string> {
  const measured: string[] = [];
  for (const peer of [theirs[0], ours[0]]) {
    const key = `permits:pairs:${peer.name}`.replaceAll(" ", "-");
    await peer.ask("prepare", [key, LIMIT]);
    // The first calls of a process load classes and scripts.
    for (const count of [PAIRS / 4, PAIRS]) {
      const { perSecond } = await peer.ask<{ perSecond: number }>("pairs", [key, count], WAIT_MS);
      if (count === PAIRS) measured.push(`${peer.name} ${perSecond}/s`);
    }
  }
  return `acquire and release, one after the other: ${measured.join(", ")}`;
}

async function measureAllHandOffs(sides: Sides, bench: ClientContext): Promise<void> {
  const { theirs, ours } = sides;
  bench.note(await measureHandOffs(sides, theirs[0], theirs[1]));
  bench.note(await measureHandOffs(sides, theirs[0], ours[0]));
  bench.note(await measureHandOffs(sides, ours[0], theirs[0]));
  bench.note(await measureHandOffs(sides, ours[0], ours[1]));
}

const proveSemaphore: Proof = async (sides, bench) => {
  const { theirs, ours } = sides;
  await measureAllHandOffs(sides, bench);
  bench.note(await proveExpiry(sides, theirs[0], ours[0]));
  bench.note(await proveExpiry(sides, ours[0], theirs[0]));
  bench.note(await measurePairs(sides));
  bench.timed();
  await proveContention(sides, bench, "permits:contended");
};

/**
 * Kills a Lockkeeper worker that holds permits. Another Lockkeeper worker waits, so its next attempt returns the
 * permits, which also wakes the waiting JVM.
 */
async function proveReturn(sides: Sides): Promise<string> {
  const { redis, startOurs, theirs, ours } = sides;
  const key = "permits:dead";
  await theirs[0].ask("prepare", [key, 2]);
  const dead = await startOurs("ours 3");
  for (const _ of [1, 2]) await dead.ask("keep", [key, KEPT_MS]);
  const waits = [theirs[0], ours[1]].map((peer) =>
    peer.ask<AcquireResult>("take", [key, WAIT_MS, WAIT_MS], WAIT_MS),
  );
  await waitForSubscribers(redis, buildSemaphoreChannel(key), 2);
  dead.end();
  const killedAt = Date.now();
  const grants = await Promise.all(waits);
  for (const { outcome } of grants) expect("a waiter beside a dead worker", outcome, "granted");
  const lateMs = Math.max(...grants.map(({ atMs }) => atMs)) - killedAt - KEPT_MS;
  assert(lateMs < RETURN_MS, () => `${key}: acquired ${lateMs} ms after the lease of a dead worker`);
  for (const peer of [theirs[0], ours[1]]) await peer.ask("release", [key]);
  expect("the permits after all", await readSemaphore(sides.redis, key, sides.kind), {
    available: "2",
    acquired: 0,
  });
  return `two permits of a killed worker with a lease of ${KEPT_MS} ms: both waiters had them ${lateMs + KEPT_MS} ms later`;
}

/**
 * Kills a Lockkeeper worker that holds a permit while other clients contend.
 *
 * @returns the time in ms until the permit of the killed worker was returned
 */
async function measureReturn({ redis, startOurs }: Sides, key: string): Promise<number> {
  const dead = await startOurs("ours 3");
  const { token } = await dead.ask<{ token: string }>("keep", [key, KEPT_MS], WAIT_MS);
  const [id = ""] = computePermitIds(token, 1);
  // By then, the permit is held only because the watchdog has renewed the lease.
  await sleep(2 * KEPT_MS);
  dead.end();
  const killedAt = performance.now();
  const permitsKey = String(buildPlainPermitsKey(key));
  assert((await redis.zscore(permitsKey, id)) !== null, () => `${key}: a live worker lost its permit`);
  while ((await redis.zscore(permitsKey, id)) !== null) {
    const tookMs = performance.now() - killedAt;
    assert(tookMs < KEPT_MS + RETURN_MS, () => `${key}: a dead worker still has its permit`);
    await sleep(5);
  }
  return Math.round(performance.now() - killedAt);
}

const provePlainSemaphore: Proof = async (sides, bench) => {
  await measureAllHandOffs(sides, bench);
  bench.note(await proveExpiry(sides, sides.ours[0], sides.ours[1]));
  bench.note(await proveReturn(sides));
  bench.note(await measurePairs(sides));
  bench.timed();
  const key = "permits:contended";
  const contention = proveContention(sides, bench, key);
  const tookMs = await Promise.race([
    measureReturn(sides, key),
    contention.then(() => {
      throw new Error("the contention ended before the permit of the dead worker returned");
    }),
  ]);
  await contention;
  bench.note(
    `the permit of a worker that was killed meanwhile returned after ${tookMs} ms (lease ${KEPT_MS} ms)`,
  );
};

async function proveContention(sides: Sides, bench: ClientContext, key: string): Promise<void> {
  const { redis, theirs, all } = sides;
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  await theirs[0].ask("prepare", [key, LIMIT]);
  const tallies = await Promise.all(
    all.map((peer) => peer.ask<Tally>("contend", [key, LIMIT, forMs, LOOPS], forMs)),
  );
  const overlaps = tallies.reduce((sum, tally) => sum + tally.overlaps, 0);
  expect("times when more permits were out than the limit", overlaps, 0);
  expect("permits still out", await redis.get(`out:${key}`), "0");
  expect("the permits after all", await readSemaphore(sides.redis, key, sides.kind), {
    available: String(LIMIT),
    acquired: 0,
  });
  all.forEach(({ name }, at) => {
    assert((tallies[at]?.sections ?? 0) > 0, () => `${name} never got a permit`);
  });
  const shares = all.map(
    ({ name }, at) =>
      `${name} ${tallies[at]?.sections}, longest wait ${((tallies[at]?.longestWaitMs ?? 0) / 1000).toFixed(1)} s`,
  );
  const total = tallies.reduce((sum, tally) => sum + tally.sections, 0);
  bench.note(
    `${forMs / 1000} s of contention for ${LIMIT} permits: ${total} sections (${shares.join("; ")}), never more than ${LIMIT} out, count exact`,
  );
}

/**
 * Runs one round: all four clients try to set the same latch, wait for it, and count down once.
 *
 * @returns the delay in ms from the last count-down to the wake-up, for each client
 */
async function openOnce({ redis, all }: Sides, key: string): Promise<number[]> {
  const sets = await Promise.all(
    all.map((peer) => peer.ask<{ isSet: boolean }>("set_count", [key, all.length])),
  );
  expect("clients that set the latch", sets.filter(({ isSet }) => isSet).length, 1);
  expect("its count", await redis.get(key), String(all.length));
  let opened = 0;
  const waits = all.map(async (peer) => {
    const done = await peer.ask<{ isOpen: boolean; atMs: number }>("await", [key, WAIT_MS], WAIT_MS);
    opened++;
    return done;
  });
  await waitForSubscribers(redis, buildLatchChannel(key), all.length);
  const [last, ...first] = [...all].sort(() => Math.random() - 0.5);
  await Promise.all(first.map((peer) => peer.ask("count_down", [key])));
  expect("its count before the last", await redis.get(key), "1");
  expect("waits that ended too early", opened, 0);
  const { fromMs = 0 } = (await last?.ask<{ fromMs: number }>("count_down", [key])) ?? {};
  const ends = await Promise.all(waits);
  expect("waits that ended with an open latch", ends.filter(({ isOpen }) => isOpen).length, all.length);
  expect("the latch after all", await redis.exists(key), 0);
  return ends.map(({ atMs }) => atMs - fromMs);
}

const proveLatch: Proof = async (sides, bench) => {
  const until = performance.now() + (bench.seconds ?? SECONDS) * 1000;
  const tookMs: number[] = [];
  let rounds = 0;
  for (; performance.now() < until; rounds++) {
    // Each key is used in several rounds, as in an application.
    const took = await openOnce(sides, `latch:${rounds % 3}`);
    assert(Math.max(...took) < MISSED_MS, () => `a wake-up was missed: ${took.join(", ")} ms`);
    tookMs.push(...took);
  }
  assert(rounds > 1, () => "too few rounds");
  bench.note(
    `${rounds} latches set by one of four and counted down by all, ${tookMs.length} wake-ups, ${formatSummary(tookMs)}`,
  );
};

export const redissonSharedClients: readonly Client[] = [
  createClient("redisson semaphore", proveSemaphore),
  createClient("redisson plain semaphore", provePlainSemaphore, "plain_semaphore"),
  createClient("redisson latch", proveLatch),
];
