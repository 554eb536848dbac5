import type { Redis } from "ioredis";
import { StartupError } from "../../errors/startup-error.ts";
import { buildEventChannel, REPLICA_WAIT_KEY } from "../../formats/keys.ts";
import { preferBatches } from "../../formats/verb-batches.ts";
import type { ClusterLocation } from "../../redis/cluster/cluster-address.ts";
import {
  COMMAND_TIMEOUT_MS,
  connect,
  OPEN_TIMEOUT_MS,
  parseRedisAddress,
  type RedisAddress,
  waitUntilReady,
} from "../../redis/connect.ts";
import { ConnectionErrors, formatAddress } from "../../redis/connection-errors.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { MasterUse } from "../../redis/master.ts";
import { ReplicaWait } from "../../redis/replica-wait.ts";
import { ReplicationIdentity } from "../../redis/replication-identity.ts";
import { preferReadOnlyScripts } from "../../redis/script.ts";
import {
  createSentinelAddress,
  parseSentinelUrl,
  type SentinelLocation,
} from "../../redis/sentinel/sentinel-address.ts";
import { openQuorumBackend, type QuorumLocation } from "../quorum/open-quorum.ts";
import type { Backend } from "../verbs/backend.ts";
import { subscribeToForceReleases } from "../verbs/force-release-channel.ts";
import { assertFairWait } from "../verbs/input/durations.ts";
import { RedisLocks, type RedisLocksParts } from "../verbs/redis-locks.ts";
import {
  addSendHook,
  assertSafetyOptions,
  hasSafetyChecks,
  REPLICA_TIMEOUT_MS,
  SafetyGuard,
  type SafetyOptions,
} from "../verbs/safety.ts";
import { openClusterBackend } from "./cluster-backend.ts";
import { renewInGroups } from "./renew-in-groups.ts";

/** The location of locks: the URL of one Redis, a Sentinel group, nodes of a Redis Cluster, or independent masters. */
export type RedisLocation = string | SentinelLocation | ClusterLocation | QuorumLocation;

/**
 * Options of a backend other than its location. A quorum supports neither fair locks nor signals to other libraries.
 */
export interface BackendParts extends Pick<RedisLocksParts, "findSignalledLibraries" | "fairWaitMs"> {
  /** `reads` if Lockkeeper never writes to the target; `reads_and_writes` by default. */
  readonly use?: MasterUse;
  /**
   * How verbs are sent while at most 8 are in flight. `separately`: each verb is sent immediately, for the highest
   * throughput with a few callers. `together`: verbs are sent at the end of each turn of the event loop, for the lowest
   * CPU usage. The default is `separately`. A quorum and a Redis Cluster ignore this option: a quorum uses
   * `separately`, and a cluster has no batches.
   */
  readonly fewVerbs?: "separately" | "together" | undefined;
}

/**
 * Opens the backend for the locks at a location, with the connections that it needs.
 *
 * @throws StartupError if a URL or option is invalid, or if Redis cannot be reached within five seconds
 */
export async function openBackend(
  where: RedisLocation,
  lockable: readonly string[],
  safety: SafetyOptions = {},
  parts: BackendParts = {},
): Promise<Backend> {
  assertSafetyOptions(safety);
  assertFairWait(parts.fairWaitMs);
  return await ConnectionErrors.record(async (errors) => {
    try {
      return await openByTopology(where, lockable, safety, parts);
    } catch (error) {
      throw isUnreached(where, error, errors) ? createUnreachedError(where, errors) : error;
    }
  });
}

async function openByTopology(
  where: RedisLocation,
  lockable: readonly string[],
  safety: SafetyOptions,
  parts: BackendParts,
): Promise<Backend> {
  if (typeof where === "string")
    return await openSingleBackend(parseRedisAddress(where), lockable, safety, parts);
  if ("sentinel" in where)
    return await openSingleBackend(createSentinelAddress(where), lockable, safety, parts);
  if ("cluster" in where) return await openClusterBackend(where, lockable, safety, parts);
  if (hasSafetyChecks(safety)) {
    throw new StartupError(
      "A quorum does not support `replicas` and `failoverHoldOffMs`, because a majority of masters grants each lock.",
    );
  }
  return await openQuorumBackend(where, lockable);
}

/**
 * Whether Redis could not be reached: the single server, every node of a cluster, or a majority of a quorum. False if
 * Redis was reached but rejected the client or is of the wrong kind.
 */
function isUnreached(
  where: RedisLocation,
  error: unknown,
  { attempted, reached }: ConnectionErrors,
): boolean {
  if (typeof where === "string" || "sentinel" in where)
    return error instanceof DOMException && error.name === "TimeoutError";
  if (!(error instanceof StartupError) || attempted === 0) return false;
  return "cluster" in where ? reached === 0 : reached < computeMajority(where.quorum.length);
}

function createUnreachedError(where: RedisLocation, errors: ConnectionErrors): StartupError {
  // If all nodes of a cluster refuse the connection, opening fails without waiting for the time limit.
  const within = typeof where === "object" && "cluster" in where ? "" : ` within ${OPEN_TIMEOUT_MS / 1000} s`;
  return new StartupError(`Could not reach ${describeLocation(where)}${within} (${errors.describe()}).`);
}

/** Describes a location without its password. */
function describeLocation(where: RedisLocation): string {
  const list = (urls: readonly string[], parse = parseRedisAddress) =>
    urls.map((url) => formatAddress(parse(url).label)).join(", ");
  if (typeof where === "string") return `Redis at ${list([where])}`;
  if ("cluster" in where) return `Redis Cluster at ${list(where.cluster)}`;
  if ("quorum" in where) return `a majority of the Redis masters ${list(where.quorum)}`;
  return `the master ${where.master} of the sentinels ${list(where.sentinel, parseSentinelUrl)}`;
}

/** Opens three connections: one for the verbs, one for wake-ups and one for renewals. */
async function openSingleBackend(
  address: RedisAddress,
  lockable: readonly string[],
  safety: SafetyOptions,
  { use, fewVerbs, ...parts }: BackendParts,
): Promise<Backend> {
  const { verbs, renewals, waits, guardCommandsOf } = connectGuarded(address, safety);
  if (use === "reads") preferReadOnlyScripts(verbs);
  if (fewVerbs === "together") preferBatches(verbs);
  const wake = connect(address, "wake", { autoResubscribe: false });
  const all = [verbs, wake, renewals, ...waits];
  const close = () => {
    for (const redis of all) redis.disconnect();
  };
  try {
    const signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
    await Promise.all(all.map((redis) => waitUntilReady(redis, signal)));
    await assertNoCluster(verbs, address.label);
  } catch (error) {
    close();
    throw error;
  }
  const channel = buildEventChannel(address.db);
  const getGuardedRenewals =
    guardCommandsOf?.(renewals, "renewals") ?? (() => ({ commands: renewals, confirm: undefined }));
  const getRenewalCommands = () => getGuardedRenewals("renewal");
  const getCommands = guardCommandsOf?.(verbs, "verbs");
  const locks = new RedisLocks(verbs, wake, address.db, lockable, { ...parts, getCommands });
  return {
    verbs: locks,
    renewMany: (holds, tryMs) => renewInGroups(getRenewalCommands, channel, holds, tryMs),
    onForceRelease: (listener) => subscribeToForceReleases(wake, locks.clientId, listener),
    close,
  };
}

/**
 * Opens the connections. If the safety options require it, Lockkeeper identifies the server when each connection opens.
 */
function connectGuarded(address: RedisAddress, safety: SafetyOptions) {
  if (!hasSafetyChecks(safety)) {
    const [verbs, renewals] = [connect(address, "verbs"), connect(address, "renewals")];
    return { verbs, renewals, waits: [], guardCommandsOf: undefined };
  }
  const identity = new ReplicationIdentity();
  const open = (name: string, more = {}) => connect(identity.watchAddress(address, name), name, more);
  const { replicas = 0, replicaTimeoutMs = REPLICA_TIMEOUT_MS } = safety;
  const patient = { commandTimeout: replicaTimeoutMs + COMMAND_TIMEOUT_MS };
  const redis = replicas === 0 ? undefined : open("replicas", patient);
  const line = redis && {
    redis,
    place: "replicas",
    getRunId: () => identity.getRunId("replicas"),
    findKey: () => REPLICA_WAIT_KEY,
    skipKey: () => undefined,
  };
  const waits = line && new ReplicaWait(replicas, replicaTimeoutMs, () => line);
  const guard = new SafetyGuard(safety, identity, waits);
  return {
    verbs: open("verbs"),
    renewals: open("renewals"),
    waits: redis === undefined ? [] : [redis],
    guardCommandsOf: (of: Redis, place: string) => (what: "grant" | "renewal") =>
      guard.guardCommands(what, addSendHook(of, place)),
  };
}

/** Rejects the URL of a cluster node, because a single node serves only its own slots and redirects all other keys. */
async function assertNoCluster(redis: Redis, label: string): Promise<void> {
  // Skips the check if the Redis user may not run INFO.
  const info = await redis.info("cluster").catch(() => "");
  if (!info.includes("cluster_enabled:1")) return;
  throw new StartupError(`Redis at ${label} is a cluster node; open it as { cluster: [url] }.`);
}
