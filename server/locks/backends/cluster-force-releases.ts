import type { Redis } from "ioredis";
import type { ClusterMap, NodeName } from "../../redis/cluster/cluster-map.ts";
import { connect } from "../../redis/connect.ts";
import type { ForceReleaseListener } from "../verbs/backend.ts";
import { subscribeToForceReleases } from "../verbs/force-release-channel.ts";

const RECONNECT_MS = 100;

/**
 * Subscribes to messages about force-releases and release requests for the holds of one client. A subscription on one
 * master is sufficient, because PUBLISH reaches all nodes of a cluster. Switches to another master if the connection
 * closes or the node is demoted.
 *
 * Uses a separate connection, because ordinary subscriptions are unreliable on a connection with sharded subscriptions.
 */
export class ClusterForceReleases {
  #node: NodeName | undefined;
  #redis: Redis | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly map: ClusterMap,
    private readonly clientId: string,
    private readonly listener: ForceReleaseListener,
  ) {
    map.on("change", this.#leaveRemovedNode);
    this.#connect();
  }

  get node(): NodeName | undefined {
    return this.#node;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.map.off("change", this.#leaveRemovedNode);
    this.#redis?.disconnect();
  }

  #connect(): void {
    const node = this.#pickNode();
    if (node === undefined) {
      this.#connectLater();
      return;
    }
    const redis = connect(this.map.address.getNodeAddress(node), "force-releases", {
      autoResubscribe: false,
      retryStrategy: () => null,
    });
    this.#node = node;
    this.#redis = redis;
    redis.on("end", () => {
      if (!this.#isClosed) this.map.refreshSoon();
      this.#connectLater();
    });
    subscribeToForceReleases(redis, this.clientId, this.listener);
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS * (0.5 + Math.random()));
    this.#timer.unref();
  }

  /** Returns a random master, other than the previous master if possible; `undefined` if no master is known. */
  #pickNode(): NodeName | undefined {
    const masters = [...this.map.masters];
    const others = masters.filter((node) => node !== this.#node);
    const from = others.length > 0 ? others : masters;
    return from[Math.floor(Math.random() * from.length)];
  }

  readonly #leaveRemovedNode = () => {
    if (this.#node !== undefined && !this.map.masters.has(this.#node)) this.#redis?.disconnect();
  };
}
