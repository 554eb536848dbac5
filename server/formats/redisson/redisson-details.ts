import { formatKey } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { parseCompanion, toSeenHolder } from "../companion.ts";
import {
  buildFairQueueKeys,
  buildHolderCompanionKey,
  buildReadWriteChannel,
  buildWakeChannel,
} from "../keys.ts";
import type { DetailReader } from "../lock-format.ts";
import type { HeldObservation, SeenHolder, SeenWaiters } from "../observation.ts";
import type { ReadCommand } from "../queue-reader.ts";
import { isUnnamedCounter } from "./detect-redisson.ts";
import { buildPermitCommands, combinePermits } from "./permit-holds.ts";
import { buildReaderLeases } from "./reader-leases.ts";
import { buildLatchChannel, buildSemaphoreChannel } from "./redisson-keys.ts";

/** Maximum size of a companion in bytes. Must match companion.lua. */
const COMPANION_BYTES_MAX = 8192;

/** Reads the waiters, the remaining time and companion of each reader, and the companions of a semaphore's permits. */
export const REDISSON_DETAILS: DetailReader = {
  buildCommands: (seen) =>
    isOwnHold(seen)
      ? []
      : isPermitSemaphore(seen)
        ? buildPermitCommands(seen)
        : [...buildQueueCommands(seen), ...buildLeaseCommands(seen)],
  buildChannels: (seen) => (isOwnHold(seen) ? [] : buildChannels(seen)),
  applyAnswers: (seen, answers, listeners) => {
    if (isUnnamedCounter(seen)) return applyCounterListeners(seen, listeners);
    if (seen.kind === "fair")
      return { ...seen, waiters: subtractDead(seen.waiters, Number(answers[0] ?? 0)) };
    const [clients] = listeners;
    const withWaiters = clients === undefined ? seen : applyListeners(seen, clients);
    if (isPermitSemaphore(seen)) return combinePermits(withWaiters, answers);
    return applyLeases(withWaiters, answers);
  },
};

/** Whether the lock is a semaphore whose holders are permits with ids. */
const isPermitSemaphore = (seen: HeldObservation) => seen.kind === "semaphore" && !isUnnamedCounter(seen);
/**
 * Whether no details need to be read, because the verbs already count the waiters of an exclusive Lockkeeper hold.
 * False for readers, which have their own companions.
 */
const isOwnHold = ({ holders }: HeldObservation) => holders[0].seq > 0 && holders[0].role === undefined;

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

/** Subtracts the waiters of dead clients from the count. Such waiters stay in the queue until they reach its head. */
function subtractDead(waiters: SeenWaiters = { count: 0, known: "exact" }, dead: number): SeenWaiters {
  return { ...waiters, count: Math.max(0, (waiters.count ?? 0) - dead) };
}

/** The waiters of a lock without subscribers. Most locks share this object, which saves memory. */
const NO_SUBSCRIBERS: SeenWaiters = { count: 0, known: "estimated" };

/**
 * Adds the waiters of Redisson, estimated from the number of subscribers of the lock's channel. Only clients of
 * Redisson subscribe to it, unless Lockkeeper clients wait for the key.
 */
function applyListeners(seen: HeldObservation, clients: number): HeldObservation {
  const isEvidence = clients > 0 && (seen.waiters?.count ?? 0) === 0 && seen.holders.length === 1;
  const confidence = isEvidence ? "certain" : seen.confidence;
  return Object.assign({}, seen, { confidence, waiters: toWaiters(seen, clients) });
}

/**
 * Estimates the number of waiters as at least one per subscribed client. Lockkeeper's waiters use the same channel and
 * are counted exactly.
 */
function toWaiters({ waiters }: HeldObservation, clients: number): SeenWaiters {
  const count = Math.max(waiters?.count ?? 0, clients);
  return count === 0 ? NO_SUBSCRIBERS : { count, known: "estimated" };
}

/** Distinguishes a latch from a semaphore by the subscribers of their channels, because no other data in Redis does. */
function applyCounterListeners(
  seen: HeldObservation,
  [forPermits, forZero]: readonly number[],
): HeldObservation {
  if (forPermits === undefined || forZero === undefined) return seen;
  const waiters = { count: Math.max(forPermits, forZero), known: "estimated" } as const;
  if (seen.kind === "latch") return { ...seen, waiters: { ...waiters, count: forZero } };
  if (forPermits > 0 === forZero > 0) return { ...seen, waiters };
  if (forPermits > 0) return { ...seen, waiters, confidence: "likely" };
  const { permits, ...rest } = seen;
  const [holder] = seen.holders;
  const left = { ...holder, count: permits?.available ?? holder.count };
  return { ...rest, waiters, kind: "latch", confidence: "likely", holders: [left] };
}

/** Builds the commands that read the leases and the companion of each reader. */
const buildLeaseCommands = (seen: HeldObservation): ReadCommand[] =>
  buildReaderLeases(seen).flatMap(({ reader, leases }) => [
    ...leases.map((lease): ReadCommand => ["PTTL", lease]),
    ["GETRANGE", buildHolderCompanionKey(seen.key, formatKey(reader.token)), 0, COMPANION_BYTES_MAX],
  ]);

function applyLeases(seen: HeldObservation, answers: readonly unknown[]): HeldObservation {
  if (answers.length === 0) return seen;
  const readers = new Map<SeenHolder, SeenHolder>();
  let at = 0;
  for (const { reader, leases } of buildReaderLeases(seen)) {
    const ownLeases = answers.slice(at, at + leases.length).map(Number);
    const companion = answers[at + leases.length];
    at += leases.length + 1;
    const described = describeReader(reader, companion);
    const isKnown = !ownLeases.some(Number.isNaN);
    const ownRemainingMs = isKnown ? findLongestLeaseMs(ownLeases, seen.remainingMs) : undefined;
    readers.set(reader, ownRemainingMs === undefined ? described : { ownRemainingMs, ...described });
  }
  const holders = seen.holders.map((holder) => readers.get(holder) ?? holder);
  // A reader whose lease has ended does not hold the lock. Its field remains until the next release. While the lock has
  // a writer, Redisson counts such a field, and converts the lock to mode read when the writer releases it.
  const live = seen.kind === "write" ? holders : holders.filter(({ ownRemainingMs }) => ownRemainingMs !== 0);
  // If no reader is live, writers of Redisson still wait until the key expires, so an operator must be able to release
  // the lock.
  const hasForeign = holders.some(({ seq }) => seq === 0);
  const [first, ...rest] = live.length > 0 ? live : holders;
  if (first === undefined || (live.length === 0 && !hasForeign)) return { ...seen, state: "ended" };
  return { ...seen, holders: [first, ...rest] };
}

/** Adds the companion data of a reader that uses Lockkeeper. */
function describeReader(reader: SeenHolder, companion: unknown): SeenHolder {
  if (!Buffer.isBuffer(companion) || companion.length > COMPANION_BYTES_MAX) return reader;
  const parsed = parseCompanion(companion.toString("utf8"));
  if (parsed?.token !== reader.token || parsed.format !== "redisson") return reader;
  return { role: "read", ...toSeenHolder(parsed.token, reader.count, parsed) };
}

/**
 * Returns the longest lease in ms, from the replies of PTTL. A reply is -2 if the lease has expired and -1 if its TTL
 * was removed.
 */
function findLongestLeaseMs(leasesMs: readonly number[], lockMs: number | null): number | null {
  if (leasesMs.includes(-1)) return lockMs;
  const longestMs = Math.max(0, ...leasesMs);
  return lockMs === null ? longestMs : Math.min(longestMs, lockMs);
}
