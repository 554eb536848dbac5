import { EventEmitter } from "node:events";
import type { Redis } from "ioredis";
import type { Subscriber } from "../commands.ts";
import { COMMAND_TIMEOUT_MS, whenReady } from "../connect.ts";
import { NeverSentError } from "../failure.ts";
import type { ClusterMap, NodeName } from "./cluster-map.ts";
import { ClusterNodes } from "./cluster-node-connections.ts";
import { redirectionOf } from "./redirection.ts";
import { slotOf } from "./slot.ts";

/** Nodes that have not heard of a move yet send us back and forth. */
const COME_BACK_MS = 20;

/**
 * Hears channels at the master of their slot, sharded where the cluster can. What is told there of a lock was done
 * there: a node that is away has nothing to tell, and the one that takes its place is listened to once it is known.
 */
export class ClusterSubscriber extends EventEmitter implements Subscriber {
  readonly #nodes: ClusterNodes;
  /** For good: ioredis takes the end of the last sharded subscription of a connection for the end of all. */
  readonly #isSharded: boolean;
  readonly #nodeOf = new Map<string, NodeName>();
  readonly #onChange = () => this.#leaveMoved();
  #comingBack: NodeJS.Timeout | undefined;

  /** @param map that has been looked up once */
  constructor(
    private readonly map: ClusterMap,
    name: string,
  ) {
    super();
    this.#isSharded = map.hasShardedPubSub;
    this.#nodes = new ClusterNodes(map, name, { autoResubscribe: false }, (redis) => this.#listen(redis));
    map.on("change", this.#onChange);
  }

  async subscribe(channel: Buffer): Promise<unknown> {
    const node = this.map.masterOf(slotOf(channel));
    if (node === undefined) throw new NeverSentError("No node of the cluster has the slot");
    this.#nodeOf.set(nameOf(channel), node);
    const redis = this.#nodes.of(node);
    await whenReady(redis, AbortSignal.timeout(COMMAND_TIMEOUT_MS));
    // Nobody may want it any more by now.
    if (this.#nodeOf.get(nameOf(channel)) !== node) return undefined;
    try {
      return await (this.#isSharded ? redis.ssubscribe(channel) : redis.subscribe(channel));
    } catch (error) {
      const moved = redirectionOf(error, node);
      if (moved !== undefined) this.map.move(slotOf(channel), moved.node);
      throw error;
    }
  }

  async unsubscribe(channel: Buffer): Promise<unknown> {
    const node = this.#nodeOf.get(nameOf(channel));
    this.#nodeOf.delete(nameOf(channel));
    return node === undefined ? undefined : await this.#leave(node, channel);
  }

  disconnect(): void {
    clearTimeout(this.#comingBack);
    this.map.off("change", this.#onChange);
    this.#nodes.close();
  }

  #listen(redis: Redis): void {
    const heard = (channel: Buffer) => this.emit("messageBuffer", channel);
    redis.on(this.#isSharded ? "smessageBuffer" : "messageBuffer", heard);
    redis.on("ready", () => this.emit("ready"));
    // The slot of a channel has left the node.
    redis.on("moved", () => this.#comeBackSoon());
  }

  #leaveMoved(): void {
    for (const [name, node] of this.#nodeOf) {
      const channel = Buffer.from(name, "latin1");
      if (this.map.masterOf(slotOf(channel)) === node) continue;
      this.#nodeOf.delete(name);
      this.#leave(node, channel).catch(() => undefined);
      this.#comeBackSoon();
    }
  }

  #leave(node: NodeName, channel: Buffer): Promise<unknown> {
    const redis = this.#nodes.of(node);
    return this.#isSharded ? redis.sunsubscribe(channel) : redis.unsubscribe(channel);
  }

  #comeBackSoon(): void {
    clearTimeout(this.#comingBack);
    this.#comingBack = setTimeout(() => this.emit("ready"), COME_BACK_MS);
    this.#comingBack.unref();
  }
}

function nameOf(channel: Buffer): string {
  return channel.toString("latin1");
}
