import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis, RedisOptions } from "ioredis";
import { NeverSentError } from "../failure.ts";
import { type ClusterAddress, ClusterMap } from "./cluster-map.ts";
import { ClusterNodes } from "./cluster-node-connections.ts";
import { redirectionOf } from "./redirection.ts";
import { slotOf } from "./slot.ts";

const LOOK_AGAIN_MS = 500;

/** The master of one slot of a cluster, whichever node that is by now. */
export class SlotMaster extends EventEmitter<{ ready: []; end: [] }> {
  readonly #map: ClusterMap;
  readonly #nodes: ClusterNodes;
  readonly #slot: number;
  #isClosed = false;

  /** Returns at once. @param key of the slot */
  constructor(address: ClusterAddress, name: string, key: string, more: RedisOptions = {}) {
    super();
    this.setMaxListeners(0);
    this.#slot = slotOf(key);
    this.#map = new ClusterMap(address);
    this.#nodes = new ClusterNodes(this.#map, name, more, (redis) =>
      redis.on("ready", () => this.emit("ready")),
    );
    this.#map.on("change", () => this.#connection());
    void this.#find();
  }

  get status(): string {
    return this.#isClosed ? "end" : (this.#connection()?.status ?? "connecting");
  }

  /** A call to the master; what it says of another one is remembered for the next. */
  async call<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const redis = this.#connection();
    if (redis === undefined) throw new NeverSentError("No node of the cluster has the slot");
    try {
      return await command(redis);
    } catch (error) {
      const moved = redirectionOf(error, this.#map.masterOf(this.#slot));
      if (moved?.kind === "MOVED") this.#map.move(this.#slot, moved.node);
      else this.#map.lookSoon();
      throw error;
    }
  }

  disconnect(): void {
    this.#isClosed = true;
    this.#map.close();
    this.#nodes.close();
    this.emit("end");
  }

  #connection(): Redis | undefined {
    const node = this.#map.masterOf(this.#slot);
    return node === undefined || this.#isClosed ? undefined : this.#nodes.of(node);
  }

  async #find(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#map.look();
        return;
      } catch {
        await sleep(LOOK_AGAIN_MS, undefined, { ref: false });
      }
    }
  }
}
