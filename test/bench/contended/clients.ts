import type { Contender } from "../contender.ts";
import { openOurs } from "../core/ours.ts";
import { createRedisSemaphore } from "../peers/redis-semaphore.ts";
import { createRedlock } from "../peers/redlock.ts";

/** Longer than any wait, so that nobody gives up. */
const WAIT_MS = 60_000;

/** The libraries for Node, each as it waits for a lock. */
export async function openContendedClients(url: string): Promise<readonly Contender[]> {
  const ours = await openOurs(url, { waitMs: WAIT_MS });
  return [
    { ...ours, settings: `${ours.settings}, waitMs ${WAIT_MS}` },
    createRedlock(url, "endless"),
    createRedisSemaphore(url, WAIT_MS),
  ];
}
