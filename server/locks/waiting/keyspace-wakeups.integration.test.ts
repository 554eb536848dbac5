import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { startTestCluster } from "../../../test/support/cluster.ts";
import { locksTest, quorumTest } from "../../../test/support/fixtures.ts";
import { requireServerFeature } from "../../../test/support/server-features.ts";
import {
  countScriptCalls,
  countWaiters,
  createTestKey,
  sleepMs,
  type TestVerbs,
} from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockClient } from "../client/lock-client.ts";
import type { Grant } from "../verbs/contract/grant.ts";
import { buildKeyspaceChannel } from "./key-endings.ts";

const it = locksTest();
const quorumIt = quorumTest(3);
const clusterIt = test
  .extend("cluster", { scope: "file" }, async ({}, { onCleanup }) => {
    const cluster = await startTestCluster({ masters: 3 });
    onCleanup(() => cluster.stop());
    return cluster;
  })
  .extend("client", { scope: "file" }, async ({ cluster }, { onCleanup }) => {
    const client = await LockClient.open({ cluster: cluster.urls });
    onCleanup(() => client.close());
    return client;
  });
clusterIt.beforeAll(async ({ cluster }) => {
  await cluster.masters[0]?.runCli("PING");
});

/**
 * Maximum time, in ms, of a wait that a message ended. The limit is far shorter than the interval of attempts without
 * messages, and far longer than the delay on a busy machine.
 */
const WOKEN_MS = 700;
const LEASE_MS = 60_000;
const POLL_MS = 10;
const CONTENTION_MS = 5000;
/** The share of the holds that each of four clients would get. */
const FAIR_SHARE = 0.25;

const TOKEN = { format: "token", waitMs: 20_000 } as const;

async function waitUntilSubscribed(redis: Redis, key: string): Promise<void> {
  const channel = String(buildKeyspaceChannel(0, Buffer.from(key)));
  await waitUntil(async () => Number((await redis.pubsub("NUMSUB", channel))[1]) > 0);
}

/** Returns the time from the release to the end of the wait, in ms. */
async function measureWake(wait: Promise<unknown>, release: () => Promise<unknown>): Promise<number> {
  const releasedAt = performance.now();
  await release();
  await wait;
  return performance.now() - releasedAt;
}

describe("wake-ups by keyspace notifications", () => {
  it.for([
    ["deleted", (redis: Redis, key: string) => redis.del(key)],
    ["unlinked", (redis: Redis, key: string) => redis.unlink(key)],
    ["renamed", (redis: Redis, key: string) => redis.rename(key, `${key}:old`)],
  ] as const)(
    "a waiter is granted a foreign lock as soon as its key is %s",
    async ([, end], { acquire, direct, key }) => {
      await direct.set(key, randomUUID());
      const wait = acquire(key, "you", TOKEN);
      await waitUntilSubscribed(direct, key);
      // Waits until the client has made the attempt that follows its subscription.
      await waitUntil(async () => (await countWaiters(direct, key)) === 1);
      expect(await measureWake(wait, () => end(direct, key))).toBeLessThan(WOKEN_MS);
    },
  );

  it("a waiter for a Redisson lock is woken when its hash loses its last field without a message", async ({
    acquire,
    direct,
    key,
  }) => {
    const owner = `${randomUUID()}:1`;
    await direct.hset(key, owner, 1);
    const wait = acquire(key, "you", { waitMs: 20_000 });
    await waitUntilSubscribed(direct, key);
    expect(await measureWake(wait, () => direct.hdel(key, owner))).toBeLessThan(WOKEN_MS);
  });

  it("renewals of the lock wake no waiter", async ({ acquire, direct, locks, key }) => {
    const held = await acquire(key, "me", { format: "token" });
    const wait = acquire(key, "you", TOKEN);
    await waitUntilSubscribed(direct, key);
    const heard: string[] = [];
    const listener = direct.duplicate();
    listener.on("message", (_, event) => heard.push(event));
    await listener.subscribe(String(buildKeyspaceChannel(0, Buffer.from(key))));
    const before = await countScriptCalls(direct);
    for (let time = 0; time < 20; time++) await locks.renew(held, { leaseMs: 40_000 + time * 1000 });
    await waitUntil(() => heard.length >= 20);
    // Two more calls than the renewals: the attempt after the subscription, and one caused by a timer.
    expect(await countScriptCalls(direct)).toBeLessThanOrEqual(before + 22);
    await locks.release(held);
    await wait;
    listener.disconnect();
  });

  it("one release makes one of many waiters look once", async ({ acquire, direct, locks, key }) => {
    const held = await acquire(key, "me", { format: "token" });
    const granted: Grant[] = [];
    const waits = Array.from({ length: 20 }, async (_, n) => {
      granted.push(await acquire(key, `owner-${n}`, TOKEN));
    });
    await waitUntil(async () => (await countWaiters(direct, key)) === waits.length);
    await waitUntilSubscribed(direct, key);
    const calls: number[] = [];
    let last = held;
    for (const [at] of waits.entries()) {
      const before = await countScriptCalls(direct);
      await locks.release(last);
      await waitUntil(() => granted.length > at);
      calls.push((await countScriptCalls(direct)) - before);
      last = granted[at] ?? last;
    }
    await locks.release(last);
    await Promise.all(waits);
    // One call for the release and one for the grant, also while many are waiting.
    expect(Math.min(...calls.slice(0, waits.length / 2))).toBe(2);
    // On a busy machine, many hand-overs include an attempt caused by a timer. If a release woke all waiters, there
    // would be more than twice as many calls.
    const total = calls.reduce((sum, count) => sum + count, 0);
    expect(total).toBeLessThan((waits.length * waits.length) / 4);
  });

  it("an ended wait leaves no subscription behind", async ({ acquire, direct, key }) => {
    await direct.set(key, randomUUID());
    const wait = acquire(key, "you", TOKEN);
    await waitUntilSubscribed(direct, key);
    await direct.del(key);
    await wait;
    await waitUntil(async () => ((await direct.pubsub("CHANNELS", `*${key}*`)) as string[]).length === 0);
  });
});

/** Acquires and releases the lock repeatedly until the signal aborts, polling like other libraries. */
async function pollAsLibrary(redis: Redis, key: string, stop: AbortSignal): Promise<number> {
  let grants = 0;
  while (!stop.aborted) {
    if ((await redis.set(key, randomUUID(), "PX", LEASE_MS, "NX")) === "OK") {
      grants++;
      await sleepMs(2 + Math.random() * 8);
      await redis.del(key);
    }
    await sleepMs(POLL_MS);
  }
  return grants;
}

async function holdInTurn({ acquire, locks }: TestVerbs, key: string, stop: AbortSignal): Promise<number> {
  let grants = 0;
  while (!stop.aborted) {
    const hold = await acquire(key, "me", TOKEN);
    grants++;
    await sleepMs(2 + Math.random() * 8);
    await locks.release(hold);
    await sleepMs(POLL_MS);
  }
  return grants;
}

describe("a waiter beside three clients that poll every 10 ms", () => {
  it.for(["Kghszxe$", ""])(
    'gets half of its fair share at least, with notify-keyspace-events "%s"',
    async (flags, { env, direct, key, skip }) => {
      await requireServerFeature({ skip }, direct, "config");
      await direct.config("SET", "notify-keyspace-events", flags);
      const verbs = await env.openVerbs();
      const stop = AbortSignal.timeout(CONTENTION_MS);
      const pollers = [1, 2, 3].map(() => pollAsLibrary(env.redis.createClient(), key, stop));
      const [ours, ...theirs] = await Promise.all([holdInTurn(verbs, key, stop), ...pollers]);
      const all = ours + theirs.reduce((sum, grants) => sum + grants, 0);
      expect(all).toBeGreaterThan(50);
      expect(ours / all).toBeGreaterThan(FAIR_SHARE / 2);
    },
  );
});

describe("wake-ups by keyspace notifications on several masters", () => {
  clusterIt("a waiter on a cluster is woken by the master that has the key", async ({ cluster, client }) => {
    for (const master of [0, 1, 2]) {
      const key = cluster.findKeyOnMaster(master, createTestKey());
      const node = cluster.getMasterClient(key);
      await node.set(key, randomUUID());
      const wait = client.acquire(key, { ...TOKEN, renew: false });
      await waitUntilSubscribed(node, key);
      expect(await measureWake(wait, () => node.del(key))).toBeLessThan(WOKEN_MS);
    }
  });

  quorumIt(
    "a waiter on a quorum is woken when a majority of masters deleted the key",
    async ({ masters, acquire, release, key }) => {
      const clients = masters.all.map((server) => server.createClient());
      const value = randomUUID();
      await Promise.all(clients.map((each) => each.set(key, value)));
      const wait = acquire(key, "you", { waitMs: 20_000 });
      await Promise.all(clients.map((each) => waitUntilSubscribed(each, key)));
      const tookMs = await measureWake(wait, () => Promise.all(clients.map((each) => each.del(key))));
      expect(tookMs).toBeLessThan(WOKEN_MS);
      await release(await wait);
    },
  );
});
