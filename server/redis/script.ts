import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { encodeKey, isBinaryKey, type Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "./commands.ts";

/** Converts a key to the form that ioredis accepts. */
export function toRedisArgument(key: Key): RedisArgument {
  return isBinaryKey(key) ? Buffer.from(encodeKey(key)) : key;
}

export interface ScriptCall<Keys, Arguments> {
  keys: Keys;
  arguments: Arguments;
}

/** With `EVALSHA_RO` (Redis 7.0 and newer), Redis refuses every write of the script. */
type ReadCommand = "EVALSHA" | "EVALSHA_RO";

/** The command for read-only scripts on each connection. `EVALSHA` by default. */
const readCommands = new WeakMap<Redis, ReadCommand>();

/**
 * Makes `Script.readMany` and `Script.read` use EVALSHA_RO on this connection. Switches to EVALSHA if Redis does not
 * support EVALSHA_RO or the user is not allowed to run it.
 */
export function preferReadOnlyScripts(redis: Redis): void {
  readCommands.set(redis, "EVALSHA_RO");
}

/**
 * A Lua file as a typed function, which takes a tuple of keys and a tuple of arguments and returns a decoded reply.
 */
export class Script<
  Keys extends readonly RedisArgument[],
  Arguments extends readonly RedisArgument[],
  Reply,
> {
  readonly source: string;
  readonly #sha: string;
  /** Decodes a reply from the script. @throws UnexpectedReplyError if the script cannot return such a reply */
  readonly decode: (reply: unknown) => Reply;

  /** @param format the folder that replaces `format/` in the file's includes */
  constructor(file: URL, decode: (reply: unknown) => Reply, format?: URL) {
    this.source = readWithIncludes(file, format);
    this.#sha = createHash("sha1").update(this.source).digest("hex");
    this.decode = decode;
  }

  run(redis: Pick<Commands, "evalsha" | "eval">, keys: Keys, parameters: Arguments): Promise<Reply> {
    return redis.evalsha(this.#sha, keys.length, ...keys, ...parameters).then(this.decode, async (error) => {
      // NOSCRIPT means that the server did not run the script. EVAL runs the script and adds it to the server's cache.
      if (!isNoScript(error)) throw error;
      return this.decode(await redis.eval(this.source, keys.length, ...keys, ...parameters));
    });
  }

  /**
   * Runs a read-only script. Uses EVALSHA_RO, so that Redis refuses writes, on a connection that was passed to
   * `preferReadOnlyScripts`. Uses EVALSHA on other connections, or if Redis does not support EVALSHA_RO or the user is
   * not allowed to run it.
   */
  async read(redis: Commands, keys: Keys, parameters: Arguments): Promise<Reply> {
    if (!isConnection(redis) || readCommands.get(redis) !== "EVALSHA_RO")
      return await this.run(redis, keys, parameters);
    try {
      const reply = await redis.call("EVALSHA_RO", this.#sha, keys.length, ...keys, ...parameters);
      return this.decode(reply);
    } catch (error) {
      if (isNoScript(error)) await redis.script("LOAD", this.source);
      else if (isReadCommandRefusal(error)) readCommands.set(redis, "EVALSHA");
      else throw error;
      return await this.read(redis, keys, parameters);
    }
  }

  /**
   * Sends many calls in one round trip. Returns the reply to each call, with strings as buffers, or the error from the
   * call. Use this method only for read-only scripts: if Redis does not know the script, all calls are sent again.
   */
  async readMany(redis: Redis, calls: readonly ScriptCall<Keys, Arguments>[]): Promise<(Reply | Error)[]> {
    if (calls.length === 0) return [];
    const replies = await this.#pipeline(redis, calls);
    if (replies.some(([error]) => isReadCommandRefusal(error))) {
      readCommands.set(redis, "EVALSHA");
      return await this.readMany(redis, calls);
    }
    if (replies.some(([error]) => isNoScript(error))) {
      await redis.script("LOAD", this.source);
      return (await this.#pipeline(redis, calls)).map((reply) => this.#decodeReply(reply));
    }
    return replies.map((reply) => this.#decodeReply(reply));
  }

  async #pipeline(redis: Redis, calls: readonly ScriptCall<Keys, Arguments>[]) {
    const pipeline = redis.pipeline();
    const command = readCommands.get(redis) ?? "EVALSHA";
    for (const { keys, arguments: parameters } of calls)
      pipeline.callBuffer(command, this.#sha, keys.length, ...keys, ...parameters);
    return (await pipeline.exec()) ?? [];
  }

  #decodeReply([error, reply]: [Error | null, unknown]): Reply | Error {
    return error ?? this.decode(reply);
  }
}

/** Whether the commands go to a single server. Cluster commands choose the connection by key. */
function isConnection(commands: Commands): commands is Commands & Redis {
  return "call" in commands && "script" in commands;
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** Returns whether the error shows that Redis does not support EVALSHA_RO or that the user is not allowed to run it. */
function isReadCommandRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(ERR unknown command|NOPERM.* run the) .?evalsha_ro\b/i.test(error.message);
}

/**
 * Reads a Lua file and replaces each line `-- include other.lua` with the content of that file. The path is relative to
 * the including file; `format/` stands for the folder of the format. Each file is included once per scope: if its names
 * are already visible, the include line is removed. `-- include other.lua as function name` makes the file the body of
 * a local function with its own scope.
 */
export function readWithIncludes(file: URL, format?: URL): string {
  return readScope(file, format, new Set());
}

/** @param included the files whose names are visible in this file; files that it includes are added to the set */
function readScope(file: URL, format: URL | undefined, included: Set<string>): string {
  const include = (_: string, folder: string | undefined, name: string, functionName: string | undefined) => {
    if (folder !== undefined && format === undefined) throw new Error(`${file.pathname} is for a format`);
    const other = new URL(name, folder === undefined ? file : format);
    if (functionName !== undefined)
      return `local function ${functionName}()\n${readScope(other, format, new Set(included))}\nend`;
    if (included.has(other.href)) return "";
    included.add(other.href);
    return readScope(other, format, included);
  };
  return readFileSync(file, "utf8").replace(INCLUDE, include);
}

const INCLUDE = /^-- include (format\/)?(\S+)(?: as function (\w+))?$/gm;
