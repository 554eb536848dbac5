import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
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
import type { Tools } from "../prepared.ts";
import { startPython } from "../python-peer.ts";
import type { AcquireResult, Client, ClientContext, ReleaseResult } from "./client.ts";

const SECONDS = 15;
const LOOPS = 3;
const SHORT_MS = 400;
/**
 * Maximum time in ms until Lockkeeper notices a foreign release. No message announces it, so Lockkeeper retries every
 * two seconds or more often.
 */
const NOTICED_MS = 2300;

interface Library {
  readonly name: string;
  readonly needs: keyof Tools;
  readonly start: (tools: Tools, url: string) => Promise<Peer>;
  /** Prefix that the library adds to its lock names. */
  readonly prefix: string;
  /** Whether the library reports an error when a hold is released after the end of its lease. */
  readonly reportsLateRelease: boolean;
}

function createNpmLibrary(
  name: string,
  module: string,
  more: Pick<Library, "prefix" | "reportsLateRelease">,
): Library {
  const worker = fileURLToPath(new URL("../workers/npm-peer.ts", import.meta.url));
  const start = (tools: Tools, url: string) =>
    Peer.start(name, process.execPath, ["--import", "tsx", worker, module, url, tools.npm.dir]);
  return { name, needs: "npm", start, ...more };
}

const REDIS_PY: Library = {
  name: "redis-py",
  needs: "redisPy",
  prefix: "lock:",
  reportsLateRelease: true,
  start: ({ redisPy }, url) => startPython("redis-py", redisPy, "redis_py_peer.py", url),
};

const LIBRARIES: readonly Library[] = [
  createNpmLibrary("redlock 4", "redlock4", { prefix: "lock:", reportsLateRelease: true }),
  createNpmLibrary("redlock 5", "redlock5", { prefix: "lock:", reportsLateRelease: true }),
  createNpmLibrary("redis-semaphore", "redis-semaphore", { prefix: "mutex:", reportsLateRelease: false }),
  REDIS_PY,
];

/** Tests libraries that store a lock as a string together with Lockkeeper's format `token`. */
export const tokenClients: readonly Client[] = LIBRARIES.map((library) => ({
  name: library.name,
  needs: [library.needs],
  async run(bench) {
    const server = await startTestRedis();
    const stop = addCleanUp(() => server.stop());
    const { url } = server;
    const theirs = await library.start(bench.tools, url);
    const ours = [await startOurs(url, "ours 1", "token"), await startOurs(url, "ours 2", "token")] as const;
    try {
      const sides: Sides = { url, redis: server.createClient(), library, theirs, ours };
      await proveExclusion(sides);
      await proveLateRelease(sides);
      await proveReleaseNotice(sides, bench);
      await proveForceRelease(sides);
      await contendAll(sides, bench);
    } finally {
      for (const peer of [theirs, ...ours]) peer.end();
      await stop();
    }
  },
}));

interface Sides {
  readonly url: string;
  readonly redis: Redis;
  readonly library: Library;
  readonly theirs: Peer;
  readonly ours: readonly [Peer, Peer];
}

const createEnd = (peer: Peer): PeerClient => ({ peer, who: "a" });

async function proveExclusion({ library, theirs, ours }: Sides): Promise<void> {
  for (const [holder, other] of [
    [theirs, ours[0]],
    [ours[0], theirs],
  ] as const) {
    const key = `${library.prefix}held-by-${holder === theirs ? "them" : "us"}`;
    await acquireLock(createEnd(holder), key, 0);
    const { outcome } = await other.ask<AcquireResult>("take", ["a", key, 0, LEASE_MS]);
    expect(`what ${other.name} gets while ${holder.name} holds`, outcome, "refused");
    await releaseLock(createEnd(holder), key);
    await acquireLock(createEnd(other), key, 0);
    await releaseLock(createEnd(other), key);
  }
}

/** Proves that a release after the end of the lease does not affect the next holder. */
async function proveLateRelease({ redis, library, theirs, ours }: Sides): Promise<void> {
  for (const [late, next] of [
    [theirs, ours[0]],
    [ours[0], theirs],
  ] as const) {
    const key = `${library.prefix}late-${late === theirs ? "they" : "we"}`;
    await acquireLock(createEnd(late), key, 0, SHORT_MS);
    await sleep(SHORT_MS + 50);
    await acquireLock(createEnd(next), key, 0);
    const value = await redis.get(key);
    const { outcome } = await late.ask<ReleaseResult>("release", ["a", key]);
    if (late !== theirs || library.reportsLateRelease)
      expect(`the late release of ${late.name}`, outcome, "refused");
    expect(`the hold of ${next.name} after it`, await redis.get(key), value);
    await releaseLock(createEnd(next), key);
  }
}

async function proveReleaseNotice(
  { redis, library, theirs, ours }: Sides,
  bench: ClientContext,
): Promise<void> {
  const [released, expired] = ["released", "expired"].map((name) => `${library.prefix}${name}`) as [
    string,
    string,
  ];
  await acquireLock(createEnd(theirs), released, 0);
  const waiting = acquireLock(createEnd(ours[0]), released, LEASE_MS);
  await waitUntilWaiting(redis, released);
  const { fromMs } = await releaseLock(createEnd(theirs), released);
  const noticedMs = (await waiting).atMs - fromMs;
  assert(noticedMs <= NOTICED_MS, () => `we noticed a foreign release only after ${noticedMs} ms`);
  await releaseLock(createEnd(ours[0]), released);

  const { atMs } = await acquireLock(createEnd(theirs), expired, 0, SHORT_MS);
  const lateMs = (await acquireLock(createEnd(ours[0]), expired, LEASE_MS)).atMs - atMs - SHORT_MS;
  assert(lateMs <= NOTICED_MS, () => `we noticed the end of a foreign lease only after ${lateMs} ms`);
  await releaseLock(createEnd(ours[0]), expired);
  bench.note(
    `a foreign release was noticed after ${noticedMs} ms, the end of a foreign lease after ${lateMs} ms`,
  );
  bench.note(await measureHandOffs(redis, createEnd(ours[0]), createEnd(ours[1]), "ours to ours"));
}

/**
 * Force-releases a hold of the other library. Proves that a Lockkeeper waiter acquires the lock at once and that the
 * late release by the old holder does not affect it.
 */
async function proveForceRelease({ url, redis, library, theirs, ours }: Sides): Promise<void> {
  const key = `${library.prefix}freed`;
  await acquireLock(createEnd(theirs), key, 0);
  const waiting = acquireLock(createEnd(ours[0]), key, LEASE_MS);
  await waitUntilWaiting(redis, key);
  const fromMs = Date.now();
  expect(
    "the force-release",
    await forceRelease(url, key, (await redis.get(key)) ?? "", "token"),
    "released",
  );
  const tookMs = (await waiting).atMs - fromMs;
  assert(tookMs < 1000, () => `we waited ${tookMs} ms after a force-release`);
  const value = await redis.get(key);
  const { outcome } = await theirs.ask<ReleaseResult>("release", ["a", key]);
  if (library.reportsLateRelease)
    expect(`${theirs.name}'s release after a force-release`, outcome, "refused");
  expect("our hold after it", await redis.get(key), value);
  await releaseLock(createEnd(ours[0]), key);
}

async function contendAll({ redis, library, theirs, ours }: Sides, bench: ClientContext): Promise<void> {
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  const contenders = [{ peer: theirs, loops: LOOPS }, ...ours.map((peer) => ({ peer, loops: LOOPS }))];
  const { line } = await contend(redis, `${library.prefix}contended`, forMs, contenders);
  bench.note(`${forMs / 1000} s of contention: ${line}`);
}
