import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { startTestRedis } from "../../support/test-redis.ts";
import { atEnd } from "../children.ts";
import { contend } from "../contention.ts";
import { assert, expect } from "../figures.ts";
import { type End, giveBack, LEASE_MS, measureHandOffs, take, untilWaiting } from "../hand-offs.ts";
import { forceRelease, startOurs } from "../ours.ts";
import { Peer } from "../peer.ts";
import type { Tools } from "../prepared.ts";
import { startPython } from "../python-peer.ts";
import type { Bench, Client, Released, Taken } from "./client.ts";

const SECONDS = 15;
const LOOPS = 3;
const SHORT_MS = 400;
/** Nobody tells us of a foreign release: we look every two seconds at the latest. */
const NOTICED_MS = 2300;

interface Library {
  readonly name: string;
  readonly needs: keyof Tools;
  readonly start: (tools: Tools, url: string) => Promise<Peer>;
  /** What it puts before the names of its locks. */
  readonly prefix: string;
  /** Whether a release that comes too late is told to its caller. */
  readonly tellsLate: boolean;
}

function npmLibrary(name: string, module: string, more: Pick<Library, "prefix" | "tellsLate">): Library {
  const worker = fileURLToPath(new URL("../workers/npm-peer.ts", import.meta.url));
  const start = (tools: Tools, url: string) =>
    Peer.start(name, process.execPath, ["--import", "tsx", worker, module, url, tools.npm.dir]);
  return { name, needs: "npm", start, ...more };
}

const REDIS_PY: Library = {
  name: "redis-py",
  needs: "redisPy",
  prefix: "lock:",
  tellsLate: true,
  start: ({ redisPy }, url) => startPython("redis-py", redisPy, "redis_py_peer.py", url),
};

const LIBRARIES: readonly Library[] = [
  npmLibrary("redlock 4", "redlock4", { prefix: "lock:", tellsLate: true }),
  npmLibrary("redlock 5", "redlock5", { prefix: "lock:", tellsLate: true }),
  npmLibrary("redis-semaphore", "redis-semaphore", { prefix: "mutex:", tellsLate: false }),
  REDIS_PY,
];

/** Libraries that write a lock as one string, beside our format `token`. */
export const tokenClients: readonly Client[] = LIBRARIES.map((library) => ({
  name: library.name,
  needs: [library.needs],
  async run(bench) {
    const server = await startTestRedis();
    const stop = atEnd(() => server.stop());
    const { url } = server;
    const theirs = await library.start(bench.tools, url);
    const ours = [await startOurs(url, "ours 1", "token"), await startOurs(url, "ours 2", "token")] as const;
    try {
      const sides: Sides = { url, redis: server.createClient(), library, theirs, ours };
      await excludeEachOther(sides);
      await releaseTooLate(sides);
      await noticeReleases(sides, bench);
      await freeByForce(sides);
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

const endOf = (peer: Peer): End => ({ peer, who: "a" });

async function excludeEachOther({ library, theirs, ours }: Sides): Promise<void> {
  for (const [holder, other] of [
    [theirs, ours[0]],
    [ours[0], theirs],
  ] as const) {
    const key = `${library.prefix}held-by-${holder === theirs ? "them" : "us"}`;
    await take(endOf(holder), key, 0);
    const { outcome } = await other.ask<Taken>("take", ["a", key, 0, LEASE_MS]);
    expect(`what ${other.name} gets while ${holder.name} holds`, outcome, "refused");
    await giveBack(endOf(holder), key);
    await take(endOf(other), key, 0);
    await giveBack(endOf(other), key);
  }
}

/** A release after the lease ended touches nothing of the one who holds by then. */
async function releaseTooLate({ redis, library, theirs, ours }: Sides): Promise<void> {
  for (const [late, next] of [
    [theirs, ours[0]],
    [ours[0], theirs],
  ] as const) {
    const key = `${library.prefix}late-${late === theirs ? "they" : "we"}`;
    await take(endOf(late), key, 0, SHORT_MS);
    await sleep(SHORT_MS + 50);
    await take(endOf(next), key, 0);
    const value = await redis.get(key);
    const { outcome } = await late.ask<Released>("release", ["a", key]);
    if (late !== theirs || library.tellsLate) expect(`the late release of ${late.name}`, outcome, "refused");
    expect(`the hold of ${next.name} after it`, await redis.get(key), value);
    await giveBack(endOf(next), key);
  }
}

async function noticeReleases({ redis, library, theirs, ours }: Sides, bench: Bench): Promise<void> {
  const [released, expired] = ["released", "expired"].map((name) => `${library.prefix}${name}`) as [
    string,
    string,
  ];
  await take(endOf(theirs), released, 0);
  const waiting = take(endOf(ours[0]), released, LEASE_MS);
  await untilWaiting(redis, released);
  const { fromMs } = await giveBack(endOf(theirs), released);
  const noticedMs = (await waiting).atMs - fromMs;
  assert(noticedMs <= NOTICED_MS, () => `we noticed a foreign release only after ${noticedMs} ms`);
  await giveBack(endOf(ours[0]), released);

  const { atMs } = await take(endOf(theirs), expired, 0, SHORT_MS);
  const lateMs = (await take(endOf(ours[0]), expired, LEASE_MS)).atMs - atMs - SHORT_MS;
  assert(lateMs <= NOTICED_MS, () => `we noticed the end of a foreign lease only after ${lateMs} ms`);
  await giveBack(endOf(ours[0]), expired);
  bench.note(
    `a foreign release was noticed after ${noticedMs} ms, the end of a foreign lease after ${lateMs} ms`,
  );
  bench.note(await measureHandOffs(redis, endOf(ours[0]), endOf(ours[1]), "ours to ours"));
}

/** An operator frees their hold: our waiter has it at once, and their release does not touch it. */
async function freeByForce({ url, redis, library, theirs, ours }: Sides): Promise<void> {
  const key = `${library.prefix}freed`;
  await take(endOf(theirs), key, 0);
  const waiting = take(endOf(ours[0]), key, LEASE_MS);
  await untilWaiting(redis, key);
  const fromMs = Date.now();
  expect(
    "the force-release",
    await forceRelease(url, key, (await redis.get(key)) ?? "", "token"),
    "released",
  );
  const tookMs = (await waiting).atMs - fromMs;
  assert(tookMs < 1000, () => `we waited ${tookMs} ms after a force-release`);
  const value = await redis.get(key);
  const { outcome } = await theirs.ask<Released>("release", ["a", key]);
  if (library.tellsLate) expect(`${theirs.name}'s release after a force-release`, outcome, "refused");
  expect("our hold after it", await redis.get(key), value);
  await giveBack(endOf(ours[0]), key);
}

async function contendAll({ redis, library, theirs, ours }: Sides, bench: Bench): Promise<void> {
  const forMs = (bench.seconds ?? SECONDS) * 1000;
  const contenders = [{ peer: theirs, loops: LOOPS }, ...ours.map((peer) => ({ peer, loops: LOOPS }))];
  const { line } = await contend(redis, `${library.prefix}contended`, forMs, contenders);
  bench.note(`${forMs / 1000} s of contention: ${line}`);
}
