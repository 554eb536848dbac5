import { quoteForShell } from "../../lib/snippets/quote-for-shell.ts";
import { buildQueuePattern } from "../../server/formats/keys.ts";
import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
import { parseRedisAddress } from "../../server/redis/connect.ts";

/** Patterns of keys that formats use in addition to the lock, such as companions and the queues of waiters. */
const COMPANION_KEYS = [
  "lockkeeper:*",
  "redisson_lock_token:*",
  "redisson_lock_queue:*",
  "redisson_lock_timeout:*",
];
const OTHER_COMMANDS =
  "+script|load +info +time +ping +select +client|setname +subscribe +unsubscribe +psubscribe +punsubscribe +pubsub|numsub +config|get";
const CLUSTER_COMMANDS = "+cluster|slots +cluster|info";

/**
 * Builds the ACL SETUSER command for a read-only Redis user. The user can read only the keys that match the patterns,
 * and the auxiliary keys of locks. docs/targets.md shows the same command.
 *
 * @param server name and version, such as "Redis 7.0.15"
 */
export function buildReaderRules(where: RedisLocation, patterns: readonly string[], server: string): string {
  const db = typeof where === "string" ? parseRedisAddress(where).db : 0;
  const keys = [...new Set([...patterns, ...COMPANION_KEYS, ...patterns.map((pattern) => `{${pattern}`)])];
  const watched = [...patterns, ...patterns.map(buildQueuePattern)];
  const channels = [...watched.map((pattern) => `__keyspace@${db}__:${pattern}`), "lockkeeper:*"];
  const isCluster = typeof where === "object" && "cluster" in where;
  return [
    "ACL SETUSER lockkeeper-reader reset on >PASSWORD",
    ...keys.map((key) => `~${key}`),
    "resetchannels",
    ...channels.map((channel) => `&${channel}`),
    "+@read -@dangerous",
    hasReadOnlyScripts(server) ? "+eval_ro +evalsha_ro" : "+eval +evalsha",
    OTHER_COMMANDS,
    ...(isCluster ? [CLUSTER_COMMANDS] : []),
    ...(isCluster && hasReadOnlyScripts(server) ? ["+spublish +ssubscribe +sunsubscribe"] : []),
  ].join(" ");
}

/** Builds a redis-cli command line, quoted for a POSIX shell, that runs the command from `buildReaderRules`. */
export function buildReaderCommandLine(...rules: Parameters<typeof buildReaderRules>): string {
  return [
    "redis-cli",
    ...buildReaderRules(...rules)
      .split(" ")
      .map(quoteForShell),
  ].join(" ");
}

/**
 * Returns whether a Redis server supports EVAL_RO and sharded channels. Redis 7.0 and newer and all Valkey versions do.
 */
export function hasReadOnlyScripts(server: string): boolean {
  const [, product, major] = /^(Redis|Valkey) (\d+)\./.exec(server) ?? [];
  return product === "Valkey" || (product === "Redis" && Number(major) >= 7);
}
