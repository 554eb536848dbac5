import type { Redis } from "ioredis";
import type { RedisArgument } from "../redis/script.ts";
import type { More } from "./known-format.ts";
import { knownFormat } from "./known-formats.ts";
import type { HeldObservation, Observation } from "./observation.ts";

interface Asked {
  readonly more: More;
  readonly seen: HeldObservation;
  readonly commands: number;
  readonly channels: number;
}

/** Asks what some formats keep elsewhere, and who listens, in one round trip for all of them. */
export async function askMore(redis: Redis, seen: readonly Observation[]): Promise<Observation[]> {
  const pipeline = redis.pipeline();
  const channels: RedisArgument[] = [];
  const asked = seen.map((observation): Asked | undefined => {
    if (observation.state !== "held") return undefined;
    const more = knownFormat(observation.format, observation.type)?.more;
    if (more === undefined) return undefined;
    const commands = more.ask(observation);
    for (const [command, ...parameters] of commands) pipeline.call(command, ...parameters);
    const listened = more.listened?.(observation) ?? [];
    channels.push(...listened);
    return { more, seen: observation, commands: commands.length, channels: listened.length };
  });
  // One command for all: of thousands of locks it would cost more than the locks themselves.
  if (channels.length > 0) pipeline.call("PUBSUB", "NUMSUB", ...channels);
  if (pipeline.length === 0) return [...seen];
  const answers = ((await pipeline.exec()) ?? []).map(([error, answer]) => (error ? undefined : answer));
  return taken(seen, asked, answers, channels.length > 0 ? listenersOf(answers.pop()) : []);
}

function taken(
  seen: readonly Observation[],
  asked: readonly (Asked | undefined)[],
  answers: readonly unknown[],
  listeners: readonly number[],
): Observation[] {
  let answer = 0;
  let channel = 0;
  return seen.map((observation, index) => {
    const one = asked[index];
    if (one === undefined || one.commands + one.channels === 0) return observation;
    const mine = answers.slice(answer, answer + one.commands);
    const heard = listeners.slice(channel, channel + one.channels);
    answer += one.commands;
    channel += one.channels;
    return one.more.take(one.seen, mine, heard);
  });
}

/** A reply of PUBSUB NUMSUB: channel, number, channel, … Empty where it was refused. */
function listenersOf(reply: unknown): number[] {
  return Array.isArray(reply) ? reply.filter((_, at) => at % 2 === 1).map(Number) : [];
}
