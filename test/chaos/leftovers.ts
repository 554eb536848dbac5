import { setTimeout as sleep } from "node:timers/promises";
import { HOME_PREFIX, TARGET_PREFIX } from "../../server/formats/keys.ts";
import type { Topology } from "./servers/topology.ts";

export interface Leftover {
  readonly server: number;
  readonly key: string;
  readonly why: string;
}

const SCAN_INTERVAL_MS = 200;
/** The longest wait of a worker, plus the time for which the list of waiters is kept after it. */
const WAITERS_MS = 6000 + 1000;
const SLACK_MS = 1500;
const COMPANION = "lockkeeper:hold:";
const WAITERS = "lockkeeper:waiters:";
/** If this key is gone, an API server concludes that all keys were removed. */
const CANARY = `${TARGET_PREFIX}canary`;

/**
 * Finds keys that remain in Redis without a client: locks after the longest lease, lists of waiters that would outlast
 * the longest wait, and keys without a time to live. Companions remain for a while, as intended, and the API server's
 * own data remains permanently.
 */
export async function findLeftovers(topology: Topology, leaseMs: number): Promise<Leftover[]> {
  const startedAt = performance.now();
  const limitMsOf = (key: string) => SLACK_MS + (key.startsWith(WAITERS) ? WAITERS_MS : leaseMs);
  const servers = await topology.findMasters();
  for (;;) {
    const all = (await Promise.all(servers.map((n) => readKeys(topology, n)))).flat();
    const seen = all.filter(({ key }) => !key.startsWith(HOME_PREFIX) && !key.startsWith(CANARY));
    const endless = seen.filter(({ ttlMs }) => ttlMs === -1);
    const overMs = performance.now() - startedAt;
    // No client can extend a list of waiters any more. A clock that was set back prolongs all keys by the same amount,
    // so the time to live shows whether such a key will expire in time.
    const isEnding = ({ server, key, ttlMs }: SeenKey) => {
      const behindMs = topology.getBehindMs(server);
      return (behindMs > 0 || key.startsWith(WAITERS)) && ttlMs <= limitMsOf(key) + behindMs;
    };
    const overdue = seen.filter((each) => !each.key.startsWith(COMPANION) && !isEnding(each));
    const due = overdue.filter(({ key }) => key.startsWith(WAITERS) || overMs > limitMsOf(key));
    if (endless.length > 0 || due.length > 0 || overdue.length === 0) {
      return [
        ...endless.map(createLeftoverMapper("without an end")),
        ...due.map(createLeftoverMapper("nobody is left who has it")),
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
