import type { ClusterLocation } from "../cluster/cluster-address.ts";
import { ClusterMasters } from "../cluster/cluster-masters.ts";
import { parseRedisAddress, type RedisAddress } from "../connect.ts";
import type { Masters, MasterUse } from "../master.ts";
import { createSentinelAddress, type SentinelLocation } from "../sentinel/sentinel-address.ts";
import { SingleMaster } from "./single-master.ts";
import { VotingMasters } from "./voting-masters.ts";

/**
 * Opens the masters of a target without waiting for the connections. A server that cannot be reached yet counts as
 * down.
 *
 * @throws StartupError if a URL is invalid, or is not valid for the topology
 */
export function openMasters(
  where: string | SentinelLocation | ClusterLocation | { readonly quorum: readonly string[] } | RedisAddress,
  use: MasterUse = "reads_and_writes",
): Masters {
  if (typeof where === "string") return new SingleMaster(parseRedisAddress(where), use);
  if ("cluster" in where) return new ClusterMasters(where, use);
  if ("quorum" in where) return new VotingMasters(where.quorum, use);
  return new SingleMaster("sentinel" in where ? createSentinelAddress(where) : where, use);
}
