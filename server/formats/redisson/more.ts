import type { RedisArgument } from "../../redis/script.ts";
import { wakeChannelOf } from "../keys.ts";
import type { More } from "../known-format.ts";
import type { HeldObservation, SeenHolder, SeenWaiters } from "../observation.ts";
import { leasesOf } from "./leases.ts";
import { fairQueueOf, latchChannelOf, readWriteChannelOf, semaphoreChannelOf } from "./names.ts";
import { isUnnamed } from "./recognise.ts";

type Command = readonly [command: string, ...RedisArgument[]];

/** Who waits, and what is left to each reader. Of our own holds nothing: our verbs count who waits by them. */
export const more: More = {
  ask: (seen) => (seen.holders[0].seq > 0 ? [] : [...waitersAsked(seen), ...leasesAsked(seen)]),
  take: (seen, answers) => {
    const asked = waitersAsked(seen).length;
    const told = withWaiters(seen, answers.slice(0, asked));
    return withLeases(told, answers.slice(asked));
  },
};

const listenersOf = (...channels: RedisArgument[]): Command => ["PUBSUB", "NUMSUB", ...channels];

function waitersAsked(seen: HeldObservation): Command[] {
  const { key, kind, asOf } = seen;
  if (isUnnamed(seen)) return [listenersOf(semaphoreChannelOf(key), latchChannelOf(key))];
  if (kind === "fair") return [["ZCOUNT", fairQueueOf(key)[1], "-inf", asOf]];
  if (kind === "read" || kind === "write") return [listenersOf(readWriteChannelOf(key))];
  return [listenersOf(kind === "semaphore" ? semaphoreChannelOf(key) : wakeChannelOf(key))];
}

function withWaiters(seen: HeldObservation, [answer]: readonly unknown[]): HeldObservation {
  if (isUnnamed(seen)) return counterTold(seen, countsOf(answer));
  if (seen.kind === "fair") return { ...seen, waiters: alive(seen.waiters, Number(answer ?? 0)) };
  const [count] = countsOf(answer);
  return count === undefined ? seen : { ...seen, waiters: listening(seen, count) };
}

/** Those whose client has died stay in the queue until they come to its head. */
function alive(waiters: SeenWaiters = { count: 0, known: "exact" }, dead: number): SeenWaiters {
  return { ...waiters, count: Math.max(0, (waiters.count ?? 0) - dead) };
}

/** Each client that listens has one waiter or more. Ours listen on the same channel, and are counted one by one. */
function listening({ waiters }: HeldObservation, clients: number): SeenWaiters {
  return { count: Math.max(waiters?.count ?? 0, clients), known: "estimated" };
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

/** The numbers of a reply of PUBSUB NUMSUB: channel, number, channel, … */
function countsOf(answer: unknown): number[] {
  if (!Array.isArray(answer)) return [];
  return answer.filter((_, at) => at % 2 === 1).map(Number);
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
