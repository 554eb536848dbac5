import type { RedisLocation } from "../../server/locks/backends/open-backend.ts";
import { startTestCluster } from "./cluster.ts";
import { startSentinel } from "./sentinel-process.ts";
import { createTestKey } from "./test-locks.ts";
import { REPLICATION_LINK, startTestProxy, type TestProxy } from "./test-proxy.ts";
import { startTestRedis, type TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

export type ReplicatedTopology = "standalone" | "sentinel" | "cluster";

const MASTER_NAME = "locks";
/** Maximum time for a promotion, in milliseconds. The timings of Sentinel cannot be shortened in Redis 6.2. */
const PROMOTION_MS = 30_000;
const SYNC_MS = 10_000;

/** A master with one replica. The replica and all clients reach the master through the proxy. */
export interface ReplicatedRedis {
  readonly where: RedisLocation;
  readonly master: TestRedis;
  readonly proxy: TestProxy;
  /** Creates a new key that this master stores. */
  createKey(): string;
  /** Moves the slot of `key` to another master of the cluster. `between` runs while the slot is being moved. */
  moveSlot(key: string, keys: readonly string[], between: () => Promise<void>): Promise<void>;
  /** Keeps the replication connection open but passes no data, like a network partition. */
  partitionReplica(): void;
  /** Ends the partition. Resolves once the replica has acknowledged all writes of the master. */
  healReplica(): Promise<void>;
  /** Kills the master. Resolves once the replica has been promoted. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a master and a replica in the given topology, with the Redis version that `REDIS_SERVER_BIN` selects. */
export async function startReplicatedRedis(topology: ReplicatedTopology): Promise<ReplicatedRedis> {
  return topology === "cluster" ? await startReplicatedNode() : await startReplicatedServer(topology);
}

async function startReplicatedServer(topology: "standalone" | "sentinel"): Promise<ReplicatedRedis> {
  const args = ["--repl-diskless-sync-delay", "0"];
  const master = await startTestRedis({ args });
  const proxy = await startTestProxy(master.port);
  const replica = await startTestRedis({
    args: [...args, "--replicaof", "127.0.0.1", String(proxy.port)],
  });
  await waitForAcknowledgement(master);
  const monitor = { name: MASTER_NAME, port: proxy.port, password: undefined, quorum: 1 };
  const sentinel = topology === "sentinel" ? await startSentinel(monitor, undefined) : undefined;
  await waitUntil(
    async () =>
      sentinel === undefined || (await sentinel.readMasterFacts(MASTER_NAME)).get("num-slaves") === "1",
    PROMOTION_MS,
  );
  return {
    where:
      sentinel === undefined
        ? `redis://127.0.0.1:${proxy.port}`
        : { sentinel: [`redis://127.0.0.1:${sentinel.port}`], master: MASTER_NAME },
    ...{ master, proxy },
    createKey: () => createTestKey(),
    moveSlot: () => Promise.reject(new Error("only a cluster has slots")),
    partitionReplica: () => proxy.stall(REPLICATION_LINK),
    healReplica: () => healReplica(proxy, master),
    async failOver() {
      await master.kill();
      if (sentinel === undefined) {
        await replica.runCli("REPLICAOF", "NO", "ONE");
        // Redirects clients to the promoted server, like a virtual IP address.
        proxy.targetPort = replica.port;
      }
      await waitForPromotion(replica);
    },
    async stop() {
      await sentinel?.stop();
      for (const server of [replica, master]) await server.stop();
      await proxy.stop();
    },
  };
}

async function startReplicatedNode(): Promise<ReplicatedRedis> {
  const cluster = await startTestCluster({ replicas: 1, hasProxy: true });
  const [master] = cluster.masters;
  const [replica] = cluster.replicas;
  const { proxy } = cluster;
  if (master === undefined || replica === undefined || proxy === undefined)
    throw new Error("the cluster is not complete");
  await waitForAcknowledgement(master);
  return {
    where: { cluster: cluster.urls.slice(1) },
    ...{ master, proxy },
    createKey: () => cluster.findKeyOnMaster(0, createTestKey()),
    async moveSlot(key, keys, between) {
      const move = await cluster.startSlotMove(key, 1);
      await move.moveKeys(...keys);
      await between();
      await move.finish();
    },
    partitionReplica: () => proxy.stall(REPLICATION_LINK),
    healReplica: () => healReplica(proxy, master),
    async failOver() {
      await master.kill();
      await waitForPromotion(replica);
    },
    stop: () => cluster.stop(),
  };
}

async function healReplica(proxy: TestProxy, master: TestRedis): Promise<void> {
  proxy.stall(undefined);
  await waitForAcknowledgement(master);
}

async function waitForAcknowledgement(master: TestRedis): Promise<void> {
  // Compares replication offsets, because the replicas that WAIT counts depend on the Redis version.
  const isAcknowledged = async () => {
    const info = await master.runCli("INFO", "replication");
    const offset = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
    return offset !== undefined && /^slave0:.*state=online,offset=(\d+)/m.exec(info)?.[1] === offset;
  };
  await waitUntil(isAcknowledged, SYNC_MS);
}

async function waitForPromotion(replica: TestRedis): Promise<void> {
  // Sentinel closes all connections of the replica during promotion, including this one.
  const readRole = () => replica.runCli("INFO", "replication").catch(() => "");
  await waitUntil(async () => (await readRole()).includes("role:master"), PROMOTION_MS);
}
