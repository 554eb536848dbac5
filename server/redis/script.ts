import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { encodeKey, isBinaryKey, type Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "./commands.ts";

/** A key as ioredis takes it. */
export function toRedisArgument(key: Key): RedisArgument {
  return isBinaryKey(key) ? Buffer.from(encodeKey(key)) : key;
}

export interface ScriptCall<Keys, Arguments> {
  keys: Keys;
  arguments: Arguments;
}

/**
 * A Lua file as a typed function: a tuple of keys, a tuple of arguments, a decoded reply. The only place that
 * knows EVALSHA.
 */
export class Script<
  Keys extends readonly RedisArgument[],
  Arguments extends readonly RedisArgument[],
  Reply,
> {
  readonly source: string;
  readonly #sha: string;
  readonly #decode: (reply: unknown) => Reply;

  /** @param format the folder that stands for `format/` in the includes of the file */
  constructor(file: URL, decode: (reply: unknown) => Reply, format?: URL) {
    this.source = readWithIncludes(file, format);
    this.#sha = createHash("sha1").update(this.source).digest("hex");
    this.#decode = decode;
  }

  run(redis: Pick<Commands, "evalsha" | "eval">, keys: Keys, parameters: Arguments): Promise<Reply> {
    return redis.evalsha(this.#sha, keys.length, ...keys, ...parameters).then(this.#decode, async (error) => {
      // NOSCRIPT means that nothing was carried out: EVAL does it now and fills the server's cache.
      if (!isNoScript(error)) throw error;
      return this.#decode(await redis.eval(this.source, keys.length, ...keys, ...parameters));
    });
  }

  /**
   * Many calls in one round trip, each with its reply, its texts as bytes, or its error. For scripts that only read: a
   * missing script makes all of them run again.
   */
  async readMany(redis: Redis, calls: readonly ScriptCall<Keys, Arguments>[]): Promise<(Reply | Error)[]> {
    if (calls.length === 0) return [];
    const replies = await this.#pipeline(redis, calls);
    if (replies.some(([error]) => isNoScript(error))) {
      await redis.script("LOAD", this.source);
      return (await this.#pipeline(redis, calls)).map((reply) => this.#decodeReply(reply));
    }
    return replies.map((reply) => this.#decodeReply(reply));
  }

  async #pipeline(redis: Redis, calls: readonly ScriptCall<Keys, Arguments>[]) {
    const pipeline = redis.pipeline();
    for (const { keys, arguments: parameters } of calls)
      pipeline.callBuffer("EVALSHA", this.#sha, keys.length, ...keys, ...parameters);
    return (await pipeline.exec()) ?? [];
  }

  #decodeReply([error, reply]: [Error | null, unknown]): Reply | Error {
    return error ?? this.#decode(reply);
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** Replaces each `-- include other.lua` line by that file, named from where the line stands, or `format/` of the format's. */
export function readWithIncludes(file: URL, format?: URL): string {
  return readFileSync(file, "utf8").replace(INCLUDE, (_, folder: string | undefined, name: string) => {
    if (folder !== undefined && format === undefined) throw new Error(`${file.pathname} is for a format`);
    return readWithIncludes(new URL(name, folder === undefined ? file : format), format);
  });
}

const INCLUDE = /^-- include (format\/)?(\S+)$/gm;
