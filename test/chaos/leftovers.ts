import { setTimeout as sleep } from "node:timers/promises";
import { HOME_PREFIX, TARGET_PREFIX } from "../../server/formats/keys.ts";
import type { Leftover } from "./leftover.ts";
import { findKeysOfKinds, isKeyOfKind } from "./leftovers-of-kinds.ts";
import type { LockUnderTest } from "./locks-under-test.ts";
import type { Topology } from "./servers/topology.ts";

const SCAN_INTERVAL_MS = 200;
/**
 * Maximum TTL of a list of waiters in milliseconds: the longest wait of a worker, plus the time for which the list is
 * kept afterwards.
 */
const WAITERS_MS = 6000 + 1000;
const SLACK_MS = 1500;
/** Prefixes of companion keys: for holds, single holders of shared locks, latches, and waiters of conditions. */
const COMPANIONS = ["hold:", "holder:", "latch:", "conditions:"].map((name) => TARGET_PREFIX + name);
/**
 * Prefixes of waiter keys: the list of all waiters, the list of waiting writers, and the current turn and the queue of
 * a semaphore's waiters.
 */
const WAITERS = ["waiters:", "writers:", "turn:", "turns:"].map((name) => TARGET_PREFIX + name);
/** The key that an API server stores to detect that Redis lost its data. */
const CANARY = `${TARGET_PREFIX}canary`;

const startsWithOne = (prefixes: readonly string[], key: string) =>
  prefixes.some((prefix) => key.startsWith(prefix));

/**
 * Finds keys that should no longer exist at the end of a run: locks after the longest lease, lists of waiters that
 * would outlast the longest wait, and keys without a TTL. Companions remain for a while by design, and the keys of the
 * API server itself have no TTL. Semaphores, latches and the queues of fair locks also remain, so only their content is
 * checked.
 */
export async function findLeftovers(
  topology: Topology,
  leaseMs: number,
  locks: readonly LockUnderTest[] = [],
): Promise<Leftover[]> {
  const startedAt = performance.now();
  const limitMsOf = (key: string) => SLACK_MS + (startsWithOne(WAITERS, key) ? WAITERS_MS : leaseMs);
  const servers = await topology.findMasters();
  for (;;) {
    const all = (await Promise.all(servers.map((n) => readKeys(topology, n)))).flat();
    const seen = all.filter(
      ({ key }) => !key.startsWith(HOME_PREFIX) && !key.startsWith(CANARY) && !isKeyOfKind(key, locks),
    );
    const endless = seen.filter(({ ttlMs }) => ttlMs === -1);
    const overMs = performance.now() - startedAt;
    // All clients have stopped, so no client can extend a list of waiters. A clock that was set back extends all keys
    // by the same amount. The TTL therefore shows whether such a key expires in time.
    const isEnding = ({ server, key, ttlMs }: SeenKey) => {
      const behindMs = topology.getBehindMs(server);
      return (behindMs > 0 || startsWithOne(WAITERS, key)) && ttlMs <= limitMsOf(key) + behindMs;
    };
    const overdue = seen.filter((each) => !startsWithOne(COMPANIONS, each.key) && !isEnding(each));
    const due = overdue.filter(({ key }) => startsWithOne(WAITERS, key) || overMs > limitMsOf(key));
    if (endless.length > 0 || due.length > 0 || overdue.length === 0) {
      return [
        ...endless.map(createLeftoverMapper("without an end")),
        ...due.map(createLeftoverMapper("no process holds it")),
        ...(await findKeysOfKinds(topology, servers, leaseMs + SLACK_MS, locks)),
      ];
    }
    await sleep(SCAN_INTERVAL_MS);
  }
}

const createLeftoverMapper =
  (why: string) =>
  ({ server, key }: { server: number; key: string }): Leftover => ({ server, key, why });

interface SeenKey {
  readonly server: number;
  readonly key: string;
  readonly ttlMs: number;
}

async function readKeys(topology: Topology, server: number): Promise<SeenKey[]> {
  const redis = topology.getConnection(server);
  const keys = await redis.keys("*");
  const all = await Promise.all(keys.map(async (key) => ({ server, key, ttlMs: await redis.pttl(key) })));
  return all.filter(({ ttlMs }) => ttlMs !== -2);
}
