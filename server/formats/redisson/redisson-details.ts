import type { RedisArgument } from "../../redis/commands.ts";
import { wakeChannelOf } from "../keys.ts";
import type { More } from "../lock-format.ts";
import type { HeldObservation, SeenHolder, SeenWaiters } from "../observation.ts";
import { isUnnamed } from "./detect-redisson.ts";
import { leasesOf } from "./reader-leases.ts";
import { fairQueueOf, latchChannelOf, readWriteChannelOf, semaphoreChannelOf } from "./redisson-keys.ts";

type Command = readonly [command: string, ...RedisArgument[]];

/** Who waits, and what is left to each reader. Of our own holds nothing: our verbs count who waits by them. */
export const more: More = {
  ask: (seen) => (isOurs(seen) ? [] : [...queueAsked(seen), ...leasesAsked(seen)]),
  listened: (seen) => (isOurs(seen) ? [] : channelsOf(seen)),
  take: (seen, answers, listeners) => {
    if (isUnnamed(seen)) return counterTold(seen, listeners);
    if (seen.kind === "fair") return { ...seen, waiters: alive(seen.waiters, Number(answers[0] ?? 0)) };
    const [clients] = listeners;
    const told = clients === undefined ? seen : { ...seen, waiters: listening(seen, clients) };
    return withLeases(told, answers);
  },
};

const isOurs = ({ holders }: HeldObservation) => holders[0].seq > 0;

function queueAsked({ key, kind, asOf }: HeldObservation): Command[] {
  return kind === "fair" ? [["ZCOUNT", fairQueueOf(key)[1], "-inf", asOf]] : [];
}

function channelsOf(seen: HeldObservation): RedisArgument[] {
  const { key, kind } = seen;
  if (isUnnamed(seen)) return [semaphoreChannelOf(key), latchChannelOf(key)];
  if (kind === "fair") return [];
  if (kind === "read" || kind === "write") return [readWriteChannelOf(key)];
  return [kind === "semaphore" ? semaphoreChannelOf(key) : wakeChannelOf(key)];
}

/** Those whose client has died stay in the queue until they come to its head. */
function alive(waiters: SeenWaiters = { count: 0, known: "exact" }, dead: number): SeenWaiters {
  return { ...waiters, count: Math.max(0, (waiters.count ?? 0) - dead) };
}

/** Of most locks, so that it is kept once for all of them. */
const NOBODY_LISTENS: SeenWaiters = { count: 0, known: "estimated" };

/** Each client that listens has one waiter or more. Ours listen on the same channel, and are counted one by one. */
function listening({ waiters }: HeldObservation, clients: number): SeenWaiters {
  const count = Math.max(waiters?.count ?? 0, clients);
  return count === 0 ? NOBODY_LISTENS : { count, known: "estimated" };
}

/** Nothing in Redis tells a latch from a semaphore but who listens for it. */
function counterTold(seen: HeldObservation, [forPermits, forZero]: readonly number[]): HeldObservation {
  if (forPermits === undefined || forZero === undefined) return seen;
  const waiters = { count: Math.max(forPermits, forZero), known: "estimated" } as const;
  if (forPermits > 0 === forZero > 0) return { ...seen, waiters };
  if (forPermits > 0) return { ...seen, waiters, confidence: "likely" };
  const { permits, ...rest } = seen;
  const [holder] = seen.holders;
  const left = { ...holder, count: permits?.available ?? holder.count };
  return { ...rest, waiters, kind: "latch", confidence: "likely", holders: [left] };
}

const leasesAsked = (seen: HeldObservation): Command[] =>
  leasesOf(seen).flatMap(({ leases }) => leases.map((lease): Command => ["PTTL", lease]));

function withLeases(seen: HeldObservation, answers: readonly unknown[]): HeldObservation {
  if (answers.length === 0) return seen;
  const own = new Map<SeenHolder, number | null>();
  let at = 0;
  for (const { reader, leases } of leasesOf(seen)) {
    const mine = answers.slice(at, at + leases.length).map(Number);
    at += leases.length;
    if (!mine.some(Number.isNaN)) own.set(reader, longestOf(mine, seen.remainingMs));
  }
  const leftOf = (holder: SeenHolder): SeenHolder => {
    const ownRemainingMs = own.get(holder);
    return ownRemainingMs === undefined ? holder : { ...holder, ownRemainingMs };
  };
  const [first, ...rest] = seen.holders;
  return { ...seen, holders: [leftOf(first), ...rest.map(leftOf)] };
}

/** As PTTL answers. -2: that entry has ended; -1: somebody took its end away. */
function longestOf(leasesMs: readonly number[], lockMs: number | null): number | null {
  if (leasesMs.includes(-1)) return lockMs;
  const longestMs = Math.max(0, ...leasesMs);
  return lockMs === null ? longestMs : Math.min(longestMs, lockMs);
}
