import type { Redis } from "ioredis";
import type { Leftover } from "./leftover.ts";
import { FAIR_WAIT_MS, type LockUnderTest, PERMIT_LIMIT } from "./locks-under-test.ts";
import type { Topology } from "./servers/topology.ts";

/** Time in milliseconds without an attempt after which a waiter counts as dead. */
const HEARTBEAT_MS = 6000;
/** Time in milliseconds for which the record of a condition's waiter is kept after its heartbeats stopped. */
const EXPIRED_MS = 120_000;
/** A number of clients that no run reaches. */
const WAITERS_MAX = 100;

const buildQueueKey = (key: string) => `redisson_lock_queue:{${key}}`;
const buildTimeoutsKey = (key: string) => `redisson_lock_timeout:{${key}}`;
const buildHeartbeatsKey = (key: string) => `lockkeeper:fair:{${key}}`;
/** Functions that build the key of the acquired permits, by kind of semaphore. */
const PERMITS_KEYS: Partial<Record<LockUnderTest["kind"], (key: string) => string>> = {
  semaphore: (key) => `{${key}}:timeout`,
  "plain-semaphore": (key) => `lockkeeper:permits:{${key}}`,
};

/** Returns the key of the acquired permits, or `undefined` if the lock is not a semaphore. */
export function getPermitsKey({ key, kind }: LockUnderTest): string | undefined {
  return PERMITS_KEYS[kind]?.(key);
}

/** Returns whether the key has no TTL by design, or a TTL that outlasts the run. */
export function isKeyOfKind(name: string, locks: readonly LockUnderTest[]): boolean {
  return locks.some((lock) => listKeys(lock).includes(name));
}

function listKeys(lock: LockUnderTest): readonly string[] {
  const { key, kind } = lock;
  if (kind === "fair") return [buildQueueKey(key), buildTimeoutsKey(key), buildHeartbeatsKey(key)];
  const permitsKey = getPermitsKey(lock);
  if (permitsKey !== undefined) return [key, permitsKey];
  return kind === "latch" ? [key] : [];
}

/**
 * Checks the content of the keys that remain by design. No permit of a semaphore may be lost or added, each acquired
 * permit must end with its lease, and each client in the queue of a fair lock or a condition must have a time at which
 * it is removed as dead.
 */
export async function findKeysOfKinds(
  topology: Topology,
  servers: readonly number[],
  limitMs: number,
  locks: readonly LockUnderTest[],
): Promise<Leftover[]> {
  const found = servers.map(async (server) => {
    const redis = topology.getConnection(server);
    const untilMs = (await readTimeMs(redis)) + topology.getBehindMs(server);
    const faults = locks.map(async (lock) => {
      const { key, kind } = lock;
      // On a cluster, only the master of the key's slot has the key.
      if (topology.name === "cluster" && (await topology.group.findMasterOf(key)) !== server)
        return undefined;
      if (kind === "fair") return await findQueueFault(redis, key, untilMs);
      if (kind === "condition") return await findConditionFault(redis, key, untilMs);
      return await findPermitFault(redis, lock, untilMs + limitMs);
    });
    const whys = await Promise.all(faults);
    return whys.flatMap((why, at) => (why === undefined ? [] : [{ server, key: locks[at]?.key ?? "", why }]));
  });
  return (await Promise.all(found)).flat();
}

async function readTimeMs(redis: Redis): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await redis.time()).map(Number);
  return seconds * 1000 + microseconds / 1000;
}

async function findPermitFault(
  redis: Redis,
  lock: LockUnderTest,
  untilMs: number,
): Promise<string | undefined> {
  const permitsKey = getPermitsKey(lock);
  if (permitsKey === undefined) return undefined;
  const number = await redis.get(lock.key);
  // The number of available permits was lost. The next acquire creates it again.
  if (number === null) return undefined;
  const ends = await readScores(redis, permitsKey);
  const total = Number(number) + ends.size;
  if (total !== PERMIT_LIMIT)
    return `${total} of ${PERMIT_LIMIT} permits: ${number} available, ${ends.size} acquired`;
  const late = [...ends.values()].filter((end) => end > untilMs).length;
  return late === 0 ? undefined : `${late} permits outlast the longest lease`;
}

async function findQueueFault(redis: Redis, key: string, nowMs: number): Promise<string | undefined> {
  const [queue, timeouts, heartbeats] = await Promise.all([
    redis.lrange(buildQueueKey(key), 0, -1),
    readScores(redis, buildTimeoutsKey(key)),
    readScores(redis, buildHeartbeatsKey(key)),
  ]);
  const endless = queue.filter((waiter) => {
    const beat = heartbeats.get(waiter);
    if (beat !== undefined) return Math.abs(beat) > nowMs + HEARTBEAT_MS;
    const end = timeouts.get(waiter);
    return end === undefined || end > nowMs + WAITERS_MAX * FAIR_WAIT_MS;
  });
  return endless.length === 0 ? undefined : `waiters in its queue that nothing ends: ${endless.join(", ")}`;
}

/**
 * Checks the keys of a lock's conditions. Each record of a waiter needs a heartbeat after which the record is removed,
 * and each place in the queue needs the record of its waiter.
 */
async function findConditionFault(redis: Redis, key: string, nowMs: number): Promise<string | undefined> {
  const [places, ids, heartbeats] = await Promise.all([
    redis.zrange(`lockkeeper:conditions:{${key}}`, 0, "-1"),
    redis.hkeys(`lockkeeper:conditions:waiters:{${key}}`),
    readScores(redis, `lockkeeper:conditions:heartbeats:{${key}}`),
  ]);
  const endless = ids.filter((id) => {
    const beat = heartbeats.get(id);
    // For a waiter without recent heartbeats, the value is negative and its absolute value is the time until which the
    // record is kept.
    return beat === undefined || beat > nowMs + HEARTBEAT_MS || -beat > nowMs + EXPIRED_MS;
  });
  if (endless.length > 0) return `waiters of its conditions that nothing ends: ${endless.join(", ")}`;
  const unknown = places.filter((place) => !ids.includes(place.split("\t")[2] ?? ""));
  return unknown.length === 0
    ? undefined
    : `places of its conditions without a waiter: ${unknown.join(", ")}`;
}

async function readScores(redis: Redis, key: string): Promise<Map<string, number>> {
  const flat = await redis.zrangeBuffer(key, 0, "-1", "WITHSCORES");
  const scores = new Map<string, number>();
  for (let at = 0; at < flat.length; at += 2) {
    scores.set(flat[at]?.toString("latin1") ?? "", Number(flat[at + 1]));
  }
  return scores;
}
