import type { Master } from "../redis/master.ts";
import { findMissingRights, type TargetUse } from "./rights.ts";

type Redis = Master["redis"];

/** The parsed reply to a command, or why the command failed. */
export type FactsReply = { readonly facts: ReadonlyMap<string, string> } | { readonly refused: string };

/** One master's replies to INFO and CONFIG GET, and the commands that the Redis user is not allowed to run. */
export interface MasterFacts {
  readonly name: string;
  readonly info: FactsReply;
  readonly config: FactsReply;
  /** Commands that Lockkeeper needs but the Redis user is not allowed to run; empty if the check failed. */
  readonly missing: readonly string[];
}

const SETTINGS = [
  "maxmemory-policy",
  "save",
  "appendonly",
  "appendfsync",
  "min-replicas-to-write",
  "stop-writes-on-bgsave-error",
  "notify-keyspace-events",
];

/**
 * Reads the facts about one master. Does not throw: a failed command is recorded as `refused`. Changes no data in
 * Redis.
 */
export async function readMasterFacts(master: Master, use: TargetUse): Promise<MasterFacts> {
  const { redis } = master;
  const [info, config, missing] = await Promise.all([
    tryReadFacts(() => readInfo(redis)),
    tryReadFacts(() => readConfig(redis)),
    findMissingRights(redis, use, master.findHashTag()).catch(() => []),
  ]);
  return { name: master.name, info, config, missing };
}

async function tryReadFacts(ask: () => Promise<Map<string, string>>): Promise<FactsReply> {
  try {
    return { facts: await ask() };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function readInfo(redis: Redis): Promise<Map<string, string>> {
  const lines = (await redis.info()).split(/\r?\n/);
  return new Map(
    lines.flatMap((line) => {
      const at = line.indexOf(":");
      return at <= 0 || line.startsWith("#") ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}

/** Reads one setting per call, because CONFIG GET of Redis 6.2 accepts only one pattern. */
async function readConfig(redis: Redis): Promise<Map<string, string>> {
  const replies = await Promise.all(SETTINGS.map((name) => redis.config("GET", name)));
  const facts = new Map<string, string>();
  for (const reply of replies) {
    const [name, value] = Array.isArray(reply) ? reply : [];
    if (typeof name === "string" && typeof value === "string") facts.set(name, value);
  }
  return facts;
}
