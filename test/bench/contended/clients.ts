import type { Contender } from "../contender.ts";
import { openOurs } from "../core/ours.ts";
import { createRedisSemaphore } from "../peers/redis-semaphore.ts";
import { createRedlock } from "../peers/redlock.ts";

/** Maximum wait in ms, so long that no client gives up. */
const WAIT_MS = 60_000;

/** Opens one contender for each Node.js library. Each uses the library's own way of waiting for a lock. */
export async function openContendedClients(url: string): Promise<readonly Contender[]> {
  const ours = await openOurs(url, { waitMs: WAIT_MS });
  return [
    { ...ours, settings: `${ours.settings}, waitMs ${WAIT_MS}` },
    createRedlock(url, "endless"),
    createRedisSemaphore(url, WAIT_MS),
  ];
}
