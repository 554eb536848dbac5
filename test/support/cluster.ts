import type { Redis } from "ioredis";
import { computeSlot } from "../../server/redis/cluster/slot.ts";
import { isPortFree } from "../../server/redis/embedded/server-process.ts";
import { startTestProxy, type TestProxy } from "./test-proxy.ts";
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
  /** Whether clients, and the replica of the first master, reach it through a proxy. */
  hasProxy?: boolean;
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
  /** In front of the first master; present with `hasProxy`. */
  readonly proxy: TestProxy | undefined;
  /** The number of the master that has the key, as the cluster was made. */
  getMasterIndex(key: string): number;
  /** A plain connection to the master that has the key, as the cluster was made. */
  getMasterClient(key: string): Redis;
  /** A key that the master of this number has, in a slot of no other key: tests move slots side by side. */
  findKeyOnMaster(master: number, name: string): string;
  /** Begins to move the slot of the key away from the master that had it at first. */
  startSlotMove(key: string, to: number): Promise<SlotMove>;
  /** A new master without a slot; slots can be moved to it by its number. */
  addMaster(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a real Redis Cluster for one test file. A node that is away takes only its own slots with it. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { masters = 3, replicas = 0, hasProxy = false } = options;
  const nodes: TestRedis[] = [];
  let proxy: TestProxy | undefined;
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await proxy?.stop();
  };
  try {
    // One after the other: each must see the ports of those before.
    for (let n = 0; n < masters + replicas; n++) {
      const started = await startNode(hasProxy && n === 0);
      nodes.push(started.node);
      proxy ??= started.proxy;
    }
    await formCluster(nodes, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  return new FormedCluster(nodes.slice(0, masters), nodes.slice(masters), proxy, {
    stop,
    start: async () => {
      const { node } = await startNode();
      nodes.push(node);
      return node;
    },
  });
}

interface StartedNode {
  readonly node: TestRedis;
  readonly proxy: TestProxy | undefined;
}

async function startNode(hasProxy = false): Promise<StartedNode> {
  for (let left = 5; ; left--) {
    const port = await findFreePort();
    if (!(await isPortFree(port + BUS_OFFSET))) continue;
    const proxy = hasProxy ? await startTestProxy(port) : undefined;
    try {
      const announced = proxy === undefined ? [] : announcePort(port, proxy.port);
      const node = await startTestRedis({
        port,
        args: [
          ...["--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"],
          ...["--cluster-node-timeout", String(NODE_TIMEOUT_MS), "--repl-diskless-sync-delay", "0"],
          ...announced,
        ],
      });
      return { node, proxy };
    } catch (error) {
      await proxy?.stop();
      if (left === 0) throw error;
    }
  }
}

/** Arguments of a node on `port` that others find at the port of its proxy; the cluster bus goes past the proxy. */
function announcePort(port: number, proxyPort: number): string[] {
  const bus = String(port + BUS_OFFSET);
  return ["--cluster-announce-port", String(proxyPort), "--cluster-announce-bus-port", bus];
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
  readonly #usedSlots = new Set<number>();
  /** How many masters shared the slots at first. */
  readonly #count: number;

  constructor(
    readonly masters: TestRedis[],
    readonly replicas: readonly TestRedis[],
    readonly proxy: TestProxy | undefined,
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
    // It learns of the others by gossip, later than they learn of it.
    const ids = await Promise.all(this.#clients.map(async (each) => String(await each.cluster("MYID"))));
    const knowsAll = (nodes: unknown) => ids.every((other) => String(nodes).includes(`${other} 127.0.0.1`));
    await waitUntil(async () => knowsAll(await client.cluster("NODES")), 10_000);
    this.#clients.push(client);
    return this.masters.push(node) - 1;
  }

  async stop(): Promise<void> {
    await this.nodes.stop();
  }

  findKeyOnMaster(master: number, name: string): string {
    for (let n = 0; ; n++) {
      const key = `${name}-${n}`;
      const slot = computeSlot(key);
      if (this.getMasterIndex(key) !== master || this.#usedSlots.has(slot)) continue;
      this.#usedSlots.add(slot);
      return key;
    }
  }
}
