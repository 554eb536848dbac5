import type { Redis } from "ioredis";
import { computeSlot } from "../../server/redis/cluster/slot.ts";
import { isPortFree } from "../../server/redis/embedded/server-process.ts";
import { findFreePort, startTestRedis, type TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

const SLOTS = 16_384;
/** Where a node talks to the others, above its own port. */
const BUS_OFFSET = 10_000;
const NODE_TIMEOUT_MS = 1000;

export interface TestClusterOptions {
  masters?: number;
  /** One replica each for the first so many masters. */
  replicas?: number;
}

/** A slot that is being moved from one master to another, as a resharding does it. */
export interface SlotMove {
  /** What is not there is left out. */
  moveKeys(...keys: readonly string[]): Promise<void>;
  /** All masters are told of the new one. */
  finish(): Promise<void>;
}

export interface TestCluster {
  readonly masters: readonly TestRedis[];
  readonly replicas: readonly TestRedis[];
  readonly urls: readonly string[];
  /** The number of the master that has the key, as the cluster was made. */
  getMasterIndex(key: string): number;
  /** A plain connection to the master that has the key, as the cluster was made. */
  getMasterClient(key: string): Redis;
  /** A key that the master of this number has. */
  findKeyOnMaster(master: number, name: string): string;
  /** Begins to move the slot of the key away from the master that had it at first. */
  startSlotMove(key: string, to: number): Promise<SlotMove>;
  /** A new master without a slot; slots can be moved to it by its number. */
  addMaster(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a real Redis Cluster for one test file. A node that is away takes only its own slots with it. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { masters = 3, replicas = 0 } = options;
  const nodes: TestRedis[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    // One after the other: each must see the ports of those before.
    for (let n = 0; n < masters + replicas; n++) nodes.push(await startNode());
    await formCluster(nodes, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  return new FormedCluster(nodes.slice(0, masters), nodes.slice(masters), {
    stop,
    start: async () => {
      const node = await startNode();
      nodes.push(node);
      return node;
    },
  });
}

async function startNode(): Promise<TestRedis> {
  for (let left = 5; ; left--) {
    const port = await findFreePort();
    if (!(await isPortFree(port + BUS_OFFSET))) continue;
    try {
      return await startTestRedis({
        port,
        args: [
          ...["--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"],
          ...["--cluster-node-timeout", String(NODE_TIMEOUT_MS), "--repl-diskless-sync-delay", "0"],
        ],
      });
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function formCluster(nodes: readonly TestRedis[], masters: number): Promise<void> {
  const clients = nodes.map((node) => node.createClient());
  const [first] = nodes;
  for (const [n, client] of clients.entries()) {
    await client.cluster("SET-CONFIG-EPOCH", n + 1);
    if (n > 0) await client.cluster("MEET", "127.0.0.1", first?.port ?? 0);
    if (n >= masters) continue;
    const [from, to] = getSlotRange(n, masters);
    await client.cluster("ADDSLOTS", ...Array.from({ length: to - from }, (_, at) => from + at));
  }
  const state = async (client: Redis) => String(await client.cluster("INFO"));
  const knowAll = (info: string) => info.includes(`cluster_known_nodes:${nodes.length}`);
  await waitUntil(async () => (await Promise.all(clients.map(state))).every(knowAll), 10_000);
  for (const [n, client] of clients.slice(masters).entries()) {
    await client.cluster("REPLICATE", String(await clients[n]?.cluster("MYID")));
  }
  const isUp = (info: string) =>
    info.includes("cluster_state:ok") && info.includes(`cluster_slots_ok:${SLOTS}`);
  await waitUntil(async () => (await Promise.all(clients.map(state))).every(isUp), 10_000);
  const areInStep = async () =>
    (await Promise.all(clients.slice(masters).map((client) => client.info("replication")))).every((info) =>
      info.includes("master_link_status:up"),
    );
  await waitUntil(areInStep, 10_000);
}

function getSlotRange(n: number, masters: number): [from: number, to: number] {
  return [Math.floor((n * SLOTS) / masters), Math.floor(((n + 1) * SLOTS) / masters)];
}

class FormedCluster implements TestCluster {
  readonly urls: readonly string[];
  readonly #clients: Redis[];
  /** How many masters shared the slots at first. */
  readonly #count: number;

  constructor(
    readonly masters: TestRedis[],
    readonly replicas: readonly TestRedis[],
    private readonly nodes: { start(): Promise<TestRedis>; stop(): Promise<void> },
  ) {
    this.#count = masters.length;
    this.urls = masters.map(({ url }) => url);
    this.#clients = masters.map((master) => master.createClient());
  }

  getMasterIndex(key: string): number {
    const slot = computeSlot(key);
    return this.masters.findIndex((_, n) => slot < getSlotRange(n, this.#count)[1]);
  }

  getMasterClient(key: string): Redis {
    const client = this.#clients[this.getMasterIndex(key)];
    if (client === undefined) throw new Error(`no master has the slot of ${key}`);
    return client;
  }

  async startSlotMove(key: string, to: number): Promise<SlotMove> {
    const slot = computeSlot(key);
    const [source, target] = [this.getMasterClient(key), this.#clients[to]];
    if (target === undefined) throw new Error(`there is no master ${to}`);
    const [sourceId, targetId] = (
      await Promise.all([source, target].map((each) => each.cluster("MYID")))
    ).map(String);
    await target.cluster("SETSLOT", slot, "IMPORTING", sourceId ?? "");
    await source.cluster("SETSLOT", slot, "MIGRATING", targetId ?? "");
    return {
      moveKeys: async (...keys) => {
        const port = this.masters[to]?.port ?? 0;
        await source.migrate("127.0.0.1", port, "", 0, 5000, "KEYS", ...keys);
      },
      finish: async () => {
        for (const each of [target, source]) await each.cluster("SETSLOT", slot, "NODE", targetId ?? "");
        const isKnown = async (each: Redis) => {
          const slots = await each.cluster("SLOTS");
          return slots.some(
            ([first, last, node]) => first <= slot && slot <= last && node?.[1] === this.masters[to]?.port,
          );
        };
        await waitUntil(async () => (await Promise.all(this.#clients.map(isKnown))).every(Boolean));
      },
    };
  }

  async addMaster(): Promise<number> {
    const node = await this.nodes.start();
    const client = node.createClient();
    await client.cluster("MEET", "127.0.0.1", this.masters[0]?.port ?? 0);
    const id = String(await client.cluster("MYID"));
    const knowIt = async (each: Redis) => String(await each.cluster("NODES")).includes(`${id} 127.0.0.1`);
    await waitUntil(async () => (await Promise.all(this.#clients.map(knowIt))).every(Boolean), 10_000);
    this.#clients.push(client);
    return this.masters.push(node) - 1;
  }

  async stop(): Promise<void> {
    await this.nodes.stop();
  }

  findKeyOnMaster(master: number, name: string): string {
    for (let n = 0; ; n++) if (this.getMasterIndex(`${name}-${n}`) === master) return `${name}-${n}`;
  }
}
