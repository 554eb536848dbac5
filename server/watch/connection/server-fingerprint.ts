import type { Redis } from "ioredis";
import { readInfoField } from "../../redis/server-info.ts";

/** What Redis says of itself, for those who may not write a canary. */
export interface ServerFingerprint {
  /** Whose data it has: changes with a restart, a promotion and a full copy from elsewhere. */
  readonly data: string;
  /** How often all keys of a database went or came at once; a reset of the statistics changes it, too. */
  readonly wipes: string;
  /** `host:port` of the one that it is a replica of. */
  readonly replicaOf: string | undefined;
}

export async function readServerFingerprint(redis: Redis): Promise<ServerFingerprint> {
  const texts = await Promise.all([
    redis.info("server"),
    redis.info("replication"),
    redis.info("commandstats"),
  ]);
  const info = texts.join("\n");
  const fact = (name: string) => readInfoField(info, name) ?? "";
  const wipes = info.matchAll(/^cmdstat_(flushall|flushdb|swapdb):calls=(\d+)/gm);
  return {
    data: `${fact("run_id")} ${fact("master_replid")}`,
    wipes: [...wipes].map(([, name, calls]) => `${name} ${calls}`).join(" "),
    replicaOf: fact("role") === "slave" ? `${fact("master_host")}:${fact("master_port")}` : undefined,
  };
}

/** It answers, but it is no master any more. */
export class DemotedError extends Error {
  constructor(name: string, replicaOf: string | undefined) {
    const whose = replicaOf === undefined ? "a replica" : `a replica of ${replicaOf}`;
    super(
      `${name} is ${whose} now and takes no writes, so what it shows may be old. Give the address of its master, or follow the master by Sentinel.`,
    );
  }
}
