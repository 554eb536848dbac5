import { setTimeout as sleep } from "node:timers/promises";
import type { Hold } from "../../../lib/contract/actions/verb.ts";
import { Waits } from "../../../lib/contract/waits/waits.ts";
import { LockClient } from "../../../server/locks/client/lock-client.ts";
import { addCleanUp } from "../children.ts";
import { Operator } from "../console/operator.ts";
import { assert, expect, formatSummary } from "../figures.ts";
import type { Peer } from "../peer.ts";
import type { AcquireResult, Client, ReleaseResult } from "./client.ts";
import { startRedisson } from "./redisson.ts";

const LEASE_MS = 60_000;
const WAIT_MS = 50_000;
const FAIR_WAIT_MS = 300_000;
/** Maximum time in ms until a deadlock is reported, and until its end is reported. */
const WITHIN_MS = 2000;
const ROUNDS = 6;
/** Name of the thread in which Redisson acquires and waits. */
const THREAD = "a";

const OPENINGS = ["library", "http", "redisson"] as const;
type Owner = (typeof OPENINGS)[number];

/**
 * Key of the lock that each owner holds. Each owner waits for the lock of the next one, and the last owner waits for
 * the lock of the first.
 */
type Keys = Readonly<Record<Owner, string>>;

interface Sides {
  readonly operator: Operator;
  readonly client: LockClient;
  readonly theirs: Peer;
}

/** A deadlock of three owners. Their waits end once one of the locks is released. */
interface Ring {
  readonly keys: Keys;
  readonly thread: string;
  readonly http: Hold;
  readonly ended: Promise<unknown>;
  readonly closedAt: number;
}

/** Creates deadlocks of a client of the Node.js library, a client of the HTTP API and a Redisson client. */
export const redissonDeadlock: Client = {
  name: "redisson deadlock",
  needs: ["redisson"],
  async run({ tools, note, timed }) {
    const operator = await Operator.open();
    const stop = addCleanUp(() => operator.server.stop());
    const { url } = operator.server.redis;
    const theirs = await startRedisson(tools.redisson, url, FAIR_WAIT_MS);
    const client = await LockClient.open(url);
    const [foundMs, goneMs]: [number[], number[]] = [[], []];
    try {
      const sides = { operator, client, theirs };
      for (let round = 0; round < ROUNDS; round++) {
        const ring = await makeRing(sides, round);
        await waitForDeadlocks(operator, ring.keys.library, 1);
        foundMs.push(Math.round(performance.now() - ring.closedAt));
        await expectRing(operator, ring);
        const releasedAt = performance.now();
        if (round % 2 === 0) await operator.server.callHold(ring.http, "release");
        else await forceRelease(operator, ring.keys.redisson);
        await waitForDeadlocks(operator, ring.keys.library, 0);
        goneMs.push(Math.round(performance.now() - releasedAt));
        if (round % 2 === 1) await operator.server.callHold(ring.http, "release");
        await ring.ended;
      }
      timed();
      note(`${ROUNDS} deadlocks of three owners: reported after ${formatSummary(foundMs)}`);
      note(`after a release or a force-release, they were gone after ${formatSummary(goneMs)}`);
      for (const ms of [...foundMs, ...goneMs])
        assert(ms <= WITHIN_MS, () => `reported after ${foundMs.join()} ms, gone after ${goneMs.join()} ms`);
    } finally {
      client.close();
      theirs.end();
      await stop();
    }
  },
};

/** Creates a deadlock. A different owner completes it in each round. */
async function makeRing({ operator: { server }, client, theirs }: Sides, round: number): Promise<Ring> {
  const key = (owner: Owner) => `lock:ring:${owner}:${round}`;
  const keys = { library: key("library"), http: key("http"), redisson: key("redisson") };
  const redis = server.redis.createClient();
  const take = (lock: string, waitMs: number) =>
    theirs.ask<AcquireResult>("take", [THREAD, lock, waitMs, LEASE_MS], waitMs);
  expect("the lock of Redisson", (await take(keys.redisson, 0)).outcome, "granted");
  const [thread = ""] = await redis.hkeys(keys.redisson);
  const http = await server.acquire(keys.http, { owner: "http", leaseMs: LEASE_MS });
  // Only the release of a fair lock wakes waiters in the queue of an RFairLock.
  const hold = await client.acquire(keys.library, { kind: "fair", leaseMs: LEASE_MS });
  const options = { owner: "library", leaseMs: LEASE_MS, waitMs: WAIT_MS, holding: [hold] };
  const waits: Record<Owner, () => Promise<void>> = {
    async library() {
      const next = await client.acquire(keys.http, options);
      await next.release();
      await hold.release();
    },
    async http() {
      const body = { owner: "http", leaseMs: LEASE_MS, waitMs: WAIT_MS, holding: [http.holdId] };
      const { status, body: next } = await server.call(`/locks/${keys.redisson}/acquire`, { body });
      expect("the wait of the HTTP client", status, 201);
      await server.callHold(next, "release");
    },
    async redisson() {
      expect("the wait of Redisson", (await take(keys.library, WAIT_MS)).outcome, "granted");
      for (const lock of [keys.library, keys.redisson])
        await theirs.ask<ReleaseResult>("release", [THREAD, lock]);
    },
  };
  const last = OPENINGS[round % OPENINGS.length] ?? "library";
  const pending = OPENINGS.filter((owner) => owner !== last).map((owner) => waits[owner]());
  // Waits until both waits are known before the last wait begins.
  for (const owner of OPENINGS.filter((each) => each !== last))
    await waitForWait(server, keys, owner, thread);
  const closedAt = performance.now();
  const ended = Promise.all([...pending, waits[last]()]);
  ended.catch(() => undefined);
  redis.disconnect();
  return { keys, thread, http, ended, closedAt };
}

async function readWaits({ server }: Pick<Operator, "server">, key: string): Promise<Waits> {
  const { status, body } = await server.callUntilAvailable(`/waits?key=${encodeURIComponent(key)}`);
  expect("the status of GET /waits", status, 200);
  return Waits.parse(body);
}

async function waitForWait(
  server: Operator["server"],
  keys: Keys,
  owner: Owner,
  thread: string,
): Promise<void> {
  const waited = { library: keys.http, http: keys.redisson, redisson: keys.library }[owner];
  const label = owner === "redisson" ? thread : owner;
  const until = performance.now() + 10_000;
  for (;;) {
    const { roots } = await readWaits({ server }, waited);
    if (roots.some(({ rows }) => rows.some((row) => row.key === waited && row.owner === label))) return;
    assert(performance.now() < until, () => `the wait of ${owner} does not appear`);
    await sleep(20);
  }
}

async function waitForDeadlocks(operator: Operator, key: string, count: number): Promise<void> {
  const until = performance.now() + 10_000;
  while ((await readWaits(operator, key)).deadlocks.length !== count) {
    assert(performance.now() < until, () => `there are not ${count} deadlocks after 10 s`);
    await sleep(20);
  }
}

async function expectRing(operator: Operator, { keys, thread }: Ring): Promise<void> {
  const { deadlocks, roots, position } = await readWaits(operator, keys.library);
  const steps = deadlocks[0]?.cycle.map(({ owner, key, holdKey }) => `${owner}: ${holdKey} → ${key}`).sort();
  expect(
    "the cycle",
    steps,
    [
      `library: ${keys.library} → ${keys.http}`,
      `http: ${keys.http} → ${keys.redisson}`,
      `${thread}: ${keys.redisson} → ${keys.library}`,
    ].sort(),
  );
  expect(
    "root blockers, others, position",
    [roots, deadlocks[0]?.others, position?.deadlockId],
    [[], 0, deadlocks[0]?.id],
  );
}

async function forceRelease(operator: Operator, key: string): Promise<void> {
  const { version } = await operator.waitForLock(key, ({ state }) => state === "held");
  await operator.forceRelease(key, version);
}
