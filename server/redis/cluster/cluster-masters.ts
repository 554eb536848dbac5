import type { Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../commands.ts";
import { COMMAND_TIMEOUT_MS } from "../connect.ts";
import { connectMaster, type Master, type Masters, type MasterUse, type SlotRouting } from "../master.ts";
import { toRedisArgument } from "../script.ts";
import { type ClusterLocation, toClusterAddress } from "./cluster-address.ts";
import { ClusterClient } from "./cluster-client.ts";
import { ClusterMap, type NodeName } from "./cluster-map.ts";
import { parseRedirection } from "./redirection.ts";
import { computeSlot } from "./slot.ts";

/**
 * Interval of refreshes, in ms. Within this time, Lockkeeper finds a master that received its first slots. A scan then
 * finds the locks that were acquired on this master in the meantime.
 */
const REFRESH_INTERVAL_MS = 1000;
/**
 * Time, in ms, for which a slot counts as migrating. Notifications about a migration arrive over two connections and
 * may be late.
 */
const MOVING_MS = 30_000;

/** The masters of a Redis Cluster, which change after a failover, resharding or scaling. */
export class ClusterMasters implements Masters, SlotRouting {
  readonly db = 0;
  readonly routing: SlotRouting = this;
  readonly #map: ClusterMap;
  readonly #nodes = new Map<NodeName, ClusterMaster>();
  readonly #listeners = new Set<() => void>();
  /** Time at which each slot was last observed to migrate (`performance.now()`), by slot. */
  readonly #movedAt = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #list: readonly Master[] = [];
  #movingSlotClient: ClusterClient | undefined;
  #nextNode = 0;

  constructor(
    where: ClusterLocation,
    private readonly use: MasterUse,
  ) {
    this.#map = new ClusterMap(toClusterAddress(where));
    this.#map.on("change", (slots) => this.#updateNodes(slots));
    this.#timer = setInterval(() => void this.#refreshMap(), REFRESH_INTERVAL_MS);
    this.#timer.unref();
    void this.#refreshMap();
  }

  get list(): readonly Master[] {
    return this.#list;
  }

  findMaster(key: Key): Master | undefined {
    return this.#nodes.get(this.#map.findMaster(computeSlot(toRedisArgument(key))) ?? "");
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#map.close();
    this.#movingSlotClient?.disconnect();
    for (const node of this.#nodes.values()) node.close();
  }

  get hasShardedPubSub(): boolean {
    return this.#map.hasShardedPubSub;
  }

  get scripts() {
    return this.#redirectingClient.bytes;
  }

  call(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown> {
    return this.#redirectingClient.call(command, key, ...more);
  }

  callBuffer(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown> {
    return this.#redirectingClient.callBuffer(command, key, ...more);
  }

  handleRedirect(key: Key, error: Error): "moved" | "apart" | undefined {
    const slot = computeSlot(toRedisArgument(key));
    if (error.message.startsWith("CROSSSLOT")) return "apart";
    const redirection = parseRedirection(error, this.#map.findMaster(slot));
    if (redirection === undefined && !error.message.startsWith("TRYAGAIN")) return undefined;
    this.#movedAt.set(slot, performance.now());
    if (redirection?.kind !== "MOVED") return "apart";
    this.#map.recordMove(slot, redirection.node);
    return "moved";
  }

  isMoving(key: Key): boolean {
    if (this.#movedAt.size === 0) return false;
    const at = this.#movedAt.get(computeSlot(toRedisArgument(key)));
    return at !== undefined && performance.now() - at < MOVING_MS;
  }

  /** The client for keys in migrating slots, created on first use. */
  get #redirectingClient(): ClusterClient {
    this.#movingSlotClient ??= new ClusterClient(this.#map, "watch-moving");
    return this.#movingSlotClient;
  }

  async #refreshMap(): Promise<void> {
    const nodes = [...this.#nodes.values()].filter(({ redis }) => redis.status === "ready");
    const node = nodes[this.#nextNode++ % nodes.length];
    try {
      if (node === undefined) await this.#map.refresh();
      else await this.#map.refreshFrom(node.name, node.redis).catch(() => this.#map.refresh());
    } catch {
      // No node replied. The next refresh tries again.
    }
    const now = performance.now();
    for (const [slot, at] of this.#movedAt) if (now - at > MOVING_MS) this.#movedAt.delete(slot);
  }

  #updateNodes(slots: readonly number[]): void {
    const { masters } = this.#map;
    const isFirst = this.#nodes.size === 0;
    let hasFailed = false;
    for (const [name, node] of this.#nodes) {
      if (masters.has(name)) continue;
      hasFailed = true;
      this.#nodes.delete(name);
      // Pending replies may still arrive.
      setTimeout(() => node.close(), COMMAND_TIMEOUT_MS).unref();
    }
    for (const name of masters) {
      if (!this.#nodes.has(name)) this.#nodes.set(name, new ClusterMaster(name, this.#map, this.use));
    }
    this.#list = [...this.#nodes.values()];
    // Unlike a migration, a failover neither deletes nor restores keys.
    if (!isFirst && !hasFailed) for (const slot of slots) this.#movedAt.set(slot, performance.now());
    for (const listener of this.#listeners) listener();
  }
}

class ClusterMaster implements Master {
  readonly redis;
  readonly reads;
  readonly subscriber;

  constructor(
    readonly name: NodeName,
    private readonly map: ClusterMap,
    use: MasterUse,
  ) {
    const { redis, reads, subscriber } = connectMaster(map.address.getNodeAddress(name), use);
    this.redis = redis;
    this.reads = reads;
    this.subscriber = subscriber;
    redis.on("close", () => map.refreshSoon());
  }

  findHashTag(): string {
    const isOurs = (tag: string) => this.map.findMaster(computeSlot(tag)) === this.name;
    // Without slots, the master has no keys, and it will be removed from the list.
    if (!this.map.masters.has(this.name)) return "";
    for (;;) {
      const tag = Math.random().toString(36).slice(2);
      if (tag !== "" && isOurs(tag)) return tag;
    }
  }

  reportDemotion(): void {
    this.map.refreshSoon();
  }

  close(): void {
    this.redis.disconnect();
    this.reads.close();
    this.subscriber.disconnect();
  }
}
