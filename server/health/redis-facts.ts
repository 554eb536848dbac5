import type { Master } from "../redis/master.ts";
import { findMissingRights, type TargetUse } from "./rights.ts";

type Redis = Master["redis"];

/** What a command told, or why it was not answered. */
export type FactsReply = { readonly facts: ReadonlyMap<string, string> } | { readonly refused: string };

/** What one master tells of itself. */
export interface MasterFacts {
  readonly name: string;
  readonly info: FactsReply;
  readonly config: FactsReply;
  /** Commands that this user may not run although we need them. */
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

/** Asks for what may be asked; nothing is changed. */
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

/** One after the other: Redis 6.2 takes one pattern at a time. */
async function readConfig(redis: Redis): Promise<Map<string, string>> {
  const replies = await Promise.all(SETTINGS.map((name) => redis.config("GET", name)));
  const facts = new Map<string, string>();
  for (const reply of replies) {
    const [name, value] = Array.isArray(reply) ? reply : [];
    if (typeof name === "string" && typeof value === "string") facts.set(name, value);
  }
  return facts;
}
