import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis, RedisOptions } from "ioredis";
import { NeverSentError } from "../failure.ts";
import { type ClusterAddress, ClusterMap } from "./cluster-map.ts";
import { ClusterNodeConnections } from "./cluster-node-connections.ts";
import { parseRedirection } from "./redirection.ts";
import { computeSlot } from "./slot.ts";

const REFRESH_RETRY_MS = 500;

/** A connection to the current master of one slot in a cluster. Follows failovers and migrations of the slot. */
export class SlotMaster extends EventEmitter<{ ready: []; end: [] }> {
  readonly #map: ClusterMap;
  readonly #nodes: ClusterNodeConnections;
  readonly #slot: number;
  #isClosed = false;

  /** Starts to connect without waiting for the connection. @param key a key in the slot */
  constructor(address: ClusterAddress, name: string, key: string, more: RedisOptions = {}) {
    super();
    this.setMaxListeners(0);
    this.#slot = computeSlot(key);
    this.#map = new ClusterMap(address);
    this.#nodes = new ClusterNodeConnections(this.#map, name, more, (redis) =>
      redis.on("ready", () => this.emit("ready")),
    );
    this.#map.on("change", () => this.#getConnection());
    void this.#refreshMap();
  }

  get status(): string {
    return this.#isClosed ? "end" : (this.#getConnection()?.status ?? "connecting");
  }

  /**
   * Runs a command on the master. If the master redirects the command, the call fails. After a MOVED redirect, the next
   * call uses the new master.
   *
   * @throws NeverSentError if the master is unknown, or the error from the command
   */
  async call<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const redis = this.#getConnection();
    if (redis === undefined) throw new NeverSentError("No node of the cluster has the slot");
    try {
      return await command(redis);
    } catch (error) {
      const moved = parseRedirection(error, this.#map.findMaster(this.#slot));
      if (moved?.kind === "MOVED") this.#map.recordMove(this.#slot, moved.node);
      else this.#map.refreshSoon();
      throw error;
    }
  }

  disconnect(): void {
    this.#isClosed = true;
    this.#map.close();
    this.#nodes.close();
    this.emit("end");
  }

  #getConnection(): Redis | undefined {
    const node = this.#map.findMaster(this.#slot);
    return node === undefined || this.#isClosed ? undefined : this.#nodes.getConnection(node);
  }

  async #refreshMap(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#map.refresh();
        return;
      } catch {
        await sleep(REFRESH_RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
