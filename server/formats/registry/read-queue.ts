import type { Redis } from "ioredis";
import { decodeKey } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import type { SlotRouting } from "../../redis/master.ts";
import { buildReadWriteChannel, buildWaitersKey, buildWakeChannel } from "../keys.ts";
import { isReadWrite } from "../kind-keys.ts";
import type { ReadableObservation } from "../observation.ts";
import { parseMemberScores, type QueuedClient, type QueueReader, type ReadCommand } from "../queue-reader.ts";
import { FAIR_QUEUE } from "../redisson/fair-queue.ts";
import { parseDeclaration } from "../wait-declaration.ts";
import { findLockFormat } from "./lock-formats.ts";
import { countListeners } from "./read-details.ts";
import { runReadCommands } from "./run-commands.ts";

/** The waiters of a lock, as read from one master. */
export interface SeenQueue {
  /** Waiters of Lockkeeper's verbs that are not in the queue of a library, longest wait first. */
  readonly ownWaiters: readonly (QueuedClient & { readonly requestId: string })[];
  /**
   * Waiters in the queue that the lock's library stores. For a fair lock, this queue includes clients that wait through
   * Lockkeeper.
   */
  readonly libraryWaiters: readonly QueuedClient[];
  readonly order: QueueReader["order"];
  /** Number of clients that are subscribed to release messages; `undefined` if subscribers cannot be counted. */
  readonly listening: number | undefined;
}

/**
 * Reads the waiters of a lock from one master.
 *
 * @param seen a current observation of the key
 */
export async function readQueue(
  redis: Redis,
  seen: ReadableObservation,
  routing?: SlotRouting,
): Promise<SeenQueue> {
  const queue = findQueueReader(seen);
  const [answers, listeners] = await Promise.all([
    runReadCommands(redis, buildQueueCommands(seen, queue), routing),
    countListeners(redis, [findWakeChannel(seen)], routing),
  ]);
  return { ...parseQueueAnswers(answers, seen.asOf, queue), listening: listeners[0] };
}

/** Reads the waiters of many locks in one round trip. Does not count subscribers. */
export async function readQueues(
  redis: Redis,
  seen: readonly ReadableObservation[],
  routing?: SlotRouting,
): Promise<Omit<SeenQueue, "listening">[]> {
  const queues = seen.map(findQueueReader);
  const commands = seen.map((each, at) => buildQueueCommands(each, queues[at]));
  const answers = await runReadCommands(redis, commands.flat(), routing);
  let from = 0;
  return seen.map(({ asOf }, at) => {
    const until = from + (commands[at]?.length ?? 0);
    const own = answers.slice(from, until);
    from = until;
    return parseQueueAnswers(own, asOf, queues[at]);
  });
}

function buildQueueCommands(
  { key, asOf }: ReadableObservation,
  queue: QueueReader | undefined,
): ReadCommand[] {
  return [["ZRANGEBYSCORE", buildWaitersKey(key), asOf], ...(queue?.buildCommands(key) ?? [])];
}

function parseQueueAnswers(
  [waiting, ...answers]: readonly unknown[],
  asOf: number,
  queue: QueueReader | undefined,
): Omit<SeenQueue, "listening"> {
  const ownWaiters = new Map(parseOwnWaiters(waiting).map((waiter) => [waiter.requestId, waiter]));
  const libraryWaiters = (queue?.parseQueue(answers, asOf) ?? []).map((queued): QueuedClient => {
    const own = ownWaiters.get(queued.owner);
    if (own === undefined) return queued;
    ownWaiters.delete(queued.owner);
    const { owner, sinceMs, untilMs, declaration } = own;
    return { owner, sinceMs, untilMs, declaration, isOurs: true };
  });
  return { ownWaiters: [...ownWaiters.values()], libraryWaiters, order: queue?.order ?? "unknown" };
}

/** Returns the channel on which waiters listen. Read/write locks use a different channel from other locks. */
function findWakeChannel(seen: ReadableObservation): RedisArgument {
  return "kind" in seen && isReadWrite(seen.kind)
    ? buildReadWriteChannel(seen.key)
    : buildWakeChannel(seen.key);
}

/** Returns the reader for the queue that the library stores. Even a free fair lock has a queue. */
function findQueueReader(seen: ReadableObservation): QueueReader | undefined {
  if (seen.state === "free") return FAIR_QUEUE;
  return seen.state === "not_a_lock" ? undefined : findLockFormat(seen.format, seen.type)?.queue;
}

/**
 * Matches a waiter as waiter.lua stores it: request id or token, start of the wait in ms, owner and declaration. Other
 * clients may have written members that do not match.
 */
const NAME = /^([^\t]*)\t(\d{1,15})\t([^\t]+)(?:\t(.*))?$/s;

const toUtf8 = (text: string) => Buffer.from(text, "latin1").toString();

function parseOwnWaiters(answer: unknown): SeenQueue["ownWaiters"] {
  const entries = parseMemberScores(answer).flatMap(([name, score]) => {
    const [, requestId, since, owner, declared] = NAME.exec(name.toString("latin1")) ?? [];
    if (requestId === undefined || owner === undefined) return [];
    const named = decodeKey(Buffer.from(owner, "latin1"));
    const declaration = declared === undefined ? undefined : parseDeclaration(toUtf8(declared));
    const times = { sinceMs: Number(since), untilMs: Number(score) };
    return [{ requestId, owner: named, ...times, declaration }];
  });
  return entries.sort((one, other) => one.sinceMs - other.sinceMs);
}
