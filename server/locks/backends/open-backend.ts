import type { Redis } from "ioredis";
import { StartupError } from "../../errors/startup-error.ts";
import { eventChannelOf } from "../../formats/keys.ts";
import type { ClusterWhere } from "../../redis/cluster/cluster-address.ts";
import {
  addressOf,
  COMMAND_TIMEOUT_MS,
  connect,
  OPEN_MS,
  type RedisAddress,
  whenReady,
} from "../../redis/connect.ts";
import { ReplicaWait } from "../../redis/replica-wait.ts";
import { Lineage } from "../../redis/replication-identity.ts";
import { type SentinelWhere, sentinelAddressOf } from "../../redis/sentinel/sentinel-address.ts";
import { openQuorum, type QuorumWhere } from "../quorum/open-quorum.ts";
import type { Backend } from "../verbs/backend.ts";
import { Locks } from "../verbs/redis-locks.ts";
import {
  assertSafety,
  commandsAt,
  Guard,
  isAsked,
  REPLICA_TIMEOUT_MS,
  type Safety,
} from "../verbs/safety.ts";
import { openCluster } from "./cluster-backend.ts";
import { renewTogether } from "./renew-in-groups.ts";

/** Where locks are kept: the URL of one Redis, a Sentinel group, nodes of a Redis Cluster, or independent masters. */
export type Where = string | SentinelWhere | ClusterWhere | QuorumWhere;

/**
 * Opens the connections that locks need.
 *
 * @throws StartupError when a URL is wrong; a TimeoutError when Redis does not answer within five seconds
 */
export async function openBackend(
  where: Where,
  lockable: readonly string[],
  safety: Safety = {},
): Promise<Backend> {
  assertSafety(safety);
  if (typeof where === "string") return await openOne(addressOf(where), lockable, safety);
  if ("sentinel" in where) return await openOne(sentinelAddressOf(where), lockable, safety);
  if ("cluster" in where) return await openCluster(where, lockable, safety);
  if (isAsked(safety)) {
    throw new StartupError(
      "A quorum asks a majority of masters; replicas and a failover hold-off are not for it.",
    );
  }
  return await openQuorum(where, lockable);
}

/** Three connections: for the verbs, for wake-ups, and for renewals alone. */
async function openOne(address: RedisAddress, lockable: readonly string[], safety: Safety): Promise<Backend> {
  const { verbs, renewals, waits, doorsTo } = guarded(address, safety);
  const wake = connect(address, "wake", { autoResubscribe: false });
  const all = [verbs, wake, renewals, ...waits];
  const close = () => {
    for (const redis of all) redis.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_MS);
    await Promise.all(all.map((redis) => whenReady(redis, signal)));
    await assertNoCluster(verbs, address.label);
  } catch (error) {
    close();
    throw error;
  }
  const channel = eventChannelOf(address.db);
  const renewalDoors =
    doorsTo?.(renewals, "renewals") ?? (() => ({ commands: renewals, confirm: undefined }));
  const renewalDoor = () => renewalDoors("renewal");
  return {
    verbs: new Locks(verbs, wake, address.db, lockable, doorsTo?.(verbs, "verbs")),
    renewMany: (holds, tryMs) => renewTogether(renewalDoor, channel, holds, tryMs, ({ format }) => format),
    close,
  };
}

/** Connections whose servers are looked at when they begin, where that is asked for. */
function guarded(address: RedisAddress, safety: Safety) {
  if (!isAsked(safety)) {
    const [verbs, renewals] = [connect(address, "verbs"), connect(address, "renewals")];
    return { verbs, renewals, waits: [], doorsTo: undefined };
  }
  const lineage = new Lineage();
  const open = (name: string, more = {}) => connect(lineage.watched(address, name), name, more);
  const { replicas = 0, replicaTimeoutMs = REPLICA_TIMEOUT_MS } = safety;
  const patient = { commandTimeout: replicaTimeoutMs + COMMAND_TIMEOUT_MS };
  const redis = replicas === 0 ? undefined : open("replicas", patient);
  const lineOf = redis && (() => ({ redis, place: "replicas" }));
  const waits = lineOf && new ReplicaWait(lineage, replicas, replicaTimeoutMs, lineOf);
  const guard = new Guard(safety, lineage, waits);
  return {
    verbs: open("verbs"),
    renewals: open("renewals"),
    waits: redis === undefined ? [] : [redis],
    doorsTo: (of: Redis, place: string) => (what: "grant" | "renewal") =>
      guard.open(what, commandsAt(of, place)),
  };
}

/** A node alone would answer for its own slots, and send the others away. */
async function assertNoCluster(redis: Redis, label: string): Promise<void> {
  // Whoever may not ask has to know.
  const info = await redis.info("cluster").catch(() => "");
  if (!info.includes("cluster_enabled:1")) return;
  throw new StartupError(`Redis at ${label} is a node of a cluster; open it as { cluster: [url] }.`);
}
