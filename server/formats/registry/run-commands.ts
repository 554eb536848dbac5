import type { Redis } from "ioredis";
import type { RedisArgument } from "../../redis/commands.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { SlotRouting } from "../../redis/master.ts";
import { Script } from "../../redis/script.ts";
import { QUEUED_MAX, READ_TEXTS, type ReadCommand } from "../queue-reader.ts";
import { VALUE_BYTES_MAX } from "../raw-key.ts";

/** Maximum memory usage in bytes of the elements that are read from a key. */
const PART_BYTES_MAX = 1024 * 1024;

type Part = [command: string, bytesMax: number, most: number, ...more: RedisArgument[]];

const readPart = new Script<[RedisArgument], Part, unknown>(
  new URL("read-part.lua", import.meta.url),
  (reply) => reply,
);

const readTexts = new Script<RedisArgument[], [lastByte: RedisArgument], unknown>(
  new URL("read-texts.lua", import.meta.url),
  (reply) => reply,
);

/**
 * Returns the keys and the argument of read-texts.lua for a `READ_TEXTS` command. Returns `undefined` for any other
 * command.
 */
function toTexts([command, first, lastByte = "", ...others]: ReadCommand) {
  if (command !== READ_TEXTS) return undefined;
  return { keys: [first, ...others], arguments: [lastByte] as [RedisArgument] };
}

/**
 * Returns the arguments of read-part.lua for a command whose reply could be of any size. Returns `undefined` for any
 * other command.
 */
function toPart([command, , ...more]: ReadCommand): Part | undefined {
  const last = Number(more[1]);
  switch (command) {
    case "LRANGE":
    case "ZRANGE":
      return [command, PART_BYTES_MAX, last + 1];
    case "ZRANGEBYSCORE":
      return [command, PART_BYTES_MAX, QUEUED_MAX, more[0] ?? "-inf"];
    case "HKEYS":
      return [command, PART_BYTES_MAX, QUEUED_MAX];
    case "HMGET":
      return [command, PART_BYTES_MAX, VALUE_BYTES_MAX, ...more];
    default:
      return undefined;
  }
}

/**
 * Runs read-only commands in one round trip, and returns strings as bytes. LRANGE, ZRANGE, ZRANGEBYSCORE, HKEYS and
 * HMGET run in a script that measures the elements first and omits elements that are too large. `READ_TEXTS` also runs
 * as a script. Redirected commands are sent again to another node.
 *
 * @returns one reply per command; `undefined` if Redis refused the command
 * @throws any error other than an error reply from Redis
 */
export async function runReadCommands(
  redis: Redis,
  commands: readonly ReadCommand[],
  routing?: SlotRouting,
): Promise<unknown[]> {
  if (commands.length === 0) return [];
  const parts = commands.map(toPart);
  const calls = commands.flatMap(([, key], at) => {
    const part = parts[at];
    return part === undefined ? [] : [{ keys: [key] as [RedisArgument], arguments: part }];
  });
  const texts = commands.map(toTexts);
  const plain = commands.filter((_, at) => parts[at] === undefined && texts[at] === undefined);
  const [scripted, read, replied] = await Promise.all([
    readPart.readMany(redis, calls),
    readTexts.readMany(
      redis,
      texts.flatMap((call) => call ?? []),
    ),
    runPlain(redis, plain),
  ]);
  return await Promise.all(
    commands.map(async (command, at) => {
      const replies = parts[at] !== undefined ? scripted : texts[at] !== undefined ? read : replied;
      const reply = replies.shift();
      return reply instanceof Error ? await retryElsewhere(command, reply, routing) : reply;
    }),
  );
}

async function runPlain(redis: Redis, commands: readonly ReadCommand[]): Promise<unknown[]> {
  if (commands.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const [command, ...parameters] of commands) pipeline.callBuffer(command, ...parameters);
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => error ?? reply);
}

/**
 * Sends a redirected command to the node that has the key, because auxiliary keys may be in a different slot than the
 * lock.
 * @throws any error other than an error reply from Redis
 */
async function retryElsewhere(command: ReadCommand, error: Error, routing?: SlotRouting): Promise<unknown> {
  if (!isReplyError(error)) throw error;
  if (routing === undefined || !/^(MOVED|ASK|TRYAGAIN)/.test(error.message)) return undefined;
  const texts = toTexts(command);
  if (texts !== undefined)
    return await readTexts.run(routing.scripts, texts.keys, texts.arguments).catch(() => undefined);
  const part = toPart(command);
  const [name, key, ...more] = command;
  const reply =
    part === undefined ? routing.callBuffer(name, key, ...more) : readPart.run(routing.scripts, [key], part);
  return await reply.catch(() => undefined);
}
