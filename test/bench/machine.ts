import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, type } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { type Effort, type Facts, roundValue } from "./figure.ts";
import { readInfo } from "./info.ts";
import { ROOT } from "./root.ts";

const PEERS = new URL("peers/package-lock.json", import.meta.url);

/** Reads facts about the machine and the software versions, which every line contains. */
export async function readMachineFacts(redis: Redis, effort: Effort): Promise<Facts> {
  const server = await readInfo(redis, "server");
  return {
    effort,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    system: `${type()} ${release()}`,
    load1m: readLoad(),
    redis: server.redis_version ?? "unknown",
    node: process.version,
    ioredis: readVersion(join(ROOT, "package-lock.json"), "ioredis"),
    notifyKeyspaceEvents: await readFlags(redis),
  };
}

/** Reads the load average of the last minute, which includes other processes. */
export function readLoad(): number {
  return roundValue(loadavg()[0] ?? 0);
}

async function readFlags(redis: Redis): Promise<string> {
  const reply = await redis.config("GET", "notify-keyspace-events");
  const flags: unknown = Array.isArray(reply) ? reply[1] : Object.values(Object(reply))[0];
  return String(flags ?? "");
}

export function readPeerVersions(): Facts {
  const versions = ["redlock", "redis-semaphore"].map((name) => [name, readVersion(PEERS, name)]);
  return Object.fromEntries(versions);
}

function readVersion(lockFile: string | URL, name: string): string {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"));
  return String(packages[`node_modules/${name}`]?.version ?? "unknown");
}
