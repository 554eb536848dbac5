import type { Redis } from "ioredis";
import type { SpokenFormat } from "../../lib/contract/format.ts";
import { eventChannelOf } from "../formats/keys.ts";
import type { ClusterWhere } from "../redis/cluster-address.ts";
import { addressOf, connect, OPEN_MS, type RedisAddress, whenReady } from "../redis/connect.ts";
import { type SentinelWhere, sentinelAddressOf } from "../redis/sentinel-address.ts";
import { StartupError } from "../startup-error.ts";
import { openCluster } from "./cluster-backend.ts";
import type { Hold } from "./hold.ts";
import { Locks } from "./locks.ts";
import { openQuorum, type QuorumWhere } from "./quorum.ts";
import { renewTogether } from "./renew-together.ts";
import type { Verbs } from "./verbs.ts";

/** Where locks are kept: the URL of one Redis, a Sentinel group, nodes of a Redis Cluster, or independent masters. */
export type Where = string | SentinelWhere | ClusterWhere | QuorumWhere;

/** What a client of the library stands on: the verbs, and renewals on connections of their own. */
export interface Backend {
  readonly verbs: Verbs;
  /** How a lock is written when nothing is said; as Redisson does by default. */
  readonly format?: SpokenFormat;
  /**
   * Renews up to a hundred holds, each try within `tryMs`. Gives what remains of each in ms; null where it is gone,
   * undefined where that cannot be told.
   */
  renewMany(holds: readonly Hold[], tryMs: number): Promise<Renewed[]>;
  close(): void;
}

export type Renewed = number | null | undefined;

/**
 * Opens the connections that locks need.
 *
 * @throws StartupError when a URL is wrong; a TimeoutError when Redis does not answer within five seconds
 */
export function openBackend(where: Where, lockable: readonly string[]): Promise<Backend> {
  if (typeof where === "string") return openOne(addressOf(where), lockable);
  if ("sentinel" in where) return openOne(sentinelAddressOf(where), lockable);
  return "quorum" in where ? openQuorum(where, lockable) : openCluster(where, lockable);
}

/** Three connections: for the verbs, for wake-ups, and for renewals alone. */
async function openOne(address: RedisAddress, lockable: readonly string[]): Promise<Backend> {
  const verbs = connect(address, "verbs");
  const wake = connect(address, "wake", { autoResubscribe: false });
  const renewals = connect(address, "renewals");
  const all = [verbs, wake, renewals];
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
  return {
    verbs: new Locks(verbs, wake, address.db, lockable),
    renewMany: (holds, tryMs) => renewTogether(renewals, channel, holds, tryMs, ({ format }) => format),
    close,
  };
}

/** A node alone would answer for its own slots, and send the others away. */
async function assertNoCluster(redis: Redis, label: string): Promise<void> {
  // Whoever may not ask has to know.
  const info = await redis.info("cluster").catch(() => "");
  if (!info.includes("cluster_enabled:1")) return;
  throw new StartupError(`Redis at ${label} is a node of a cluster; open it as { cluster: [url] }.`);
}
