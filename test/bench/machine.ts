import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, type } from "node:os";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { type Effort, type Facts, rounded } from "./figure.ts";
import { infoOf } from "./info.ts";
import { ROOT } from "./root.ts";

const PEERS = new URL("peers/package-lock.json", import.meta.url);

/** What every line says of where it was measured. */
export async function machineFacts(redis: Redis, effort: Effort): Promise<Facts> {
  const server = await infoOf(redis, "server");
  return {
    effort,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    system: `${type()} ${release()}`,
    load1m: loadNow(),
    redis: server.redis_version ?? "unknown",
    node: process.version,
    ioredis: versionIn(join(ROOT, "package-lock.json"), "ioredis"),
    notifyKeyspaceEvents: await flagsOf(redis),
  };
}

/** How busy the machine was in the last minute: beside what is measured, others may be. */
export function loadNow(): number {
  return rounded(loadavg()[0] ?? 0);
}

async function flagsOf(redis: Redis): Promise<string> {
  const reply = await redis.config("GET", "notify-keyspace-events");
  const flags: unknown = Array.isArray(reply) ? reply[1] : Object.values(Object(reply))[0];
  return String(flags ?? "");
}

export function peerVersions(): Facts {
  const versions = ["redlock", "redis-semaphore"].map((name) => [name, versionIn(PEERS, name)]);
  return Object.fromEntries(versions);
}

function versionIn(lockFile: string | URL, name: string): string {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8"));
  return String(packages[`node_modules/${name}`]?.version ?? "unknown");
}
