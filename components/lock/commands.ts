import { bytesOfKey, type Key, pathOfKey } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { BASE_PATH } from "@/lib/live/base-path.ts";

/** Safe in any POSIX shell, whatever the text holds. */
export function shellQuote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function curlCommand(origin: string, key: Key): string {
  const url = shellQuote(`${origin}${BASE_PATH}/api/v1/locks/${pathOfKey(key)}`);
  return `curl -H "Authorization: Bearer $LOCKKEEPER_ROOT_KEY" ${url}`;
}

const PLAIN = /^[\x20-\x7e]*$/;

type RedisType = NonNullable<Lock["type"]>;

const READ: Record<RedisType, string> = { hash: "HGETALL", string: "GET", set: "SMEMBERS", zset: "ZRANGE" };

/** Shows the lock as it stands in Redis. */
export function redisCliCommand(key: Key, type: RedisType | null): string {
  const command = READ[type ?? "hash"];
  const bytes = bytesOfKey(key);
  const text = new TextDecoder().decode(bytes);
  // No history expansion, no control characters, no letters that look like others: bytes are spelled out.
  if (PLAIN.test(text) && !text.includes("!")) {
    return `redis-cli ${command} ${shellQuote(text)}${type === "zset" ? " 0 -1 WITHSCORES" : ""}`;
  }
  const spelled = [...bytes].map(octal).join("");
  // A program's argument cannot hold a zero byte, so the key goes through standard input, as the last argument.
  return `printf '%b' '${spelled}' | redis-cli -x ${type === "zset" ? "ZCARD" : command}`;
}

function octal(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9_@+=:,./-]/.test(character)) return character;
  return `\\0${byte.toString(8).padStart(3, "0")}`;
}
