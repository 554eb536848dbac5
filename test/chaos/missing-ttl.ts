import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "./history/journal.ts";
import { isEndless, type LockUnderTest } from "./locks-under-test.ts";
import type { Topology } from "./servers/topology.ts";

const SCAN_INTERVAL_MS = 8;
/** Maximum number of reports for each server. A lock that stays without a TTL would be reported by every poll. */
const SEEN_MAX = 5;

/**
 * Polls the TTLs of all locks until `stop` aborts, and reports locks without a TTL. No lock may lack a TTL, not even
 * briefly.
 */
export async function watchForMissingTtl(
  topology: Topology,
  locks: readonly LockUnderTest[],
  journal: Journal,
  stop: AbortSignal,
): Promise<void> {
  const keys = locks.filter((lock) => !isEndless(lock)).map(({ key }) => key);
  await Promise.all(
    topology.servers.map(async (_, n) => {
      const redis = topology.getConnection(n);
      const target = `server ${n + 1}`;
      for (let seen = 0; !stop.aborted && seen < SEEN_MAX; ) {
        const ttls = await Promise.all(keys.map((key) => redis.pttl(key).catch(() => undefined)));
        for (const [at, lock] of keys.entries()) {
          if (ttls[at] !== -1) continue;
          seen++;
          journal.write({ op: "endless", type: "info", lock, target });
        }
        await sleep(SCAN_INTERVAL_MS);
      }
    }),
  );
}
