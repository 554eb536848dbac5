import { EventEmitter, setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { z } from "zod";
import { connect, type RedisAddress, waitUntilReady } from "../connect.ts";
import { readInfoField } from "../server-info.ts";

/** The address of a node as `host:port`. */
export type NodeName = string;

export interface ClusterAddress {
  readonly seeds: readonly NodeName[];
  /**
   * Returns the address of a node, with the user, password and TLS settings that all nodes share.
   *
   * @param connection a name that distinguishes connections to the same node
   */
  getNodeAddress(node: NodeName, connection?: string): RedisAddress;
}

const SLOTS = 16_384;
/** Time, in ms, after which the next node is queried if a node does not reply. */
const NEXT_NODE_DELAY_MS = 150;
const REFRESH_TIMEOUT_MS = 2000;
/** Minimum time, in ms, between a refresh and the next background refresh. Every failed call requests a refresh. */
const REFRESH_INTERVAL_MS = 200;

const Node = z.tuple([z.string().nullable(), z.int()]).rest(z.unknown());
const Slots = z.array(z.tuple([z.int(), z.int()]).rest(Node)).min(1);

interface ClusterView {
  /** The node that returned this view. */
  readonly node: NodeName;
  readonly slots: z.infer<typeof Slots>;
  readonly hasShardedPubSub: boolean;
  /** Increases with every failover and with most migrations of slots. */
  readonly epoch: number;
  /** Whether the node reports `cluster_state:ok`. False for a node that cannot reach a majority of the masters. */
  readonly isOk: boolean;
}

/** Maps slots to masters. Applies MOVED redirects immediately. All other changes come from CLUSTER SLOTS. */
export class ClusterMap extends EventEmitter<{ change: [moved: readonly number[]] }> {
  #masterBySlot: (NodeName | undefined)[] = [];
  #nodes: readonly NodeName[] = [];
  #epoch = 0;
  /** Whether the cluster supports sharded Pub/Sub; `undefined` until known. */
  #hasShardedPubSub: boolean | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(readonly address: ClusterAddress) {
    super();
    this.setMaxListeners(0);
  }

  findMaster(slot: number): NodeName | undefined {
    return this.#masterBySlot[slot];
  }

  /** Whether the cluster supports sharded Pub/Sub (Redis 7 and newer). False until known. */
  get hasShardedPubSub(): boolean {
    return this.#hasShardedPubSub ?? false;
  }

  get masters(): ReadonlySet<NodeName> {
    return new Set(this.#masterBySlot.filter((node) => node !== undefined));
  }

  recordMove(slot: number, node: NodeName): void {
    if (this.#masterBySlot[slot] === node) return;
    this.#masterBySlot[slot] = node;
    this.emit("change", [slot]);
    this.refreshSoon();
  }

  /**
   * Refreshes the map in the background. Call this method after an error that an outdated map can cause. Has no effect
   * within 200 ms after a refresh or after `close`.
   */
  refreshSoon(): void {
    if (this.#isClosed || performance.now() - this.#refreshedAt < REFRESH_INTERVAL_MS) return;
    this.refresh().catch(() => undefined);
  }

  /** Disables `refreshSoon` and removes all listeners. */
  close(): void {
    this.#isClosed = true;
    this.removeAllListeners();
  }

  /**
   * Refreshes the map. Concurrent calls share one refresh.
   *
   * @throws if no node replies
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedAt = performance.now();
    });
    return this.#refreshing;
  }

  /**
   * Refreshes the map from one node over an open connection.
   *
   * @throws if the node does not reply, or its map may be older than the current map
   */
  async refreshFrom(node: NodeName, redis: Redis): Promise<void> {
    const view = await fetchView(node, redis, this.#hasShardedPubSub);
    if (this.#isOutdated(view)) throw new Error(`${node} knows an older cluster`);
    this.#applyView(view);
  }

  async #refreshNow(): Promise<void> {
    const [first, ...others] = shuffle(this.#nodes);
    const [seed, ...seeds] = shuffle(this.address.seeds);
    // A seed is asked second, because all known nodes may be gone, and a large cluster has more nodes than can be asked
    // in time.
    const nodes = new Set([first, seed, ...others, ...seeds].flatMap((name) => name ?? []));
    const old: ClusterView[] = [];
    const ask = async (node: NodeName, signal: AbortSignal) => {
      const view = await this.#fetchViewFrom(node, signal);
      if (!this.#isOutdated(view)) return view;
      old.push(view);
      throw new Error(`${node} knows an older cluster`);
    };
    const view = await raceNodes([...nodes], ask).catch((error) => {
      // An older map is better than no map. Also, the epochs of a cluster that was created again start from zero.
      const newest = old.reduce<ClusterView | undefined>(
        (a, b) => (a && a.epoch > b.epoch ? a : b),
        undefined,
      );
      if (newest === undefined) throw error;
      return newest;
    });
    this.#applyView(view);
  }

  /**
   * Whether a view may be older than the current map. Behind a network partition, a node still returns the map from
   * before the failover.
   */
  #isOutdated({ epoch, isOk }: ClusterView): boolean {
    return !isOk || epoch < this.#epoch;
  }

  #applyView({ node: source, slots, hasShardedPubSub, epoch, isOk }: ClusterView): void {
    const { host } = parseNodeName(source);
    // A node that does not know its own address returns an empty address. In that case, use the address at which the
    // node was reached.
    const nameOf = ([named, port]: z.infer<typeof Node>) => formatNodeName(named || host, port);
    const before = this.#masterBySlot;
    const masterOf: (NodeName | undefined)[] = new Array(SLOTS).fill(undefined);
    for (const [from, to, master] of slots) {
      if (master !== undefined) masterOf.fill(nameOf(master), from, to + 1);
    }
    if (isOk) this.#epoch = epoch;
    this.#masterBySlot = masterOf;
    this.#hasShardedPubSub = hasShardedPubSub;
    this.#nodes = [...new Set(slots.flatMap(([, , ...nodes]) => nodes.map(nameOf)))];
    const moved = masterOf.flatMap((node, slot) => (node === before[slot] ? [] : [slot]));
    if (moved.length > 0) this.emit("change", moved);
  }

  async #fetchViewFrom(node: NodeName, signal: AbortSignal): Promise<ClusterView> {
    const redis = connect(this.address.getNodeAddress(node), "map", { retryStrategy: () => null });
    let cause: unknown;
    redis.once("error", (error) => {
      cause = error;
    });
    try {
      await waitUntilReady(redis, signal);
      return await fetchView(node, redis, this.#hasShardedPubSub);
    } catch (error) {
      throw cause ?? error;
    } finally {
      redis.disconnect();
    }
  }
}

async function fetchView(node: NodeName, redis: Redis, isSharded: boolean | undefined): Promise<ClusterView> {
  const [slots, info, hasShardedPubSub] = await Promise.all([
    redis.cluster("SLOTS"),
    redis.cluster("INFO"),
    isSharded ?? redis.call("COMMAND", "INFO", "SPUBLISH").then(isKnownCommand, () => false),
  ]);
  return {
    node,
    slots: Slots.parse(slots),
    hasShardedPubSub,
    epoch: Number(readInfoField(String(info), "cluster_current_epoch") ?? 0),
    isOk: readInfoField(String(info), "cluster_state") === "ok",
  };
}

const isKnownCommand = (reply: unknown) => Array.isArray(reply) && reply[0] !== null;

export function formatNodeName(host: string, port: number): NodeName {
  return `${host}:${port}`;
}

export function parseNodeName(node: NodeName): { host: string; port: number } {
  const at = node.lastIndexOf(":");
  return { host: node.slice(0, at), port: Number(node.slice(at + 1)) };
}

/** Returns the first reply. A frozen node delays the result only until the next node is queried. */
async function raceNodes<Answer>(
  nodes: readonly NodeName[],
  ask: (node: NodeName, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(REFRESH_TIMEOUT_MS)]);
  // Each node adds a listener to the signal, and a cluster may have hundreds of nodes.
  setMaxListeners(0, signal);
  const answers = nodes.map(async (node, at) => {
    if (at > 0) await sleep(at * NEXT_NODE_DELAY_MS, undefined, { signal });
    return await ask(node, signal);
  });
  try {
    return await Promise.any(answers);
  } finally {
    done.abort();
  }
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
