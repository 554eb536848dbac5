import { BASE_PATH } from "@/lib/api/base-path.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import {
  encodeKey,
  encodeKeyPath,
  formatKey,
  isBinaryKey,
  type Key,
  parseKeyFields,
} from "@/lib/keys/key.ts";
import { quoteForShell } from "@/lib/snippets/quote-for-shell.ts";

/**
 * Builds the curl command that reads a lock.
 *
 * @param target target of the lock; `undefined` for the first configured target
 */
export function buildLockCurl(origin: string, key: Key, target?: string): string {
  return buildCurl(buildLockUrl(origin, key, "", target));
}

function buildLockUrl(origin: string, key: Key, verb: "" | "/force-release", target?: string): string {
  const query = target === undefined ? "" : `?target=${encodeURIComponent(target)}`;
  return `${origin}${BASE_PATH}/api/v1/locks/${encodeKeyPath(key)}${verb}${query}`;
}

const CURL = 'curl -H "Authorization: Bearer $LOCKKEEPER_API_KEY"';

/**
 * Builds the curl command that sends a GET request. The command reads the API key from `LOCKKEEPER_API_KEY`.
 *
 * @param url an absolute URL
 */
export function buildCurl(url: string): string {
  return `${CURL} ${quoteForShell(url)}`;
}

/**
 * Builds the curl command that force-releases the hold that the operator saw. If another hold has started since, the
 * server refuses the request. The server authorizes and audits the request like a release in the console.
 *
 * @returns the command; `undefined` if the lock is not held, cannot be released, or can be released only with a format
 */
export function buildForceReleaseCurl(
  origin: string,
  lock: Pick<Lock, "key" | "keyBase64" | "version" | "release">,
  { target, reason }: { target?: string | undefined; reason: string },
): string | undefined {
  const { version: expectedVersion, release } = lock;
  if (expectedVersion === null || release?.may !== "yes") return undefined;
  const url = buildLockUrl(origin, parseKeyFields(lock), "/force-release", target);
  const body = quoteForShell(JSON.stringify({ expectedVersion, reason }));
  return `${CURL} -H "Content-Type: application/json" -d ${body} ${quoteForShell(url)}`;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

type RedisType = NonNullable<Lock["type"]>;

const READ_COMMANDS: Record<RedisType, string> = {
  hash: "HGETALL",
  string: "GET",
  set: "SMEMBERS",
  zset: "ZRANGE",
};

/**
 * Builds the redis-cli command that shows the value of a lock. For a sorted set whose key must be escaped, the command
 * shows only the number of members.
 */
export function buildInspectCommand(key: Key, type: RedisType | null): string {
  const command = READ_COMMANDS[type ?? "hash"];
  const text = toPlainText(key);
  if (text !== undefined) {
    return `redis-cli ${command} ${quoteForShell(text)}${type === "zset" ? " 0 -1 WITHSCORES" : ""}`;
  }
  return `${escapeForPrintf(key)} | redis-cli -x ${type === "zset" ? "ZCARD" : command}`;
}

/**
 * Builds the redis-cli command that deletes a lock if the owner that the operator saw still holds it. Lockkeeper cannot
 * authorize or audit this command.
 *
 * @returns the command; `undefined` if the lock does not have exactly one holder, is not a plain lock, or has a format
 * for which comparing the owner is not sufficient
 */
export function buildReleaseCommand(lock: Lock): string | undefined {
  const [holder, second] = lock.holders;
  if (holder === undefined || second !== undefined || lock.kind !== "lock") return undefined;
  const key = parseKeyFields(lock);
  const owner = toLuaLiteral(decodeOwnerBytes(holder));
  if (lock.type === "string" && lock.format !== "timestamp") {
    const same = `redis.call("GET", KEYS[1]) == ${owner}`;
    return buildEvalCommand(`if ${same} then return redis.call("DEL", KEYS[1]) end return 0`, key);
  }
  if (lock.type !== "hash" || lock.format !== "redisson") return undefined;
  const channel = formatKey(key).includes("{")
    ? 'channel .. ":" .. KEYS[1]'
    : 'channel .. ":{" .. KEYS[1] .. "}"';
  const wake = `local channel = "redisson_lock__channel" redis.call("PUBLISH", ${channel}, "0")`;
  const releaseScript = `redis.call("DEL", KEYS[1]) ${wake} return 1`;
  return buildEvalCommand(
    `if redis.call("HEXISTS", KEYS[1], ${owner}) == 1 then ${releaseScript} end return 0`,
    key,
  );
}

function buildEvalCommand(script: string, key: Key): string {
  const text = toPlainText(key);
  const command = `EVAL ${quoteForShell(script)} 1`;
  return text === undefined
    ? `${escapeForPrintf(key)} | redis-cli -x ${command}`
    : `redis-cli ${command} ${quoteForShell(text)}`;
}

function decodeOwnerBytes({ owner, ownerBase64 }: Holder): Uint8Array {
  return encodeKey(
    parseKeyFields({ key: owner, ...(ownerBase64 === undefined ? {} : { keyBase64: ownerBase64 }) }),
  );
}

/**
 * Returns the key as text if it needs no escaping: printable ASCII without `!`, which shells expand. Returns
 * `undefined` for any other key.
 */
function toPlainText(key: Key): string | undefined {
  const text = formatKey(key);
  return PRINTABLE_ASCII.test(text) && !isBinaryKey(key) && !text.includes("!") ? text : undefined;
}

/**
 * Builds a `printf` command whose output `redis-cli -x` reads as the key. A key with a zero byte cannot be a program
 * argument.
 */
function escapeForPrintf(key: Key): string {
  return `printf '%b' '${[...encodeKey(key)].map(formatOctal).join("")}'`;
}

/** Formats bytes as a Lua string literal. Escapes all bytes except letters, digits and a few safe characters. */
function toLuaLiteral(bytes: Uint8Array): string {
  const letters = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_@+=:,./-]/.test(character) ? character : `\\${byte.toString().padStart(3, "0")}`;
  });
  return `"${letters.join("")}"`;
}

function formatOctal(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9_@+=:,./-]/.test(character)) return character;
  return `\\0${byte.toString(8).padStart(3, "0")}`;
}
