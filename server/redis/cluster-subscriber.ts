import { EventEmitter } from "node:events";
import type { ClusterMap, NodeName } from "./cluster-map.ts";
import { ClusterNodes } from "./cluster-nodes.ts";
import type { Subscriber } from "./commands.ts";
import { COMMAND_TIMEOUT_MS, whenReady } from "./connect.ts";
import { NeverSentError } from "./failure.ts";
import { redirectionOf } from "./redirection.ts";
import { slotOf } from "./slot.ts";

const OPTIONS = { autoResubscribe: false };
const COME_BACK_MS = 20;

/**
 * Hears channels at the master of their slot. What is told there of a lock was done there, so a node that is away has
 * nothing to tell, and the one that takes its place is listened to as soon as it is known.
 *
 * With sharded pub/sub each channel is heard both ways: others may publish either way. Each way has a connection of its
 * own, because ioredis takes the end of the last sharded subscription for the end of all.
 */
export class ClusterSubscriber extends EventEmitter implements Subscriber {
  readonly #plain: ClusterNodes;
  readonly #sharded: ClusterNodes;
  readonly #nodeOf = new Map<string, NodeName>();
  readonly #onChange = () => this.#leaveMoved();
  #comingBack: NodeJS.Timeout | undefined;

  constructor(
    private readonly map: ClusterMap,
    name: string,
  ) {
    super();
    const comeBack = () => this.emit("ready");
    this.#plain = new ClusterNodes(map, name, OPTIONS, (redis) => {
      redis.on("ready", comeBack);
      redis.on("messageBuffer", (channel: Buffer) => this.emit("messageBuffer", channel));
    });
    this.#sharded = new ClusterNodes(map, `${name}-sharded`, OPTIONS, (redis) => {
      redis.on("ready", comeBack);
      redis.on("smessageBuffer", (channel: Buffer) => this.emit("messageBuffer", channel));
      // The slot of a channel has left the node.
      redis.on("moved", () => this.#comeBackSoon());
    });
    map.on("change", this.#onChange);
  }

  async subscribe(channel: Buffer): Promise<unknown> {
    const node = this.map.masterOf(slotOf(channel));
    if (node === undefined) throw new NeverSentError("No node of the cluster has the slot");
    this.#nodeOf.set(channel.toString("latin1"), node);
    const patience = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
    const plain = this.#plain.of(node);
    const sharded = this.map.hasShardedPubSub ? this.#sharded.of(node) : undefined;
    const heard = await Promise.allSettled([
      whenReady(plain, patience).then(() => plain.subscribe(channel)),
      sharded && whenReady(sharded, patience).then(() => sharded.ssubscribe(channel)),
    ]);
    for (const each of heard) if (each.status === "rejected") throw this.#learned(channel, each.reason);
    return undefined;
  }

  async unsubscribe(channel: Buffer): Promise<unknown> {
    const id = channel.toString("latin1");
    const node = this.#nodeOf.get(id);
    this.#nodeOf.delete(id);
    if (node !== undefined) await this.#leave(node, channel);
    return undefined;
  }

  disconnect(): void {
    clearTimeout(this.#comingBack);
    this.map.off("change", this.#onChange);
    this.#plain.close();
    this.#sharded.close();
  }

  /** @returns the error, when no more than its master has been learned from it */
  #learned(channel: Buffer, error: unknown): unknown {
    const moved =
      error instanceof Error && redirectionOf(error, this.#nodeOf.get(channel.toString("latin1")));
    if (moved) this.map.move(slotOf(channel), moved.node);
    return error;
  }

  #leaveMoved(): void {
    for (const [id, node] of this.#nodeOf) {
      const channel = Buffer.from(id, "latin1");
      if (this.map.masterOf(slotOf(channel)) === node) continue;
      this.#nodeOf.delete(id);
      this.#leave(node, channel).catch(() => undefined);
      this.#comeBackSoon();
    }
  }

  async #leave(node: NodeName, channel: Buffer): Promise<void> {
    const sharded = this.map.hasShardedPubSub ? this.#sharded.of(node) : undefined;
    await Promise.all([this.#plain.of(node).unsubscribe(channel), sharded?.sunsubscribe(channel)]);
  }

  // Nodes that have not heard of a move yet may send us back and forth.
  #comeBackSoon(): void {
    clearTimeout(this.#comingBack);
    this.#comingBack = setTimeout(() => this.emit("ready"), COME_BACK_MS);
    this.#comingBack.unref();
  }
}
