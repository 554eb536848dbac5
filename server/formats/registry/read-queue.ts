import type { Redis } from "ioredis";
import { decodeKey } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import type { SlotRouting } from "../../redis/master.ts";
import { buildReadWriteChannel, buildWaitersKey, buildWakeChannel } from "../keys.ts";
import { isReadWrite } from "../kind-keys.ts";
import type { ReadableObservation } from "../observation.ts";
import { parseMemberScores, type QueuedClient, type QueueReader, type ReadCommand } from "../queue-reader.ts";
import { FAIR_QUEUE } from "../redisson/fair-queue.ts";
import { findLockFormat } from "./lock-formats.ts";
import { countListeners } from "./read-details.ts";
import { runReadCommands } from "./run-commands.ts";

/** The waiters of a lock on one Redis. */
export interface SeenQueue {
  /** Waiters of Lockkeeper's verbs, longest waiting first. */
  readonly ours: readonly (QueuedClient & { readonly requestId: string })[];
  readonly theirs: readonly QueuedClient[];
  readonly order: QueueReader["order"];
  /** The number of clients that are subscribed to the release; `undefined` if they cannot be counted. */
  readonly listening: number | undefined;
}

/**
 * Reads the waiters of a lock.
 *
 * @param seen an observation of the key that was made just before
 */
export async function readQueue(
  redis: Redis,
  seen: ReadableObservation,
  routing?: SlotRouting,
): Promise<SeenQueue> {
  const { key, asOf } = seen;
  const queue = findQueueReader(seen);
  const ours: ReadCommand = ["ZRANGEBYSCORE", buildWaitersKey(key), asOf];
  const [[waiting, ...answers], listeners] = await Promise.all([
    runReadCommands(redis, [ours, ...(queue?.buildCommands(key) ?? [])], routing),
    countListeners(redis, [findWakeChannel(seen)], routing),
  ]);
  const theirs = queue?.parseQueue(answers, asOf) ?? [];
  return {
    ours: parseOwnWaiters(waiting),
    theirs,
    order: queue?.order ?? "unknown",
    listening: listeners[0],
  };
}

/** The waiters of a read/write lock listen on a channel of their own. */
function findWakeChannel(seen: ReadableObservation): RedisArgument {
  return "kind" in seen && isReadWrite(seen.kind)
    ? buildReadWriteChannel(seen.key)
    : buildWakeChannel(seen.key);
}

/** A fair lock keeps its queue while it is free. */
function findQueueReader(seen: ReadableObservation): QueueReader | undefined {
  if (seen.state === "free") return FAIR_QUEUE;
  return seen.state === "not_a_lock" ? undefined : findLockFormat(seen.format, seen.type)?.queue;
}

/** Request id, start of the wait and owner, as companion.lua writes them. Any client may have written other members. */
const NAME = /^([^\t]*)\t(\d{1,15})\t(.+)$/s;

function parseOwnWaiters(answer: unknown): SeenQueue["ours"] {
  const entries = parseMemberScores(answer).flatMap(([name, score]) => {
    const [, requestId, since, owner] = NAME.exec(name.toString("latin1")) ?? [];
    if (requestId === undefined || owner === undefined) return [];
    const named = decodeKey(Buffer.from(owner, "latin1"));
    return [{ requestId, owner: named, sinceMs: Number(since), untilMs: Number(score) }];
  });
  return entries.sort((one, other) => one.sinceMs - other.sinceMs);
}
