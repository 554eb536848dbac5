import { describe, expect, it, onTestFinished } from "vitest";
import { Waits } from "../../lib/contract/waits/waits.ts";
import { startTestCluster } from "../../test/support/cluster.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { startTestSentinel } from "../../test/support/test-sentinel.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import { LockClient } from "../locks/client/lock-client.ts";

/** A Redis deployment: its location for a library client, its URL for a server, and how to fail over. */
interface Place {
  readonly location: RedisLocation;
  readonly url: string;
  /** Creates keys. If the deployment has several masters, the keys are on different masters. */
  createKeys(count: number): string[];
  failOver?: () => Promise<unknown>;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async "one Redis"() {
    const redis = await startTestRedis();
    onTestFinished(() => redis.stop());
    return { location: redis.url, url: redis.url, createKeys };
  },
  async "a cluster with the keys on different masters"() {
    const cluster = await startTestCluster();
    onTestFinished(() => cluster.stop());
    return {
      location: { cluster: cluster.urls },
      url: `redis-cluster://${listHosts(cluster.urls)}`,
      createKeys: (count) =>
        Array.from({ length: count }, (_, at) => cluster.findKeyOnMaster(at % 3, "lock:ring")),
    };
  },
  async Sentinel() {
    const group = await startTestSentinel();
    onTestFinished(() => group.stop());
    const { sentinel, master } = group.where;
    const url = `redis-sentinel://${listHosts(sentinel)}/0?master=${master}`;
    return { location: group.where, url, createKeys, failOver: () => group.failover() };
  },
};

const createKeys = (count: number) => Array.from({ length: count }, () => createTestKey("lock:ring"));
const listHosts = (urls: readonly string[]) => urls.map((url) => new URL(url).host).join(",");

const LEASE_MS = 60_000;
const WAIT_MS = 40_000;

async function openSides({ location, url }: Place) {
  const environment = { REDIS_URL: url, LOCKKEEPER_LOG: "silent" };
  const servers = [await startTestServer({ environment }), await startTestServer({ environment })] as const;
  for (const server of servers) onTestFinished(() => server.stop());
  const client = await LockClient.open(location);
  onTestFinished(() => client.close());
  return { servers, client };
}

type Sides = Awaited<ReturnType<typeof openSides>>;

/**
 * Creates a ring of three waits. A client of each instance and a library client each hold a lock and wait for the lock
 * of the next client.
 */
async function makeRing(
  { servers: [one, two], client }: Sides,
  [a = "", b = "", c = ""]: readonly string[],
  onDeadlock: "report" | "refuse",
) {
  const lease = { leaseMs: LEASE_MS };
  const hold = await client.acquire(a, { ...lease, owner: "library" });
  const [first, second] = [
    await one.acquire(b, { ...lease, owner: "one" }),
    await two.acquire(c, { ...lease, owner: "two" }),
  ];
  const wait = (server: TestServer, key: string, owner: string, holdId: string, more = {}) =>
    server.call(`/locks/${encodeURIComponent(key)}/acquire`, {
      body: { ...lease, owner, waitMs: WAIT_MS, holding: [holdId], ...more },
    });
  const library = client.acquire(b, { ...lease, owner: "library", waitMs: WAIT_MS, holding: [hold] });
  const waits = [
    library.then(async (next) => {
      await next.release();
      await hold.release();
    }),
    wait(one, c, "one", first.holdId),
    wait(two, a, "two", second.holdId, { onDeadlock }),
  ] as const;
  for (const each of waits) each.catch(() => undefined);
  return { waits, first, second, steps: [`library ${b}`, `one ${c}`, `two ${a}`].sort() };
}

async function readDeadlocks(server: TestServer, key: string) {
  const { status, body } = await server.callUntilAvailable(`/waits?key=${encodeURIComponent(key)}`);
  expect(status).toBe(200);
  return Waits.parse(body).deadlocks;
}

/** Waits until both instances report the ring, and then until neither does. */
async function proveReport(sides: Sides, keys: readonly string[]) {
  const [a = ""] = keys;
  const { servers } = sides;
  const ring = await makeRing(sides, keys, "report");
  const found = async () => await Promise.all(servers.map((server) => readDeadlocks(server, a)));
  await waitUntil(async () => (await found()).every((deadlocks) => deadlocks.length === 1), 10_000);
  const [one, two] = (await found()).map(([deadlock]) => deadlock);
  expect(one?.cycle.map(({ owner, key }) => `${owner} ${key}`).sort()).toEqual(ring.steps);
  expect([two?.id, two?.others]).toEqual([one?.id, 0]);
  await servers[0].callHold(ring.first, "release");
  await waitUntil(async () => (await found()).every((deadlocks) => deadlocks.length === 0), 10_000);
  await servers[1].callHold(ring.second, "release");
  const replies = await Promise.all(ring.waits);
  expect([replies[1].status, replies[2].status]).toEqual([201, 201]);
}

describe.each(Object.entries(PLACES))("two instances on %s", (_name, start) => {
  it("each of them finds a deadlock whose waits go through both, and its end", async () => {
    const place = await start();
    const sides = await openSides(place);
    await proveReport(sides, place.createKeys(3));
    const ring = await makeRing(sides, place.createKeys(3), "refuse");
    const refused = await ring.waits[2];
    expect([refused.status, refused.body.code, refused.body.cycle?.length]).toEqual([409, "deadlock", 3]);
    await sides.servers[1].callHold(ring.second, "release");
    expect((await ring.waits[1]).status).toBe(201);
    await sides.servers[0].callHold(ring.first, "release");
    await ring.waits[0];
    if (place.failOver === undefined) return;
    await place.failOver();
    const [probe = ""] = place.createKeys(1);
    for (const server of sides.servers)
      await waitUntil(async () => {
        const { status, body } = await server.call(`/locks/${probe}/acquire`, {
          body: { leaseMs: LEASE_MS },
        });
        return status === 201 || body.code === "held";
      }, 20_000);
    await proveReport(sides, place.createKeys(3));
  });
});
