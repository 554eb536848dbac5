import { StartupError } from "../../errors/startup-error.ts";
import { eventChannelOf } from "../../formats/keys.ts";
import { type ClusterWhere, clusterAddressOf } from "../../redis/cluster/cluster-address.ts";
import { Cluster } from "../../redis/cluster/cluster-client.ts";
import { type ClusterAddress, ClusterMap, type NodeName } from "../../redis/cluster/cluster-map.ts";
import { ClusterNodes } from "../../redis/cluster/cluster-node-connections.ts";
import { ClusterSubscriber } from "../../redis/cluster/cluster-subscriber.ts";
import { slotOf } from "../../redis/cluster/slot.ts";
import { COMMAND_TIMEOUT_MS, OPEN_MS, whenReady } from "../../redis/connect.ts";
import { ReplicaWait } from "../../redis/replica-wait.ts";
import { Lineage } from "../../redis/replication-identity.ts";
import { argumentOf } from "../../redis/script.ts";
import type { Backend } from "../verbs/backend.ts";
import { Locks } from "../verbs/redis-locks.ts";
import { Guard, isAsked, REPLICA_TIMEOUT_MS, type Safety } from "../verbs/safety.ts";
import { renewTogether } from "./renew-in-groups.ts";

/** A cluster has no other database. */
const DB = 0;

/**
 * For each master one connection for the verbs and one for renewals; for wake-ups one more, to those masters alone whose
 * locks are waited for.
 *
 * @throws StartupError when a URL is wrong, or no node or master answers
 */
export async function openCluster(
  where: ClusterWhere,
  lockable: readonly string[],
  safety: Safety,
): Promise<Backend> {
  const guarded = guardedCluster(clusterAddressOf(where), safety);
  const map = guarded.map;
  const look = () => map.look();
  // Once more: in the midst of a failover, those that are asked first may all be away.
  await look()
    .catch(look)
    .catch((error: unknown) => {
      throw new StartupError(`No node of the cluster could be asked for its slots (${whyOf(error)}).`);
    });
  const verbs = new Cluster(map, "verbs");
  const renewals = new Cluster(map, "renewals");
  const wake = new ClusterSubscriber(map, "wake");
  const close = () => {
    map.close();
    guarded.close();
    for (const each of [verbs, renewals, wake]) each.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_MS);
    await Promise.any(verbs.masters.map((master) => whenReady(master, signal)));
  } catch (error) {
    close();
    throw new StartupError(`No master of the cluster can be reached (${whyOf(error)}).`);
  }
  const channel = eventChannelOf(DB);
  const renewalDoor = guarded.doorsTo(renewals) ?? (() => ({ commands: renewals, confirm: undefined }));
  return {
    verbs: new Locks(verbs, wake, DB, lockable, guarded.doorsTo(verbs)),
    renewMany: (holds, tryMs) =>
      renewTogether(
        () => renewalDoor("renewal"),
        channel,
        holds,
        tryMs,
        ({ format, key }) => `${format} ${slotOf(argumentOf(key))}`,
      ),
    close,
  };
}

/** The map of a cluster whose nodes are looked at when a connection begins, where that is asked for. */
function guardedCluster(address: ClusterAddress, safety: Safety) {
  if (!isAsked(safety)) {
    return { map: new ClusterMap(address), doorsTo: () => undefined, close: () => undefined };
  }
  const lineage = new Lineage();
  const addressOf = (node: NodeName) => lineage.watched(address.addressOf(node), node);
  const map = new ClusterMap({ ...address, addressOf });
  const { replicas = 0, replicaTimeoutMs = REPLICA_TIMEOUT_MS } = safety;
  const nodes = new ClusterNodes(map, "replicas", { commandTimeout: replicaTimeoutMs + COMMAND_TIMEOUT_MS });
  const lineOf = (place: string) => ({ redis: nodes.of(place), place });
  const waits = replicas === 0 ? undefined : new ReplicaWait(lineage, replicas, replicaTimeoutMs, lineOf);
  const guard = new Guard(safety, lineage, waits);
  return {
    map,
    doorsTo: (cluster: Cluster) => (what: "grant" | "renewal") =>
      guard.open(what, (before) => cluster.withPlaces(before)),
    close: () => nodes.close(),
  };
}

/** Of many nodes the first one's reason: they rarely differ. */
function whyOf(error: unknown): string {
  const [reason] = error instanceof AggregateError ? error.errors : [error];
  return reason instanceof Error ? reason.message : String(reason);
}
