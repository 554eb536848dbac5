import type { Waiters } from "../../lib/contract/lock.ts";
import {
  type LockWaiter,
  type LockWaiters,
  WAITERS_LISTED_MAX,
  type WaitersOrder,
} from "../../lib/contract/waiters.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import type { FormatRules } from "../formats/format-rules.ts";
import type { ReadableObservation, SeenWaiters } from "../formats/observation.ts";
import type { QueuedClient } from "../formats/queue-reader.ts";
import { readKeys } from "../formats/registry/read-keys.ts";
import { readQueue, type SeenQueue } from "../formats/registry/read-queue.ts";
import { requireReadable } from "../formats/registry/require-readable.ts";
import { NeverSentError } from "../redis/failure.ts";
import type { Master, Masters } from "../redis/master.ts";
import { assertIsLock, type DirectReadTarget, findMastersToAsk, getFirstFailure } from "./direct-read.ts";

interface WaitersReading {
  readonly seen: ReadableObservation;
  readonly queue: SeenQueue;
}

/**
 * Reads the waiters of a lock, with their owner strings if Redis stores them. In a quorum, reads the waiters from all
 * masters, because clients queue on each master.
 *
 * @throws LockkeeperError `not_a_lock` or `unavailable`, or the Redis error if no master responds
 */
export async function readLockWaiters(
  { name, masters, rules }: DirectReadTarget,
  key: Key,
): Promise<LockWaiters> {
  const selectedMasters = findMastersToAsk(masters, key);
  const tries = await Promise.allSettled(
    selectedMasters.map((master) => readWaitersAt(master, masters, rules.rules, key)),
  );
  const readings = tries.flatMap((read) => (read.status === "fulfilled" ? [read.value] : []));
  const [first] = readings;
  if (first === undefined) throw getFirstFailure(tries);
  assertIsLock(readings.map(({ seen }) => seen));
  const ownWaiters = listOwnWaiters(readings);
  const { order, libraryWaiters } = first.queue;
  const isOne = first.queue.listening === 1 || ownWaiters.length === 1;
  const named = [
    ...libraryWaiters.map((each, at) =>
      toLockWaiter(each.isOurs ? "lockkeeper" : "library", each, order === "in_turn" ? at + 1 : null),
    ),
    ...ownWaiters.map((each, at) =>
      toLockWaiter(
        "lockkeeper",
        each,
        isOne && libraryWaiters.length === 0 && !masters.isQuorum ? at + 1 : null,
      ),
    ),
  ];
  return {
    target: name,
    ...toKeyFields(key),
    waiters: countWaiters(readings, named.length),
    order: getWaitersOrder(first.queue, ownWaiters.length, isOne && !masters.isQuorum),
    named: named.length,
    items: named.slice(0, WAITERS_LISTED_MAX),
    asOf: first.seen.asOf,
  };
}

async function readWaitersAt(
  { reads }: Master,
  { routing }: Masters,
  rules: FormatRules,
  key: Key,
): Promise<WaitersReading> {
  const redis = await reads.waitUntilReady();
  const [observation] = await readKeys(redis, [key], rules, routing);
  if (observation === undefined) throw new NeverSentError("The key has just moved to another master");
  const seen = requireReadable(observation);
  return { seen, queue: await readQueue(redis, seen, routing) };
}

/**
 * Lists the waiting clients of Lockkeeper, longest wait first. Each client appears only once, although in a quorum it
 * is queued on every master.
 */
function listOwnWaiters(readings: readonly WaitersReading[]): QueuedClient[] {
  const byName = new Map<string, QueuedClient>();
  for (const { queue } of readings) {
    for (const { requestId, owner, sinceMs, untilMs } of queue.ownWaiters) {
      const name = `${requestId}\t${owner}`;
      if (!byName.has(name)) byName.set(name, { owner, sinceMs, untilMs });
    }
  }
  return [...byName.values()].sort((one, other) => (one.sinceMs ?? 0) - (other.sinceMs ?? 0));
}

function toLockWaiter(
  by: LockWaiter["by"],
  { owner, sinceMs, untilMs }: QueuedClient,
  place: number | null,
): LockWaiter {
  const { key, keyBase64 } = toKeyFields(owner);
  const named = keyBase64 === undefined ? { owner: key } : { owner: key, ownerBase64: keyBase64 };
  return { ...named, by, place, since: sinceMs, until: untilMs };
}

/** Returns the highest number of waiters on any master, or the number of waiters with known owners if it is higher. */
function countWaiters(readings: readonly WaitersReading[], named: number): Waiters {
  const all = readings.flatMap(({ seen }) => ("waiters" in seen && seen.waiters ? [seen.waiters] : []));
  const unseen: SeenWaiters = { count: null, known: "unknown" };
  const most = all.reduce(
    (one, other) => ((other.count ?? 0) > (one.count ?? 0) ? other : one),
    all[0] ?? unseen,
  );
  return named === 0 ? most : { ...most, count: Math.max(most.count ?? 0, named) };
}

function getWaitersOrder(
  { order, libraryWaiters }: SeenQueue,
  ownCount: number,
  isOne: boolean,
): WaitersOrder {
  if (libraryWaiters.length > 0) return order === "in_turn" ? "queue" : "unknown";
  if (ownCount === 0) return "unknown";
  return isOne ? "first_come" : "by_process";
}
