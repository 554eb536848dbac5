import { StartupError } from "../../errors/startup-error.ts";
import { buildEventChannel, REPLICA_WAIT_KEY } from "../../formats/keys.ts";
import { type ClusterLocation, toClusterAddress } from "../../redis/cluster/cluster-address.ts";
import { ClusterClient } from "../../redis/cluster/cluster-client.ts";
import { type ClusterAddress, ClusterMap, type NodeName } from "../../redis/cluster/cluster-map.ts";
import { ClusterNodeConnections } from "../../redis/cluster/cluster-node-connections.ts";
import { ClusterSubscriber } from "../../redis/cluster/cluster-subscriber.ts";
import { NodeKeys } from "../../redis/cluster/node-keys.ts";
import { computeSlot } from "../../redis/cluster/slot.ts";
import { COMMAND_TIMEOUT_MS, OPEN_TIMEOUT_MS, waitUntilReady } from "../../redis/connect.ts";
import { ReplicaWait } from "../../redis/replica-wait.ts";
import { ReplicationIdentity } from "../../redis/replication-identity.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { Backend } from "../verbs/backend.ts";
import { RedisLocks, type RedisLocksParts } from "../verbs/redis-locks.ts";
import { hasSafetyChecks, REPLICA_TIMEOUT_MS, SafetyGuard, type SafetyOptions } from "../verbs/safety.ts";
import { ClusterForceReleases } from "./cluster-force-releases.ts";
import { renewInGroups } from "./renew-in-groups.ts";

/** Redis Cluster supports only database 0. */
const DB = 0;

/**
 * Opens the backend for locks in a Redis Cluster. Each master has a connection for the verbs and one for renewals. A
 * master whose locks have waiters has two more: one for wake-up messages from Lockkeeper and one for keyspace
 * notifications. Waiting for replicas uses another connection.
 *
 * @throws StartupError if a URL is invalid, or if no node or no master replies
 */
export async function openClusterBackend(
  where: ClusterLocation,
  lockable: readonly string[],
  safety: SafetyOptions,
  parts: Pick<RedisLocksParts, "findSignalledLibraries" | "fairWaitMs">,
): Promise<Backend> {
  const guarded = createGuardedCluster(toClusterAddress(where), safety);
  const map = guarded.map;
  const refresh = () => map.refresh();
  // Tries twice, because all nodes of the first attempt may be unreachable during a failover.
  await refresh()
    .catch(refresh)
    .catch((error: unknown) => {
      throw new StartupError(`No node of the cluster returned its slots (${getFailureReason(error)}).`);
    });
  const verbs = new ClusterClient(map, "verbs");
  const renewals = new ClusterClient(map, "renewals");
  const wake = new ClusterSubscriber(map, "wake");
  const keyspaceSubscriber = new ClusterSubscriber(map, "keyspace");
  const close = () => {
    map.close();
    guarded.close();
    for (const each of [verbs, renewals, wake, keyspaceSubscriber]) each.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    await Promise.any(verbs.masters.map((master) => waitUntilReady(master, signal)));
  } catch (error) {
    close();
    throw new StartupError(`No master of the cluster can be reached (${getFailureReason(error)}).`);
  }
  const channel = buildEventChannel(DB);
  const getRenewalCommands =
    guarded.guardCommandsOf(renewals) ?? (() => ({ commands: renewals, confirm: undefined }));
  const locks = new RedisLocks(verbs, wake, DB, lockable, {
    ...parts,
    getCommands: guarded.guardCommandsOf(verbs),
    keyspaceSubscriber,
  });
  let forceReleases: ClusterForceReleases | undefined;
  return {
    verbs: locks,
    renewMany: (holds, tryMs) =>
      renewInGroups(
        () => getRenewalCommands("renewal"),
        channel,
        holds,
        tryMs,
        ({ key }) => computeSlot(toRedisArgument(key)),
      ),
    onForceRelease(listener) {
      forceReleases = new ClusterForceReleases(map, locks.clientId, listener);
    },
    close() {
      forceReleases?.close();
      close();
    },
  };
}

/**
 * Creates the `ClusterMap`. If the safety options require it, Lockkeeper identifies each node when a connection to it
 * opens.
 */
function createGuardedCluster(address: ClusterAddress, safety: SafetyOptions) {
  if (!hasSafetyChecks(safety)) {
    return { map: new ClusterMap(address), guardCommandsOf: () => undefined, close: () => undefined };
  }
  const identity = new ReplicationIdentity();
  const addressOf = (node: NodeName, connection?: string) =>
    identity.watchAddress(address.getNodeAddress(node), node, connection);
  const map = new ClusterMap({ ...address, getNodeAddress: addressOf });
  const { replicas = 0, replicaTimeoutMs = REPLICA_TIMEOUT_MS } = safety;
  const nodes = new ClusterNodeConnections(map, "replicas", {
    commandTimeout: replicaTimeoutMs + COMMAND_TIMEOUT_MS,
  });
  const keys = new NodeKeys(map, REPLICA_WAIT_KEY);
  const lineOf = (node: NodeName) => ({
    redis: nodes.getConnection(node),
    place: node,
    getRunId: () => identity.getRunId(node, "replicas"),
    findKey: () => keys.findKey(node),
    skipKey: () => keys.skipKey(node),
  });
  const waits = replicas === 0 ? undefined : new ReplicaWait(replicas, replicaTimeoutMs, lineOf);
  const guard = new SafetyGuard(safety, identity, waits);
  return {
    map,
    guardCommandsOf: (cluster: ClusterClient) => (what: "grant" | "renewal") =>
      guard.guardCommands(what, (before) => cluster.withSendHook(before), cluster.name),
    close: () => nodes.close(),
  };
}

/** Returns the error message of the first node, because nodes rarely fail for different reasons. */
function getFailureReason(error: unknown): string {
  const [reason] = error instanceof AggregateError ? error.errors : [error];
  return reason instanceof Error ? reason.message : String(reason);
}
