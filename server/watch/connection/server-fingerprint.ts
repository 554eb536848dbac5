import type { Redis } from "ioredis";
import { readInfoField } from "../../redis/server-info.ts";

/** Data from INFO that shows whether keys were lost. Replaces the canary where Lockkeeper cannot write. */
export interface ServerFingerprint {
  /** Identifies the data set. The value changes after a restart, a promotion or a full resynchronization. */
  readonly data: string;
  /** The numbers of FLUSHALL, FLUSHDB and SWAPDB calls. The value also changes if the statistics are reset. */
  readonly wipes: string;
  /** `host:port` of the master, if this server is a replica. */
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

/** Thrown when the server responds but is no longer a master. */
export class DemotedError extends Error {
  constructor(name: string, replicaOf: string | undefined) {
    const whose = replicaOf === undefined ? "a replica" : `a replica of ${replicaOf}`;
    super(
      `${name} is now ${whose} and accepts no writes, so its data may be stale. Configure the address of its master, or use Sentinel to follow the master.`,
    );
  }
}
