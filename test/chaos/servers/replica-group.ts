import type { Redis } from "ioredis";
import type { RedisLocation } from "../../../server/locks/backends/open-backend.ts";
import { computeSlot } from "../../../server/redis/cluster/slot.ts";
import { startTestCluster } from "../../support/cluster.ts";
import type { TestRedis } from "../../support/test-redis.ts";
import { startTestSentinel, type TestSentinel } from "../../support/test-sentinel.ts";
import { waitUntil } from "../../support/test-server.ts";

/**
 * Maximum time for a failover, in milliseconds. A failover takes 2 to 4 s, twice as long if the first attempt fails,
 * and longer on a busy machine.
 */
const WITHIN_MS = 45_000;
const ASK_MS = 300;
const IN_STEP_MS = 1000;
const SLOTS = 16_384;

/**
 * Masters and their replicas, managed by Sentinel or as a cluster. Servers are identified by their index in `servers`.
 */
export interface ReplicaGroup {
  readonly servers: readonly TestRedis[];
  /** Returns the location for a client that reaches each server through a separate port. */
  getLocation(ports: readonly number[]): RedisLocation;
  /** Finds the current masters. */
  findMasters(): Promise<number[]>;
  /** Finds the master that stores the lock. */
  findMasterOf(lock: string): Promise<number>;
  /** Resolves when another server has replaced the given master. */
  waitForPromotion(insteadOf: number): Promise<void>;
  /** Performs an orderly failover of the given master. Resolves when the failover is complete. */
  failOver(master: number): Promise<void>;
  /** Stops the replicas of a master and drops data in transit to them. @returns the indexes of the replicas */
  cutReplicas(master: number): Promise<number[]>;
  /** Resolves when all servers are up and all replicas are in sync with their masters. */
  waitUntilInSync(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSentinelGroup(): Promise<ReplicaGroup> {
  return new SentinelGroup(await startTestSentinel());
}

export async function startClusterGroup(): Promise<ClusterGroup> {
  const cluster = await startTestCluster({ masters: 3, replicas: 3 });
  const group = new ClusterGroup([...cluster.masters, ...cluster.replicas], () => cluster.stop());
  await group.waitUntilInSync();
  return group;
}

/** Maps the addresses that servers announce to the addresses of the links that clients use. */
function createNatMap(servers: readonly TestRedis[], ports: readonly number[]): Record<string, string> {
  return Object.fromEntries(
    servers.map(({ port }, n) => [`127.0.0.1:${port}`, `127.0.0.1:${ports[n] ?? port}`]),
  );
}

class SentinelGroup implements ReplicaGroup {
  readonly servers: readonly TestRedis[];

  constructor(private readonly group: TestSentinel) {
    this.servers = group.servers;
  }

  getLocation(ports: readonly number[]): RedisLocation {
    return { ...this.group.where, natMap: createNatMap(this.servers, ports) };
  }

  async findMasters(): Promise<number[]> {
    return [this.servers.indexOf(await this.group.findMaster())];
  }

  async findMasterOf(): Promise<number> {
    return this.servers.indexOf(await this.group.findMaster());
  }

  async waitForPromotion(insteadOf: number): Promise<void> {
    await this.group.waitForPromotion(this.#getServer(insteadOf));
  }

  async failOver(): Promise<void> {
    await this.group.failover();
  }

  async cutReplicas(master: number): Promise<number[]> {
    await this.group.cutReplicas();
    return this.servers.flatMap((_, n) => (n === master ? [] : [n]));
  }

  async waitUntilInSync(): Promise<void> {
    await waitUntil(() => this.group.isInSync(), WITHIN_MS);
  }

  stop(): Promise<void> {
    return this.group.stop();
  }

  #getServer(n: number): TestRedis {
    const server = this.servers[n];
    if (server === undefined) throw new Error(`there is no server ${n}`);
    return server;
  }
}

/** A cluster of three masters with one replica each. */
export class ClusterGroup implements ReplicaGroup {
  readonly #direct: readonly Redis[];

  constructor(
    readonly servers: readonly TestRedis[],
    private readonly onStop: () => Promise<void>,
  ) {
    this.#direct = servers.map((server) => server.createClient());
  }

  getLocation(ports: readonly number[]): RedisLocation {
    return {
      cluster: ports.map((port) => `redis://127.0.0.1:${port}`),
      natMap: createNatMap(this.servers, ports),
    };
  }

  async findMasters(): Promise<number[]> {
    const owners = await this.#readSlotOwners();
    return [...new Set(owners.map(({ master }) => master))];
  }

  async findMasterOf(lock: string): Promise<number> {
    const owner = await this.#findSlotOwner(computeSlot(lock));
    if (owner === undefined) throw new Error(`nobody has the slot of ${lock}`);
    return owner;
  }

  /** Finds the master that owns a slot. Returns `undefined` while the nodes do not agree on the owners. */
  async #findSlotOwner(slot: number): Promise<number | undefined> {
    return (await this.#readSlotOwners()).find(({ from, to }) => from <= slot && slot <= to)?.master;
  }

  async waitForPromotion(insteadOf: number): Promise<void> {
    await waitUntil(async () => !(await this.findMasters()).includes(insteadOf), WITHIN_MS);
  }

  async failOver(master: number): Promise<void> {
    const [replica] = await this.#listReplicas(master);
    if (replica === undefined) throw new Error(`server ${master} has no replica`);
    await this.getConnection(replica).cluster("FAILOVER");
    await this.waitForPromotion(master);
  }

  async cutReplicas(master: number): Promise<number[]> {
    const replicas = await this.#listReplicas(master);
    for (const n of replicas) this.servers[n]?.freeze();
    await this.getConnection(master).call("CLIENT", "KILL", "TYPE", "replica");
    return replicas;
  }

  async waitUntilInSync(): Promise<void> {
    await waitUntil(() => this.#isWhole(), WITHIN_MS);
  }

  /**
   * Starts to move the slot of a lock to another master. @returns a function that moves the slot's keys and completes
   * the move
   */
  async startSlotMove(lock: string, chance: number): Promise<() => Promise<void>> {
    const slot = computeSlot(lock);
    const from = await this.findMasterOf(lock);
    const others = (await this.findMasters()).filter((n) => n !== from);
    const to = others[Math.floor(chance * others.length)] ?? from;
    const [source, target] = [this.getConnection(from), this.getConnection(to)];
    const [sourceId, targetId] = await Promise.all([readNodeId(source), readNodeId(target)]);
    await target.cluster("SETSLOT", slot, "IMPORTING", sourceId);
    await source.cluster("SETSLOT", slot, "MIGRATING", targetId);
    return async () => {
      for (;;) {
        const keys = await source.cluster("GETKEYSINSLOT", slot, 10);
        if (keys.length === 0) break;
        await source.migrate("127.0.0.1", this.servers[to]?.port ?? 0, "", 0, 5000, "KEYS", ...keys);
      }
      for (const redis of [target, source]) await redis.cluster("SETSLOT", slot, "NODE", targetId);
      await waitUntil(async () => (await this.#findSlotOwner(slot)) === to, WITHIN_MS);
    };
  }

  getConnection(n: number): Redis {
    const redis = this.#direct[n];
    if (redis === undefined) throw new Error(`there is no server ${n}`);
    return redis;
  }

  async stop(): Promise<void> {
    await this.onStop();
  }

  /**
   * Reads the slot owners on which a majority of the nodes agree. A server that was down may still consider itself a
   * master.
   */
  async #readSlotOwners(): Promise<{ from: number; to: number; master: number }[]> {
    const views = await Promise.all(this.#direct.map((redis) => waitForAnswer(redis.cluster("SLOTS"))));
    const known = views.flatMap((slots) =>
      slots === undefined
        ? []
        : [
            slots.map(([from, to, node]) => {
              const master = this.servers.findIndex(({ port }) => port === node?.[1]);
              return { from, to, master };
            }),
          ],
    );
    const texts = known.map((view) => JSON.stringify(view.toSorted((one, other) => one.from - other.from)));
    const agreed = known.find((_, n) => 2 * texts.filter((text) => text === texts[n]).length > texts.length);
    return agreed ?? [];
  }

  async #listReplicas(master: number): Promise<number[]> {
    const port = this.servers[master]?.port;
    const infos = await Promise.all(this.#direct.map((redis) => waitForAnswer(redis.info("replication"))));
    return infos.flatMap((info, n) => (info?.includes(`master_port:${port}\r\n`) ? [n] : []));
  }

  async #isWhole(): Promise<boolean> {
    const owners = await this.#readSlotOwners();
    const owned = owners.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const masters = [...new Set(owners.map(({ master }) => master))];
    if (owned !== SLOTS || masters.length !== 3) return false;
    const inStep = await Promise.all(masters.map((n) => this.#isFollowed(n, owners)));
    return inStep.every(Boolean);
  }

  /**
   * Returns whether a replica has confirmed a new write. The link status is not sufficient, because a replica may
   * receive no data for up to a second after a full synchronization.
   */
  async #isFollowed(master: number, owners: readonly { from: number; to: number; master: number }[]) {
    const isHere = (key: string) => {
      const slot = computeSlot(key);
      return owners.some((each) => each.master === master && each.from <= slot && slot <= each.to);
    };
    let n = 0;
    while (!isHere(`chaos:beat:${n}`)) n++;
    const redis = this.getConnection(master);
    if ((await waitForAnswer(redis.set(`chaos:beat:${n}`, "", "PX", 1))) === undefined) return false;
    return (await waitForAnswer(redis.wait(1, IN_STEP_MS), 2 * IN_STEP_MS)) === 1;
  }
}

async function readNodeId(redis: Redis): Promise<string> {
  return String(await redis.cluster("MYID"));
}

/** Waits for a reply. Returns `undefined` if the reply is an error or does not arrive within `ms`. */
async function waitForAnswer<Answer>(asked: Promise<Answer>, ms = ASK_MS): Promise<Answer | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
  return await Promise.race([asked.catch(() => undefined), late]);
}
