import type { Redis } from "ioredis";
import { keyOfBytes } from "../../../lib/keys/key.ts";
import type { Spread } from "../../redis/master.ts";
import { waitersKeyOf, wakeChannelOf } from "../keys.ts";
import type { Answered } from "../observation.ts";
import { type Command, pairsOf, QUEUED_MAX, type Queue, type Queued } from "../queue-reader.ts";
import { FAIR_QUEUE } from "../redisson/fair-queue.ts";
import { knownFormat } from "./lock-formats.ts";
import { listenersOf } from "./read-details.ts";

/** Who waits for a lock at one Redis. */
export interface SeenQueue {
  /** By our own verbs, who has waited longest first. */
  readonly ours: readonly (Queued & { readonly requestId: string })[];
  readonly theirs: readonly Queued[];
  readonly order: Queue["order"];
  /** How many clients listen for the release; undefined: they cannot be counted. */
  readonly listening: number | undefined;
}

/** @param seen what a look at the key showed just before */
export async function readQueue(redis: Redis, seen: Answered, spread?: Spread): Promise<SeenQueue> {
  const { key, asOf } = seen;
  const queue = queueOf(seen);
  const ask = async ([command, at, ...more]: Command) =>
    await (spread ?? redis).callBuffer(command, at, ...more).catch((error) => {
      if (error instanceof Error && /^(WRONGTYPE|NOPERM)/.test(error.message)) return undefined;
      throw error;
    });
  const ours: Command = [
    "ZRANGEBYSCORE",
    waitersKeyOf(key),
    asOf,
    "+inf",
    "WITHSCORES",
    "LIMIT",
    0,
    QUEUED_MAX,
  ];
  const [waiting, listeners, ...answers] = await Promise.all([
    ask(ours),
    listenersOf(redis, [wakeChannelOf(key)], spread),
    ...(queue?.ask(key) ?? []).map(ask),
  ]);
  const theirs = queue?.take(answers, asOf) ?? [];
  return { ours: oursOf(waiting), theirs, order: queue?.order ?? "unseen", listening: listeners[0] };
}

/** A fair lock keeps its queue while nobody has it. */
function queueOf(seen: Answered): Queue | undefined {
  if (seen.state === "free") return FAIR_QUEUE;
  return seen.state === "not_a_lock" ? undefined : knownFormat(seen.format, seen.type)?.queue;
}

/** Request id, since when and owner, as companion.lua names them; anybody may have put something else there. */
const NAME = /^([^\t]*)\t(\d{1,15})\t(.+)$/s;

function oursOf(answer: unknown): SeenQueue["ours"] {
  const entries = pairsOf(answer).flatMap(([name, score]) => {
    const [, requestId, since, owner] = NAME.exec(name.toString("latin1")) ?? [];
    if (requestId === undefined || owner === undefined) return [];
    const named = keyOfBytes(Buffer.from(owner, "latin1"));
    return [{ requestId, owner: named, sinceMs: Number(since), untilMs: Number(score) }];
  });
  return entries.sort((one, other) => one.sinceMs - other.sinceMs);
}
