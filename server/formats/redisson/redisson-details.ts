import type { RedisArgument } from "../../redis/commands.ts";
import { buildWakeChannel } from "../keys.ts";
import type { DetailReader } from "../lock-format.ts";
import type { HeldObservation, SeenHolder, SeenWaiters } from "../observation.ts";
import type { ReadCommand } from "../queue-reader.ts";
import { isUnnamedCounter } from "./detect-redisson.ts";
import { buildReaderLeases } from "./reader-leases.ts";
import {
  buildFairQueueKeys,
  buildLatchChannel,
  buildReadWriteChannel,
  buildSemaphoreChannel,
} from "./redisson-keys.ts";

/** Who waits, and what is left to each reader. Of our own holds nothing: our verbs count who waits by them. */
export const REDISSON_DETAILS: DetailReader = {
  buildCommands: (seen) =>
    isOwnHold(seen) ? [] : [...buildQueueCommands(seen), ...buildLeaseCommands(seen)],
  buildChannels: (seen) => (isOwnHold(seen) ? [] : buildChannels(seen)),
  applyAnswers: (seen, answers, listeners) => {
    if (isUnnamedCounter(seen)) return applyCounterListeners(seen, listeners);
    if (seen.kind === "fair")
      return { ...seen, waiters: subtractDead(seen.waiters, Number(answers[0] ?? 0)) };
    const [clients] = listeners;
    const withWaiters = clients === undefined ? seen : applyListeners(seen, clients);
    return applyLeases(withWaiters, answers);
  },
};

const isOwnHold = ({ holders }: HeldObservation) => holders[0].seq > 0;

function buildQueueCommands({ key, kind, asOf }: HeldObservation): ReadCommand[] {
  return kind === "fair" ? [["ZCOUNT", buildFairQueueKeys(key)[1], "-inf", asOf]] : [];
}

function buildChannels(seen: HeldObservation): RedisArgument[] {
  const { key, kind } = seen;
  if (isUnnamedCounter(seen)) return [buildSemaphoreChannel(key), buildLatchChannel(key)];
  if (kind === "fair") return [];
  if (kind === "read" || kind === "write") return [buildReadWriteChannel(key)];
  return [kind === "semaphore" ? buildSemaphoreChannel(key) : buildWakeChannel(key)];
}

/** Those whose client has died stay in the queue until they come to its head. */
function subtractDead(waiters: SeenWaiters = { count: 0, known: "exact" }, dead: number): SeenWaiters {
  return { ...waiters, count: Math.max(0, (waiters.count ?? 0) - dead) };
}

/** Of most locks, so that it is kept once for all of them. */
const NOBODY_LISTENS: SeenWaiters = { count: 0, known: "estimated" };

/** Nobody but a client of Redisson listens on the channel of a lock, unless some of ours wait for the key. */
function applyListeners(seen: HeldObservation, clients: number): HeldObservation {
  const isEvidence = clients > 0 && (seen.waiters?.count ?? 0) === 0 && seen.holders.length === 1;
  const confidence = isEvidence ? "certain" : seen.confidence;
  return { ...seen, confidence, waiters: toWaiters(seen, clients) };
}

/** Each client that listens has one waiter or more. Ours listen on the same channel, and are counted one by one. */
function toWaiters({ waiters }: HeldObservation, clients: number): SeenWaiters {
  const count = Math.max(waiters?.count ?? 0, clients);
  return count === 0 ? NOBODY_LISTENS : { count, known: "estimated" };
}

/** Nothing in Redis tells a latch from a semaphore but who listens for it. */
function applyCounterListeners(
  seen: HeldObservation,
  [forPermits, forZero]: readonly number[],
): HeldObservation {
  if (forPermits === undefined || forZero === undefined) return seen;
  const waiters = { count: Math.max(forPermits, forZero), known: "estimated" } as const;
  if (forPermits > 0 === forZero > 0) return { ...seen, waiters };
  if (forPermits > 0) return { ...seen, waiters, confidence: "likely" };
  const { permits, ...rest } = seen;
  const [holder] = seen.holders;
  const left = { ...holder, count: permits?.available ?? holder.count };
  return { ...rest, waiters, kind: "latch", confidence: "likely", holders: [left] };
}

const buildLeaseCommands = (seen: HeldObservation): ReadCommand[] =>
  buildReaderLeases(seen).flatMap(({ leases }) => leases.map((lease): ReadCommand => ["PTTL", lease]));

function applyLeases(seen: HeldObservation, answers: readonly unknown[]): HeldObservation {
  if (answers.length === 0) return seen;
  const own = new Map<SeenHolder, number | null>();
  let at = 0;
  for (const { reader, leases } of buildReaderLeases(seen)) {
    const mine = answers.slice(at, at + leases.length).map(Number);
    at += leases.length;
    if (!mine.some(Number.isNaN)) own.set(reader, findLongestLeaseMs(mine, seen.remainingMs));
  }
  const leftOf = (holder: SeenHolder): SeenHolder => {
    const ownRemainingMs = own.get(holder);
    return ownRemainingMs === undefined ? holder : { ...holder, ownRemainingMs };
  };
  const [first, ...rest] = seen.holders;
  return { ...seen, holders: [leftOf(first), ...rest.map(leftOf)] };
}

/** As PTTL answers. -2: that entry has ended; -1: somebody took its end away. */
function findLongestLeaseMs(leasesMs: readonly number[], lockMs: number | null): number | null {
  if (leasesMs.includes(-1)) return lockMs;
  const longestMs = Math.max(0, ...leasesMs);
  return lockMs === null ? longestMs : Math.min(longestMs, lockMs);
}
