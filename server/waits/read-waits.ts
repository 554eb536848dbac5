import type { Key } from "../../lib/keys/key.ts";
import { TARGET_PREFIX } from "../formats/keys.ts";
import type { ReadableObservation } from "../formats/observation.ts";
import type { QueuedClient } from "../formats/queue-reader.ts";
import { readQueues, type SeenQueue } from "../formats/registry/read-queue.ts";
import type { Master, Masters } from "../redis/master.ts";

type Queue = Omit<SeenQueue, "listening">;

/** A waiter as stored in Redis, with an id that is unique among the waiters of its lock. */
export interface StoredWaiter extends QueuedClient {
  readonly id: string;
  readonly by: "lockkeeper" | "library";
}

/** Reads the waiters of many locks, by key. Omits locks whose master does not respond. */
export async function readWaits(
  masters: Masters,
  seen: readonly ReadableObservation[],
): Promise<Map<Key, StoredWaiter[]>> {
  const waiters = new Map<Key, Map<string, StoredWaiter>>();
  await Promise.allSettled(
    groupByMaster(masters, seen).map(async ([{ reads }, locks]) => {
      const queues = await readQueues(await reads.waitUntilReady(), locks, masters.routing);
      for (const [at, { key }] of locks.entries()) {
        const known = waiters.get(key) ?? new Map<string, StoredWaiter>();
        waiters.set(key, known);
        // In a quorum, the same waiter is stored on several masters.
        for (const waiter of listWaiters(queues[at])) if (!known.has(waiter.id)) known.set(waiter.id, waiter);
      }
    }),
  );
  return new Map([...waiters].map(([key, known]) => [key, [...known.values()]]));
}

function listWaiters(queue: Queue | undefined): StoredWaiter[] {
  if (queue === undefined) return [];
  return [
    ...queue.libraryWaiters.map((each): StoredWaiter => {
      return { ...each, id: `queue ${each.owner}`, by: each.isOurs === true ? "lockkeeper" : "library" };
    }),
    ...queue.ownWaiters.map((each): StoredWaiter => ({ ...each, id: each.requestId, by: "lockkeeper" })),
  ];
}

function groupByMaster(
  masters: Masters,
  seen: readonly ReadableObservation[],
): [Master, ReadableObservation[]][] {
  if (masters.isQuorum) return masters.list.map((master) => [master, [...seen]]);
  const groups = new Map<Master, ReadableObservation[]>();
  for (const each of seen) {
    const master = masters.findMaster(each.key);
    if (master === undefined) continue;
    const group = groups.get(master);
    if (group === undefined) groups.set(master, [each]);
    else group.push(each);
  }
  return [...groups];
}

const WAITERS_PREFIX = `${TARGET_PREFIX}waiters:`;
const SCAN_COUNT = 1000;

/**
 * Scans Redis for locks that clients wait for through Lockkeeper, and calls `onKey` for each lock. Skips masters that
 * do not respond.
 */
export async function scanWaitedKeys(masters: Masters, onKey: (key: Key) => void): Promise<void> {
  await Promise.allSettled(
    masters.list.map(async ({ reads }) => {
      const redis = await reads.waitUntilReady();
      let cursor = "0";
      do {
        const [next, names] = await redis.scan(cursor, "MATCH", `${WAITERS_PREFIX}*`, "COUNT", SCAN_COUNT);
        for (const name of names) {
          const key = parseColocatedName(name.slice(WAITERS_PREFIX.length));
          if (key !== undefined) onKey(key);
        }
        cursor = next;
      } while (cursor !== "0");
    }),
  );
}

/**
 * Parses the key from the rest of an auxiliary key's name: `{key}`, or `{tag}:key` for a key with a hash tag. Returns
 * `undefined` for any other string.
 */
function parseColocatedName(rest: string): Key | undefined {
  if (!rest.startsWith("{")) return undefined;
  if (rest.endsWith("}") && rest.indexOf("}") === rest.length - 1) return rest.slice(1, -1);
  const end = rest.indexOf("}:");
  return end < 0 ? undefined : rest.slice(end + 2);
}
