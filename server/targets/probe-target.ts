import type { Topology } from "../../lib/contract/target.ts";
import { StartupError } from "../errors/startup-error.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import { checkServer, type ServerFacts } from "../redis/check-server.ts";
import { type ClusterLocation, toClusterAddress } from "../redis/cluster/cluster-address.ts";
import { ClusterMap } from "../redis/cluster/cluster-map.ts";
import { parseRedisAddress } from "../redis/connect.ts";
import { computeMajority } from "../redis/majority.ts";
import { createSentinelAddress } from "../redis/sentinel/sentinel-address.ts";

export function getTopology(where: RedisLocation): Topology {
  if (typeof where === "string") return "standalone";
  return "sentinel" in where ? "sentinel" : "cluster" in where ? "cluster" : "quorum";
}

/** Formats the location of a target for messages, without passwords. */
export function formatLocation(where: RedisLocation): string {
  if (typeof where === "string") return parseRedisAddress(where).label;
  if ("sentinel" in where) return createSentinelAddress(where).label;
  if ("cluster" in where) return `cluster of ${toClusterAddress(where).seeds.join(", ")}`;
  return `quorum of ${where.quorum.map((url) => parseRedisAddress(url).label).join(", ")}`;
}

/**
 * Checks that Lockkeeper can reach Redis and use it for locks.
 *
 * @param setting name of the setting that contains the address, for error messages
 * @throws StartupError with a one-line message if Redis is unreachable or does not support locks
 */
export async function probeTarget(where: RedisLocation, setting: string): Promise<ServerFacts> {
  if (typeof where === "string") return await checkServer(parseRedisAddress(where), { setting });
  if ("sentinel" in where) return await checkServer(createSentinelAddress(where), { setting });
  if ("cluster" in where) return await probeCluster(where, setting);
  return await probeMajority(where.quorum, setting);
}

/**
 * Checks all masters of a quorum. If a majority is reachable, returns the facts about the first reachable master.
 *
 * @throws the error of the first failed master if no majority is reachable
 */
async function probeMajority(urls: readonly string[], setting: string): Promise<ServerFacts> {
  const results = await Promise.allSettled(
    urls.map((url, at) => checkServer(parseRedisAddress(url), { setting: `${setting}.quorum[${at}]` })),
  );
  const reachable = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const [first] = reachable;
  if (first !== undefined && reachable.length >= computeMajority(urls.length)) return first;
  const failed = results.find((each) => each.status === "rejected");
  throw failed?.reason ?? new StartupError(`${setting} names no master.`);
}

async function probeCluster(where: ClusterLocation, setting: string): Promise<ServerFacts> {
  const address = toClusterAddress(where);
  const map = new ClusterMap(address);
  try {
    await map.refresh();
  } catch {
    // If the slot map cannot be read, the check of a single node gives a more precise error.
    return await checkServer(address.getNodeAddress(address.seeds[0] ?? ""), {
      setting,
      topology: "cluster",
    });
  } finally {
    map.close();
  }
  const [master] = map.masters;
  if (master === undefined) throw new StartupError(`The ${formatLocation(where)} has no master yet.`);
  return await checkServer(address.getNodeAddress(master), { setting, topology: "cluster" });
}
