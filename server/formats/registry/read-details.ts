import type { Redis } from "ioredis";
import type { RedisArgument } from "../../redis/commands.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { SlotRouting } from "../../redis/master.ts";
import type { DetailReader } from "../lock-format.ts";
import type { HeldObservation, Observation } from "../observation.ts";
import type { ReadCommand } from "../queue-reader.ts";
import { findLockFormat } from "./lock-formats.ts";
import { runReadCommands } from "./run-commands.ts";

interface DetailRequest {
  readonly more: DetailReader;
  readonly seen: HeldObservation;
  readonly commands: number;
  readonly channels: number;
}

/**
 * Returns the observations, with additional data for held locks: the data that some formats store in other keys, and
 * the number of subscribers.
 */
export async function readDetails(
  redis: Redis,
  seen: readonly Observation[],
  routing?: SlotRouting,
): Promise<Observation[]> {
  const commands: ReadCommand[] = [];
  const channels: RedisArgument[] = [];
  const requests = seen.map((observation): DetailRequest | undefined => {
    if (observation.state !== "held") return undefined;
    const more = findLockFormat(observation.format, observation.type)?.more;
    if (more === undefined) return undefined;
    const wanted = more.buildCommands(observation);
    commands.push(...wanted);
    const listened = more.buildChannels?.(observation) ?? [];
    channels.push(...listened);
    return { more, seen: observation, commands: wanted.length, channels: listened.length };
  });
  if (commands.length + channels.length === 0) return [...seen];
  const [answers, listeners] = await Promise.all([
    runReadCommands(redis, commands, routing),
    countListeners(redis, channels, routing),
  ]);
  return applyDetails(seen, requests, answers, listeners);
}

/**
 * Counts the subscribers of each channel, including sharded subscriptions if the target supports them. Returns an empty
 * list if Redis refused the command. Each command covers all channels, because one command per channel would cost more
 * than reading the locks.
 */
export async function countListeners(
  redis: Redis,
  channels: readonly RedisArgument[],
  routing?: SlotRouting,
): Promise<number[]> {
  if (channels.length === 0) return [];
  const plain = parseChannelCounts(await redis.call("PUBSUB", "NUMSUB", ...channels).catch(ignoreReplyError));
  if (!routing?.hasShardedPubSub) return plain;
  const sharded = parseChannelCounts(
    await redis.call("PUBSUB", "SHARDNUMSUB", ...channels).catch(ignoreReplyError),
  );
  return plain.map((count, at) => count + (sharded[at] ?? 0));
}

/** Parses a reply of PUBSUB NUMSUB: channel, number, channel, … */
function parseChannelCounts(reply: unknown): number[] {
  return Array.isArray(reply) ? reply.filter((_, at) => at % 2 === 1).map(Number) : [];
}

function ignoreReplyError(error: unknown): undefined {
  if (!isReplyError(error)) throw error;
}

function applyDetails(
  seen: readonly Observation[],
  requests: readonly (DetailRequest | undefined)[],
  answers: readonly unknown[],
  listeners: readonly number[],
): Observation[] {
  let answer = 0;
  let channel = 0;
  return seen.map((observation, index) => {
    const one = requests[index];
    if (one === undefined || one.commands + one.channels === 0) return observation;
    const ownAnswers = answers.slice(answer, answer + one.commands);
    const listenerCounts = listeners.slice(channel, channel + one.channels);
    answer += one.commands;
    channel += one.channels;
    return one.more.applyAnswers(one.seen, ownAnswers, listenerCounts);
  });
}
