import type { ClusterWhere } from "../cluster/cluster-address.ts";
import { ClusterMasters } from "../cluster/cluster-masters.ts";
import { addressOf, type RedisAddress } from "../connect.ts";
import type { Masters } from "../master.ts";
import { type SentinelWhere, sentinelAddressOf } from "../sentinel/sentinel-address.ts";
import { OneMaster } from "./single-master.ts";
import { VotingMasters } from "./voting-masters.ts";

/**
 * Returns at once: a Redis that is not there yet is one that is down.
 *
 * @throws StartupError when a URL cannot be read
 */
export function openMasters(
  where: string | SentinelWhere | ClusterWhere | { readonly quorum: readonly string[] } | RedisAddress,
): Masters {
  if (typeof where === "string") return new OneMaster(addressOf(where));
  if ("cluster" in where) return new ClusterMasters(where);
  if ("quorum" in where) return new VotingMasters(where.quorum);
  return new OneMaster("sentinel" in where ? sentinelAddressOf(where) : where);
}
