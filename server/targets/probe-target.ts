import type { Topology } from "../../lib/contract/target.ts";
import { StartupError } from "../errors/startup-error.ts";
import type { Where } from "../locks/backends/open-backend.ts";
import { checkServer, type ServerFacts } from "../redis/check-server.ts";
import { type ClusterWhere, clusterAddressOf } from "../redis/cluster/cluster-address.ts";
import { ClusterMap } from "../redis/cluster/cluster-map.ts";
import { addressOf } from "../redis/connect.ts";
import { majorityOf } from "../redis/majority.ts";
import { sentinelAddressOf } from "../redis/sentinel/sentinel-address.ts";

export function topologyOf(where: Where): Topology {
  if (typeof where === "string") return "standalone";
  return "sentinel" in where ? "sentinel" : "cluster" in where ? "cluster" : "quorum";
}

/** Where it is, safe to print. */
export function labelOf(where: Where): string {
  if (typeof where === "string") return addressOf(where).label;
  if ("sentinel" in where) return sentinelAddressOf(where).label;
  if ("cluster" in where) return `cluster of ${clusterAddressOf(where).seeds.join(", ")}`;
  return `quorum of ${where.quorum.map((url) => addressOf(url).label).join(", ")}`;
}

/**
 * Makes sure that Redis is there and can hold locks for us.
 *
 * @param setting where the configuration says where it is
 * @throws StartupError in one line
 */
export async function reach(where: Where, setting: string): Promise<ServerFacts> {
  if (typeof where === "string") return await checkServer(addressOf(where), { setting });
  if ("sentinel" in where) return await checkServer(sentinelAddressOf(where), { setting });
  if ("cluster" in where) return await reachCluster(where, setting);
  return await reachMajority(where.quorum, setting);
}

/** A minority may be down; what is wrong with one that answers is said. */
async function reachMajority(urls: readonly string[], setting: string): Promise<ServerFacts> {
  const asked = await Promise.allSettled(
    urls.map((url, at) => checkServer(addressOf(url), { setting: `${setting}.quorum[${at}]` })),
  );
  const answered = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const [first] = answered;
  if (first !== undefined && answered.length >= majorityOf(urls.length)) return first;
  const failed = asked.find((each) => each.status === "rejected");
  throw failed?.reason ?? new StartupError(`${setting} names no master.`);
}

async function reachCluster(where: ClusterWhere, setting: string): Promise<ServerFacts> {
  const address = clusterAddressOf(where);
  const map = new ClusterMap(address);
  try {
    await map.look();
  } catch {
    // One that is reached says more than that it has no slots to tell of.
    return await checkServer(address.addressOf(address.seeds[0] ?? ""), { setting, topology: "cluster" });
  } finally {
    map.close();
  }
  const [master] = map.masters;
  if (master === undefined) throw new StartupError(`The ${labelOf(where)} has no master yet.`);
  return await checkServer(address.addressOf(master), { setting, topology: "cluster" });
}
