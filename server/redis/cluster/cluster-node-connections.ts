import type { Redis, RedisOptions } from "ioredis";
import { COMMAND_TIMEOUT_MS, connect } from "../connect.ts";
import type { ClusterMap, NodeName } from "./cluster-map.ts";

/** The connections that serve one purpose, with one connection per cluster node. */
export class ClusterNodeConnections {
  readonly #connections = new Map<NodeName, Redis>();

  constructor(
    private readonly map: ClusterMap,
    private readonly name: string,
    private readonly options: RedisOptions = {},
    private readonly onConnection: (redis: Redis) => void = () => undefined,
  ) {
    map.on("change", () => this.#dropRemovedNodes());
  }

  getConnection(node: NodeName): Redis {
    const known = this.#connections.get(node);
    if (known !== undefined) return known;
    const redis = connect(this.map.address.getNodeAddress(node, this.name), this.name, this.options);
    redis.on("close", () => this.map.refreshSoon());
    this.#connections.set(node, redis);
    this.onConnection(redis);
    return redis;
  }

  close(): void {
    for (const redis of this.#connections.values()) redis.disconnect();
    this.#connections.clear();
  }

  /** Closes the connections to nodes without slots, after a delay in which pending replies can arrive. */
  #dropRemovedNodes(): void {
    const { masters } = this.map;
    for (const [node, redis] of this.#connections) {
      if (masters.has(node)) continue;
      this.#connections.delete(node);
      setTimeout(() => redis.disconnect(), COMMAND_TIMEOUT_MS).unref();
    }
  }
}
