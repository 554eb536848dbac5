import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findUndefinedNames } from "../../test/support/lua-names.ts";
import { readWithIncludes } from "../redis/script.ts";

const SERVER = new URL("../", import.meta.url);

/**
 * Which arguments of a command are keys. `most` is the maximum number of arguments if a larger number requires a newer
 * Redis.
 */
type Usage = { keys: "none" | "first" | "second" | "all"; most?: number };

// Every command that a script may call. Redis 6.2 has all of them except SPUBLISH, which scripts call only if the
// server has it. `most` is the number of arguments that Redis 6.2 accepts. Redis 7.0 added NX, XX, GT and LT for
// PEXPIRE and PEXPIREAT.
const COMMANDS: Record<string, Usage> = {
  TIME: { keys: "none" },
  PUBLISH: { keys: "none" },
  SPUBLISH: { keys: "none" },
  DEL: { keys: "all" },
  EXISTS: { keys: "all" },
  TYPE: { keys: "first" },
  OBJECT: { keys: "second" },
  PTTL: { keys: "first" },
  PEXPIRE: { keys: "first", most: 2 },
  PERSIST: { keys: "first" },
  PEXPIREAT: { keys: "first", most: 2 },
  GET: { keys: "first" },
  MEMORY: { keys: "second", most: 4 },
  MGET: { keys: "all" },
  GETRANGE: { keys: "first" },
  STRLEN: { keys: "first" },
  SET: { keys: "first", most: 5 },
  HGET: { keys: "first" },
  HSTRLEN: { keys: "first" },
  HGETALL: { keys: "first" },
  HSET: { keys: "first" },
  HDEL: { keys: "first" },
  HLEN: { keys: "first" },
  HKEYS: { keys: "first" },
  HINCRBY: { keys: "first" },
  ZADD: { keys: "first" },
  ZREM: { keys: "first" },
  ZREMRANGEBYRANK: { keys: "first" },
  ZREMRANGEBYSCORE: { keys: "first" },
  ZCARD: { keys: "first" },
  ZCOUNT: { keys: "first" },
  ZSCORE: { keys: "first" },
  SCARD: { keys: "first" },
  SMEMBERS: { keys: "first" },
  SISMEMBER: { keys: "first" },
  SREM: { keys: "first" },
  LLEN: { keys: "first" },
  LINDEX: { keys: "first" },
  LPOP: { keys: "first", most: 1 },
  LPUSH: { keys: "first" },
  LPOS: { keys: "first", most: 2 },
  LREM: { keys: "first" },
  RPUSH: { keys: "first" },
  INCRBY: { keys: "first" },
  ZRANGE: { keys: "first" },
  ZRANGEBYLEX: { keys: "first" },
  ZREVRANGEBYLEX: { keys: "first" },
  ZRANGEBYSCORE: { keys: "first" },
  LRANGE: { keys: "first" },
  XADD: { keys: "first" },
  XREVRANGE: { keys: "first" },
  XTRIM: { keys: "first" },
  XRANGE: { keys: "first" },
  XLEN: { keys: "first" },
  XDEL: { keys: "first" },
};

interface Call {
  readonly line: number;
  readonly command: string;
  readonly parameters: readonly string[];
}

/** Replaces comments with spaces, so that positions do not change. Strings are kept. */
function withoutComments(source: string): string {
  return source.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|--[^\n]*/g, (piece) =>
    piece.startsWith("--") ? " ".repeat(piece.length) : piece,
  );
}

/** Parses the arguments of a call that begin at `start`, after the opening parenthesis. */
function parseArguments(code: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let begin = start;
  for (let at = start; at < code.length; at++) {
    const character = code.charAt(at);
    if (character === "'" || character === '"') {
      at++;
      while (at < code.length && code[at] !== character) at += code[at] === "\\" ? 2 : 1;
    } else if ("([{".includes(character)) depth++;
    else if (character === "," && depth === 0) {
      found.push(code.slice(begin, at).trim());
      begin = at + 1;
    } else if (")]}".includes(character) && depth-- === 0) {
      return [...found, code.slice(begin, at).trim()];
    }
  }
  throw new Error("a call is not closed");
}

function parseCalls(source: string): Call[] {
  const code = withoutComments(source);
  return [...code.matchAll(/\bredis\s*\.\s*p?call\s*\(/g)].map((match) => {
    const [name = "", ...parameters] = parseArguments(code, match.index + match[0].length);
    const command = /^(['"])([A-Z]+)\1$/.exec(name)?.[2] ?? name;
    return { line: code.slice(0, match.index).split("\n").length, command, parameters };
  });
}

function selectKeys(place: Usage["keys"], parameters: readonly string[]): readonly string[] {
  if (place === "none") return [];
  if (place === "all") return parameters;
  return place === "first" ? parameters.slice(0, 1) : parameters.slice(1, 2);
}

/**
 * Returns the faults of a script's Redis calls, one sentence each. Two groups of keys may be missing in KEYS: the
 * leases and companions of readers, because a client does not know all readers, and the permits of a semaphore, which a
 * script reads only before it refuses a request.
 */
function findFaults(source: string): string[] {
  const code = withoutComments(source);
  const calls = parseCalls(source);
  const faults = calls.flatMap(({ line, command, parameters }) => {
    const usage = COMMANDS[command];
    if (usage === undefined)
      return [`line ${line}: ${command} is not among the commands of Redis 6.2 used here`];
    const keys = selectKeys(usage.keys, parameters);
    const strange = keys.filter(
      (key) => !/^(KEYS\[([1-9]|[a-z])\]|format_(lease|reader_companion|permits)_key\([^)]*\))$/.test(key),
    );
    if (usage.keys !== "none" && keys.length === 0) strange.push("nothing");
    return [
      ...strange.map((key) => `line ${line}: ${command} has ${key} for its key, not KEYS[n]`),
      ...(parameters.length > (usage.most ?? Number.POSITIVE_INFINITY)
        ? [`line ${line}: ${command} has more arguments than Redis 6.2 knows`]
        : []),
    ];
  });
  // `redis.sha1hex` accesses no data.
  const mentions = [...code.matchAll(/\bredis\b(?!\.sha1hex\()/g)].length;
  if (mentions !== calls.length)
    faults.push("redis is used otherwise than as redis.call(…) or redis.pcall(…)");
  if (/\btostring\s*\(/.test(code))
    faults.push("tostring loses digits of large numbers: use string.format('%.0f', …)");
  return faults;
}

describe("Lua source checker", () => {
  it("the checker finds Redis calls with their commands and arguments", () => {
    const source = "-- redis.call('DEL', x)\nlocal a = redis.call('HSET', KEYS[1], f(1, 2), '),(') -- note\n";
    expect(parseCalls(source)).toEqual([
      { line: 2, command: "HSET", parameters: ["KEYS[1]", "f(1, 2)", "'),('"] },
    ]);
  });

  it.each([
    ["a key that is not from KEYS", "redis.call('GET', ARGV[1])"],
    ["a computed key", "redis.call('GET', KEYS[1] .. ':x')"],
    ["a key in a variable", "redis.pcall('HLEN', key)"],
    ["a second key that is not from KEYS", "redis.call('DEL', KEYS[1], name)"],
    ["a missing key", "redis.call('DEL')"],
    ["unpacked keys", "redis.call('DEL', unpack(KEYS))"],
    ["an unknown command", "redis.call('HPEXPIRE', KEYS[1], 1)"],
    ["a command that is not a literal", "redis.call(command, KEYS[1])"],
    ["an option newer than Redis 6.2", "redis.call('PEXPIRE', KEYS[1], 5, 'GT')"],
    ["an alias of redis.call", "local call = redis.call"],
    ["another function of redis", "redis.setresp(3)"],
    ["a number that loses digits", "return tostring(1e16)"],
  ])("the checker reports %s", (_, source) => {
    expect(findFaults(source)).toHaveLength(1);
  });

  it("the checker accepts valid calls", () => {
    expect(findFaults("redis.call('DEL', KEYS[1], KEYS[2]); redis.call('PUBLISH', ARGV[1], 'x')")).toEqual(
      [],
    );
  });
});

/** The script that wraps `redis` for other scripts and forwards their calls. */
const PRELUDE = join("redis", "cluster", "one-key.lua");
const FILES = readdirSync(SERVER, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".lua") && file !== PRELUDE)
  .sort();

describe("undefined names in Lua", () => {
  it.each([
    ["a misspelled function", "local function read_text() end return raed_text()", ["raed_text"]],
    [
      "a function that is not included",
      "return { is_wrong_type(redis.pcall('GET', KEYS[1])) }",
      ["is_wrong_type"],
    ],
    ["a function that is called before its declaration", "f() local function f() end", ["f"]],
    ["an assignment without local", "count = 1", ["count"]],
    ["a name that is read outside its block", "do local now = 1 end return now", ["now"]],
    ["a name that is only read", "if ARGV[1] then return missing end", ["missing"]],
    ["nothing in a valid script", "local n = tonumber(ARGV[1]) return string.rep('x', n)", []],
  ])("the check reports %s", (_, source, names) => {
    expect(findUndefinedNames(source)).toEqual(names);
  });

  it("the check reports a misspelled name in a script with includes", () => {
    const whole = readWithIncludes(new URL("formats/acquire.lua", SERVER), new URL("formats/token/", SERVER));
    expect(findUndefinedNames(whole.replace("function stop_waiting()", "function stop_wating()"))).toEqual([
      "stop_waiting",
    ]);
  });
});

describe("Lua scripts", () => {
  it("Lua scripts are found and call more than ten commands", () => {
    expect(FILES).toContain("formats/acquire.lua");
    const called = new Set(FILES.flatMap((file) => parseCalls(read(file)).map(({ command }) => command)));
    expect(called.size).toBeGreaterThan(10);
  });

  function read(file: string): string {
    return readFileSync(new URL(file, SERVER), "utf8");
  }

  /** Replaces the key numbers that some functions take with the corresponding KEYS expressions. */
  function withKeyNumbers(code: string): string {
    const withQueues = code.replace(
      /\b(\w*queue\w*|take_turn|wake_next|\w+_waiters|keep_waiter_keys)\((\d), (\d), (\d)(?=[,)])/g,
      (call, _, ...numbers) => `${call} ${numbers.slice(0, 3).map((number) => `KEYS[${number}]`)}`,
    );
    const withLatches = withQueues.replace(
      /\bread_latch\((\d), (\d), (\d)\)/g,
      "read_latch KEYS[$1] KEYS[$2] KEYS[$3]",
    );
    return withLatches.replace(
      /\b(read_\w+|is_queue\w*|remove_waiter|is_within_bytes|find_count|store_hold|increment_count|extend_expiry|decrement_count|remove_hold|transfer_hold|signal_other_libraries|publish_permits|return_permits|find_give_way_ms|find_earlier_request|has_permits_at|remember_latch_request|record_opening|store_latch_kind)\((\d)(?=[,)])/g,
      (call, _, number) => `${call} KEYS[${number}]`,
    );
  }

  const SEMAPHORES = "formats/redisson/semaphore/";

  /**
   * Returns the formats in which to test the script. Only `token` if the script includes no file of a format, because
   * all formats then have the same version.
   */
  function listFormats(file: string, source: string): readonly string[] {
    if (!source.includes("-- include format/")) return ["token"];
    if (file.startsWith(SEMAPHORES)) return ["redisson/semaphore", "redisson/plain-semaphore"];
    return ["redisson", "redisson/fair", "redisson/read", "redisson/write", "token", "timestamp"];
  }

  /** Whether a script includes the file. The verbs include the storage and the fast path of each format and kind. */
  function isIncluded(file: string): boolean {
    if (/^formats\/(redisson|token|timestamp)\/([\w-]+\/)?(storage|fast-path|recognition)\.lua$/.test(file))
      return true;
    const { href } = new URL(file, SERVER);
    return FILES.some((other) =>
      [...read(other).matchAll(/^-- include (\S+)/gm)].some(
        ([, name = ""]) => new URL(name, new URL(other, SERVER)).href === href,
      ),
    );
  }

  describe.each(FILES)("%s", (file) => {
    const source = read(file);
    const header = /^(?:--.*\n)+/.exec(source)?.[0] ?? "";

    it("the script starts with a sentence that states its purpose", () => {
      expect(header).toMatch(/^-- [A-Z][^\n]{20,}/);
    });

    it("the script calls only commands of Redis 6.2 and takes every key from KEYS", () => {
      expect(findFaults(source)).toEqual([]);
    });

    it("the script includes existing files only", () => {
      for (const [, name = ""] of source.matchAll(/^-- include (\S+)/gm)) {
        const [folder, path] = name.startsWith("format/")
          ? [file.startsWith(SEMAPHORES) ? SEMAPHORES : "formats/token/", name.slice("format/".length)]
          : [file, name];
        expect(existsSync(new URL(path, new URL(folder, SERVER))), name).toBe(true);
      }
    });

    it.each(isIncluded(file) ? [] : listFormats(file, source))(
      "the script refers to declared names only, for %s",
      (format) => {
        const whole = readWithIncludes(new URL(file, SERVER), new URL(`formats/${format}/`, SERVER));
        expect(findUndefinedNames(whole)).toEqual([]);
      },
    );

    it("the script header documents every key, every argument and the return value", () => {
      const shared = /^-- include ((?:fast-path\/|read-key)\S+)$/m.exec(source)?.[1];
      const code = withoutComments(source + (shared === undefined ? "" : read(join(dirname(file), shared))));
      for (const list of ["KEYS", "ARGV"]) {
        const places = (text: string) => new Set(text.match(new RegExp(`${list}\\[\\d+\\]`, "g")));
        expect([...places(header)].sort()).toEqual(
          [...places(list === "KEYS" ? withKeyNumbers(code) : code)].sort(),
        );
      }
      if (parseCalls(source).length > 0 && !isIncluded(file)) expect(header).toMatch(/^-- Returns /m);
    });
  });
});
