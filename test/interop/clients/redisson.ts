import type { Redis } from "ioredis";
import { buildFencedCounterKey } from "../../../server/formats/keys.ts";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { contend } from "../contention.ts";
import { assert, expect } from "../figures.ts";
import {
  acquireLock,
  LEASE_MS,
  measureHandOffs,
  type PeerClient,
  releaseLock,
  waitUntilWaiting,
} from "../hand-offs.ts";
import { forceRelease, startOurs } from "../ours.ts";
import { Peer } from "../peer.ts";
import type { JavaTool } from "../steps/java.ts";
import type { AcquireResult, Client, ClientContext, ReleaseResult } from "./client.ts";

const SECONDS = 60;
const THREADS = 4;
const LOOPS = 2;
const FENCED_TURNS = 20;

interface Sides {
  readonly url: string;
  readonly redis: Redis;
  readonly theirs: Peer;
  readonly ours: readonly [Peer, Peer];
}

/** Tests locks with Redisson's RLock and RFencedLock (two instances in one JVM) and two Lockkeeper processes. */
export const redisson: Client = {
  name: "redisson",
  needs: ["redisson"],
  async run(bench) {
    const server = await startTestRedis();
    const stop = addCleanUp(() => server.stop());
    const { url } = server;
    const theirs = await startRedisson(bench.tools.redisson, url);
    const ours = [await startOurs(url, "ours 1"), await startOurs(url, "ours 2")] as const;
    try {
      const sides: Sides = { url, redis: server.createClient(), theirs, ours };
      await proveHandOver(sides, bench);
      await proveRefusal(sides, bench);
      await proveForceRelease(sides, bench);
      bench.timed();
      await proveFenceSequence(sides, bench);
      await contendAll(sides, bench);
    } finally {
      for (const peer of [theirs, ...ours]) peer.end();
      await stop();
    }
  },
};

/**
 * Starts a JVM with Redisson.
 *
 * @param fairWaitMs fair wait time in ms, for fair locks
 */
export function startRedisson(
  { java, classpath }: JavaTool,
  url: string,
  fairWaitMs?: number,
): Promise<Peer> {
  const fair = fairWaitMs === undefined ? [] : [String(fairWaitMs)];
  return Peer.start("Redisson", java, ["-Xmx256m", "-cp", classpath, "RedissonPeer", url, ...fair]);
}

async function proveHandOver({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const [theirEnd, ourEnd]: [PeerClient, PeerClient] = [
    { peer: theirs, who: "a" },
    { peer: ours[0], who: "a" },
  ];
  for (const peer of [theirEnd, ourEnd]) await warmUp(peer);
  bench.note(await measureHandOffs(redis, theirEnd, ourEnd, "Redisson to ours"));
  bench.note(await measureHandOffs(redis, ourEnd, theirEnd, "ours to Redisson"));
}

/** Acquires and releases a lock once, because the first call of a process loads classes and scripts. */
async function warmUp(end: PeerClient): Promise<void> {
  for (let n = 0; n < 20; n++) {
    await acquireLock(end, "lock:warm-up", 0);
    await releaseLock(end, "lock:warm-up");
  }
}

/**
 * Proves that Lockkeeper cannot re-enter a hold of Redisson, even if the owner label of the client is Redisson's owner.
 */
async function proveRefusal({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const key = "lock:held-by-redisson";
  const holder = { peer: theirs, who: "a" };
  await acquireLock(holder, key, 0);
  const [owner = ""] = await redis.hkeys(key);
  const { outcome } = await ours[0].ask<AcquireResult>("take", [owner, key, 0, LEASE_MS]);
  expect("what a client of ours gets that is labelled with Redisson's owner", outcome, "refused");
  expect("Redisson's hold after that", await redis.hgetall(key), { [owner]: "1" });
  await releaseLock(holder, key);
  bench.note("Redisson's hold is refused to a client of ours with its owner");
}

/**
 * Force-releases a hold of Redisson. Proves that Redisson's waiters are woken and that the old holder gets an error
 * when it unlocks.
 */
async function proveForceRelease({ url, redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  for (const waiter of [
    { peer: theirs, who: "b" },
    { peer: ours[1], who: "b" },
  ]) {
    const key = `lock:freed-for:${waiter.peer.name.replace(" ", "-")}`;
    const holder = { peer: theirs, who: "a" };
    await acquireLock(holder, key, 0);
    const waiting = acquireLock(waiter, key, LEASE_MS);
    await waitUntilWaiting(redis, key);
    const [owner = ""] = await redis.hkeys(key);
    const fromMs = Date.now();
    expect("the force-release", await forceRelease(url, key, owner), "released");
    const tookMs = (await waiting).atMs - fromMs;
    const [next = ""] = await redis.hkeys(key);
    assert(tookMs < LEASE_MS / 10, () => `${waiter.peer.name} waited ${tookMs} ms after a force-release`);
    const late = await theirs.ask<ReleaseResult>("release", [holder.who, key]);
    expect("Redisson's unlock after the force-release", late.outcome, "refused");
    expect("the hold of the one who was woken", await redis.hgetall(key), { [next]: "1" });
    await releaseLock(waiter, key);
    bench.note(`Redisson's hold freed by force: ${waiter.peer.name} had it ${tookMs} ms later`);
  }
}

/**
 * Proves that fencing tokens increase when RFencedLock and Lockkeeper acquire a key alternately, whichever of the two
 * created the counter.
 */
async function proveFenceSequence({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const counter = String(buildFencedCounterKey("lock:fenced-by-us"));
  await redis.set(counter, String(Date.now() * 1000));
  for (const [key, first] of [
    ["lock:fenced-by-them", 0],
    ["lock:fenced-by-us", 1],
  ] as const) {
    const fences: bigint[] = [];
    for (let turn = first; turn < first + FENCED_TURNS; turn++) {
      const isTheirs = turn % 3 !== 1;
      const holder = { peer: isTheirs ? theirs : (ours[turn % 2] ?? ours[0]), who: "a" };
      const { fence } = isTheirs
        ? await theirs.ask<Pick<AcquireResult, "fence">>("fenced", ["a", key, LEASE_MS])
        : await acquireLock(holder, key, 0);
      fences.push(BigInt(fence ?? 0));
      await releaseLock(holder, key);
    }
    const falls = fences.filter((fence, at) => at > 0 && fence <= (fences[at - 1] ?? 0n)).map(String);
    expect("fences that did not rise", falls, []);
  }
  bench.note(`twice ${FENCED_TURNS} fences of RFencedLock and ours on one key, each above the one before`);
}

async function contendAll({ redis, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  const contenders = [{ peer: theirs, loops: THREADS }, ...ours.map((peer) => ({ peer, loops: LOOPS }))];
  const { total, line } = await contend(redis, "lock:contended", forMs, contenders);
  expect("re-entered sections whose count in Redis was not 2 and then 1", total.wrongCounts, 0);
  assert(total.reentries > 0, () => "nothing was re-entered");
  bench.note(`${forMs / 1000} s of contention: ${line}`);
}
