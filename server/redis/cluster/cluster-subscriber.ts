import { EventEmitter } from "node:events";
import type { Redis } from "ioredis";
import type { Subscriber } from "../commands.ts";
import { COMMAND_TIMEOUT_MS, waitUntilReady } from "../connect.ts";
import { NeverSentError } from "../failure.ts";
import type { ClusterMap, NodeName } from "./cluster-map.ts";
import { ClusterNodeConnections } from "./cluster-node-connections.ts";
import { parseRedirection } from "./redirection.ts";
import { computeSlot } from "./slot.ts";

/** Delay before a new subscription, in ms. Nodes that have not learned of a migration yet redirect to each other. */
const RESUBSCRIBE_DELAY_MS = 20;

/**
 * The kind of channels that a subscriber uses. `wake`: channels in the slot of their lock, sharded if the cluster
 * supports it. `keyspace`: keyspace notifications, which a node sends only to its own clients and never as sharded
 * messages.
 */
export type ClusterChannelKind = "wake" | "keyspace";

const KEYSPACE_PREFIX = Buffer.from("__keyspace@0__:");

/**
 * Subscribes to channels on the master that has the slot of their lock, because that master publishes changes to the
 * lock. When a slot moves to another master, unsubscribes from the slot's channels and emits `ready`, so that the
 * caller subscribes again.
 */
export class ClusterSubscriber extends EventEmitter implements Subscriber {
  readonly #nodes: ClusterNodeConnections;
  /**
   * Whether the channels are sharded. All channels use the same mode, because ioredis treats the end of a connection's
   * last sharded subscription as the end of all subscriptions.
   */
  readonly #isSharded: boolean;
  readonly #nodeByChannel = new Map<string, NodeName>();
  readonly #onChange = () => this.#leaveMovedChannels();
  #resubscribeTimer: NodeJS.Timeout | undefined;

  /** @param map a map that was refreshed at least once */
  constructor(
    private readonly map: ClusterMap,
    private readonly kind: ClusterChannelKind,
  ) {
    super();
    this.#isSharded = kind === "wake" && map.hasShardedPubSub;
    this.#nodes = new ClusterNodeConnections(map, kind, { autoResubscribe: false }, (redis) =>
      this.#forwardMessages(redis),
    );
    map.on("change", this.#onChange);
  }

  async subscribe(channel: Buffer): Promise<unknown> {
    const node = this.map.findMaster(this.#computeSlot(channel));
    if (node === undefined) throw new NeverSentError("No node of the cluster has the slot");
    this.#nodeByChannel.set(toChannelName(channel), node);
    const redis = this.#nodes.getConnection(node);
    await waitUntilReady(redis, AbortSignal.timeout(COMMAND_TIMEOUT_MS));
    // The channel may have been unsubscribed or moved to another node during the wait.
    if (this.#nodeByChannel.get(toChannelName(channel)) !== node) return undefined;
    try {
      return await (this.#isSharded ? redis.ssubscribe(channel) : redis.subscribe(channel));
    } catch (error) {
      const moved = parseRedirection(error, node);
      if (moved !== undefined) this.map.recordMove(this.#computeSlot(channel), moved.node);
      throw error;
    }
  }

  async unsubscribe(channel: Buffer): Promise<unknown> {
    const node = this.#nodeByChannel.get(toChannelName(channel));
    this.#nodeByChannel.delete(toChannelName(channel));
    return node === undefined ? undefined : await this.#unsubscribeAt(node, channel);
  }

  disconnect(): void {
    clearTimeout(this.#resubscribeTimer);
    this.map.off("change", this.#onChange);
    this.#nodes.close();
  }

  #computeSlot(channel: Buffer): number {
    return computeSlot(this.kind === "wake" ? channel : channel.subarray(KEYSPACE_PREFIX.length));
  }

  #forwardMessages(redis: Redis): void {
    const onMessage = (channel: Buffer, message: Buffer) => this.emit("messageBuffer", channel, message);
    redis.on(this.#isSharded ? "smessageBuffer" : "messageBuffer", onMessage);
    redis.on("ready", () => this.emit("ready"));
    // The slot of a channel has moved to another node.
    redis.on("moved", () => this.#resubscribeSoon());
  }

  #leaveMovedChannels(): void {
    for (const [name, node] of this.#nodeByChannel) {
      const channel = Buffer.from(name, "latin1");
      if (this.map.findMaster(this.#computeSlot(channel)) === node) continue;
      this.#nodeByChannel.delete(name);
      this.#unsubscribeAt(node, channel).catch(() => undefined);
      this.#resubscribeSoon();
    }
  }

  #unsubscribeAt(node: NodeName, channel: Buffer): Promise<unknown> {
    const redis = this.#nodes.getConnection(node);
    return this.#isSharded ? redis.sunsubscribe(channel) : redis.unsubscribe(channel);
  }

  #resubscribeSoon(): void {
    clearTimeout(this.#resubscribeTimer);
    this.#resubscribeTimer = setTimeout(() => this.emit("ready"), RESUBSCRIBE_DELAY_MS);
    this.#resubscribeTimer.unref();
  }
}

function toChannelName(channel: Buffer): string {
  return channel.toString("latin1");
}
