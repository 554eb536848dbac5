import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { startTestRedis } from "../../support/test-redis.ts";
import { addCleanUp } from "../children.ts";
import { assert, computePercentile, expect, formatSummary } from "../figures.ts";
import { Peer } from "../peer.ts";
import type { ReadWriteTally } from "../read-write-tally.ts";
import type { AcquireResult, Client, ClientContext, ReleaseResult } from "./client.ts";

const SECONDS = 60;
const LOOPS = 2;
const LEASE_MS = 30_000;
const READERS = 3;
const HAND_OFFS = 15;
/**
 * Time in ms within which most hand-offs must happen, as in hand-offs.ts. A client that is not woken retries after
 * about two seconds or when the lease ends.
 */
const WITHIN_MS = 50;
const SHARE = 0.8;
const MISSED_MS = 1000;
/**
 * Wait in ms that counts as starvation: far more than the other clients need for their sections, and less than a lease.
 */
const STARVED_MS = 20_000;
const KEY = "lock:read-write";

type Kind = "read" | "write";

/** A scenario of hand-offs: the holder, how its hold ends, and the waiters. */
interface HandOff {
  readonly name: string;
  readonly from: Peer;
  readonly holds: Kind;
  readonly end: "release" | "downgrade";
  readonly to: Peer;
  readonly waits: Kind;
}

/** Tests a read/write lock with Redisson's RReadWriteLock in two JVMs and two Lockkeeper processes. */
export const redissonReadWrite: Client = {
  name: "redisson read/write lock",
  needs: ["redisson"],
  async run(bench) {
    const server = await startTestRedis();
    const stop = addCleanUp(() => server.stop());
    const { java, classpath } = bench.tools.redisson;
    const startTheirs = (name: string) =>
      Peer.start(name, java, ["-Xmx256m", "-cp", classpath, "ReadWritePeer", server.url]);
    const peers: Peer[] = [];
    try {
      for (const name of ["JVM 1", "JVM 2"]) peers.push(await startTheirs(name));
      for (const name of ["ours 1", "ours 2"]) peers.push(await startOurs(server.url, name));
      const redis = server.createClient();
      for (const peer of peers) await warmUp(peer);
      for (const each of listHandOffs(peers)) bench.note(await measureHandOffs(redis, each));
      bench.timed();
      await contendAll(redis, peers, bench);
    } finally {
      for (const peer of peers) peer.end();
      await stop();
    }
  },
};

function startOurs(url: string, name: string): Promise<Peer> {
  const worker = fileURLToPath(new URL("../workers/read-write.ts", import.meta.url));
  return Peer.start(name, process.execPath, ["--import", "tsx", worker, url]);
}

/** Acquires and releases a lock once, because the first call of a process loads classes and scripts. */
async function warmUp(peer: Peer): Promise<void> {
  for (const kind of ["read", "write"] as const) {
    for (let n = 0; n < 10; n++) {
      await take(peer, "a", "lock:warm-up", kind, 0);
      await peer.ask("release", ["a", "lock:warm-up", kind]);
    }
  }
}

function listHandOffs([jvm, , ours]: readonly Peer[]): HandOff[] {
  if (jvm === undefined || ours === undefined) throw new Error("a peer is missing");
  const end = "release" as const;
  return [
    { name: "a reader of Redisson to our writer", from: jvm, holds: "read", end, to: ours, waits: "write" },
    { name: "our reader to a writer of Redisson", from: ours, holds: "read", end, to: jvm, waits: "write" },
    { name: "a writer of Redisson to our readers", from: jvm, holds: "write", end, to: ours, waits: "read" },
    { name: "our writer to readers of Redisson", from: ours, holds: "write", end, to: jvm, waits: "read" },
    {
      name: "our downgrade to readers of Redisson",
      from: ours,
      holds: "write",
      end: "downgrade",
      to: jvm,
      waits: "read",
    },
    { name: "our writer to our readers", from: ours, holds: "write", end, to: ours, waits: "read" },
  ];
}

/**
 * Measures the hand-offs of a scenario.
 *
 * @returns a line with the measurements
 * @throws if a wake-up was missed, or if less than 80 % of the hand-offs took at most 50 ms
 */
async function measureHandOffs(redis: Redis, each: HandOff): Promise<string> {
  const tookMs: number[] = [];
  for (let n = 0; n < HAND_OFFS; n++) {
    const key = `lock:${each.name}:${n}`.replaceAll(" ", "-");
    const took = await measureHandOff(redis, key, each);
    assert(took < MISSED_MS, () => `${each.name}: a wake-up was missed, the hand-off took ${took} ms`);
    tookMs.push(took);
  }
  const line = `${each.name}: ${HAND_OFFS} hand-offs, ${formatSummary(tookMs)}`;
  assert(computePercentile(tookMs, SHARE) <= WITHIN_MS, () => `too few within ${WITHIN_MS} ms: ${line}`);
  return line;
}

/**
 * Measures one hand-off.
 *
 * @returns the time in ms until the last waiter has the lock
 */
async function measureHandOff(redis: Redis, key: string, { from, holds, end, to, waits }: HandOff) {
  await take(from, "holder", key, holds, 0);
  const names = waits === "read" ? Array.from({ length: READERS }, (_, at) => `waiter-${at}`) : ["waiter-0"];
  const waiting = names.map((who) => take(to, who, key, waits, LEASE_MS));
  await waitUntilSubscribed(redis, key);
  // Redisson wakes only threads that are already queued, so a message that arrives before a thread sleeps does not wake
  // it.
  await sleep(to.name.startsWith("JVM") ? 300 : 40);
  const { fromMs } = await from.ask<ReleaseResult>(end, ["holder", key, holds]);
  const granted = await Promise.all(waiting);
  for (const who of names) await to.ask("release", [who, key, waits]);
  if (end === "downgrade") await from.ask("release", ["holder", key, holds]);
  expect(`${key} in the end`, await redis.exists(key), 0);
  return Math.max(...granted.map(({ atMs }) => atMs)) - fromMs;
}

async function take(
  peer: Peer,
  who: string,
  key: string,
  kind: Kind,
  waitMs: number,
): Promise<AcquireResult> {
  const taken = await peer.ask<AcquireResult>("take", [who, key, kind, waitMs, LEASE_MS], waitMs);
  expect(`${peer.name} takes ${key} to ${kind}`, taken.outcome, "granted");
  return taken;
}

async function waitUntilSubscribed(redis: Redis, key: string): Promise<void> {
  const until = performance.now() + 5000;
  for (;;) {
    const [, listeners] = (await redis.pubsub("NUMSUB", `redisson_rwlock:{${key}}`)) as [string, number];
    if (Number(listeners) > 0) break;
    assert(performance.now() < until, () => `no client came to wait for ${key}`);
    await sleep(2);
  }
}

async function contendAll(redis: Redis, peers: readonly Peer[], bench: ClientContext): Promise<void> {
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  await redis.set(`count:${KEY}`, "0");
  const tallies = await Promise.all(
    peers.map((peer) => peer.ask<ReadWriteTally>("contend", [KEY, forMs, LOOPS], forMs)),
  );
  const sum = (name: keyof ReadWriteTally) => tallies.reduce((total, tally) => total + tally[name], 0);
  expect("sections beside a writer", sum("overlaps"), 0);
  expect("writes by the shared counter", Number(await redis.get(`count:${KEY}`)), sum("writes"));
  for (const name of ["readers", "writers"]) expect(name, await redis.get(`${name}:${KEY}`), "0");
  expect("the lock after all", await redis.exists(KEY), 0);
  expect("leases after all", await redis.keys(`*${KEY}*:rwlock_timeout:*`), []);
  assert(sum("shared") > 0, () => "no two readers were inside at once");
  peers.forEach(({ name }, at) => {
    const { reads = 0, writes = 0, longestMs = 0 } = tallies[at] ?? {};
    assert(reads > 0 && writes > 0, () => `${name} read ${reads} and wrote ${writes} times`);
    assert(longestMs < STARVED_MS, () => `${name} waited ${longestMs} ms for the lock`);
  });
  const shares = peers.map(({ name }, at) => {
    const { reads, writes, longestMs } = tallies[at] ?? {};
    return `${name} ${reads}/${writes}, longest wait ${longestMs} ms`;
  });
  bench.note(
    `${forMs / 1000} s of contention: ${sum("reads")} reads, of which ${sum("shared")} beside others, ${sum("writes")} writes, ${sum("downgrades")} downgrades, 0 overlaps, counter exact (reads/writes: ${shares.join("; ")})`,
  );
}
