import type { Redis } from "ioredis";
import { computeSlot } from "../../server/redis/cluster/slot.ts";
import { isPortFree } from "../../server/redis/embedded/server-process.ts";
import { startTestProxy, type TestProxy } from "./test-proxy.ts";
import { findFreePort, startTestRedis, type TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

const SLOTS = 16_384;
/** Offset of a node's cluster bus port from its own port. */
const BUS_OFFSET = 10_000;
const NODE_TIMEOUT_MS = 1000;

export interface TestClusterOptions {
  masters?: number;
  /** Number of masters with one replica each, starting with the first master. The other masters have none. */
  replicas?: number;
  /** Whether clients and the replica of the first master reach that master through a proxy. */
  hasProxy?: boolean;
}

/** A slot that is being moved from one master to another, as during resharding. */
export interface SlotMove {
  /** Moves the given keys. Keys that do not exist are ignored. */
  moveKeys(...keys: readonly string[]): Promise<void>;
  /** Moves the remaining keys of the slot and informs all masters of its new owner. */
  finish(): Promise<void>;
}

export interface TestCluster {
  readonly masters: readonly TestRedis[];
  readonly replicas: readonly TestRedis[];
  readonly urls: readonly string[];
  /** The proxy in front of the first master, if `hasProxy` is set. */
  readonly proxy: TestProxy | undefined;
  /** Returns the index of the master that initially owns the key's slot. */
  getMasterIndex(key: string): number;
  /** Returns a plain connection to the master that initially owns the key's slot. */
  getMasterClient(key: string): Redis;
  /**
   * Returns a key on the given master, in a slot that no other returned key uses. Tests can therefore move slots in
   * parallel.
   */
  findKeyOnMaster(master: number, name: string): string;
  /** Starts to move the key's slot from its initial master to master `to`. */
  startSlotMove(key: string, to: number): Promise<SlotMove>;
  /**
   * Adds a master without slots.
   * @returns its index, to which slots can be moved
   */
  addMaster(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a Redis Cluster for one test file. If a node is down, only its own slots are unavailable. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { masters = 3, replicas = 0, hasProxy = false } = options;
  const nodes: TestRedis[] = [];
  let proxy: TestProxy | undefined;
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await proxy?.stop();
  };
  try {
    // The servers start one after another, because each search for a free port must see the ports in use.
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

/**
 * Returns the arguments of a node on `port` that announces the port of its proxy. The cluster bus bypasses the proxy.
 */
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
  /** Initial number of masters. */
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
    const moveKeys = async (...keys: readonly string[]) => {
      const port = this.masters[to]?.port ?? 0;
      await source.migrate("127.0.0.1", port, "", 0, 5000, "KEYS", ...keys);
    };
    return {
      moveKeys,
      finish: async () => {
        // Keys of other tests can be in the same slot.
        const others = (await source.cluster("GETKEYSINSLOT", slot, SLOTS)).map(String);
        if (others.length > 0) await moveKeys(...others);
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
    // The new node discovers the other nodes by gossip, after they have discovered the new node.
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
