import type { Redis } from "ioredis";
import type { RedisLocation } from "../../../server/locks/backends/open-backend.ts";
import type { LibfaketimeTool } from "../../interop/steps/libfaketime.ts";
import { startTestRedis, type TestRedis } from "../../support/test-redis.ts";
import { ServerClock } from "./clock.ts";
import { type ReplicaGroup, startClusterGroup, startSentinelGroup } from "./replica-group.ts";

export const TOPOLOGIES = ["single", "quorum", "sentinel", "cluster"] as const;
export type TopologyName = (typeof TOPOLOGIES)[number];

const SERVERS: Readonly<Record<TopologyName, number>> = { single: 1, quorum: 5, sentinel: 2, cluster: 6 };

export function countServers(name: TopologyName): number {
  return SERVERS[name];
}

/** The Redis servers of a run, without persistence. */
export class Topology {
  readonly #direct: readonly Redis[];

  private constructor(
    readonly name: TopologyName,
    readonly servers: readonly TestRedis[],
    private readonly clocks: readonly ServerClock[],
    private readonly replicas?: ReplicaGroup,
  ) {
    this.#direct = servers.map((server) => server.createClient());
  }

  /**
   * Starts the servers.
   *
   * @param library sets the clocks of the servers; without the library, they use the clock of the machine
   */
  static async start(name: TopologyName, library?: LibfaketimeTool): Promise<Topology> {
    if (name === "sentinel" || name === "cluster") {
      const group = await (name === "sentinel" ? startSentinelGroup() : startClusterGroup());
      return new Topology(name, group.servers, [], group);
    }
    const servers: TestRedis[] = [];
    const clocks: ServerClock[] = [];
    for (let n = 0; n < SERVERS[name]; n++) {
      const clock = library && new ServerClock(library);
      if (clock !== undefined) clocks.push(clock);
      servers.push(await startTestRedis(clock === undefined ? {} : { env: clock.env }));
    }
    return new Topology(name, servers, clocks);
  }

  /** Returns the Redis location for a client that connects through the given ports, one for each server. */
  getLocation(ports: readonly number[]): RedisLocation {
    if (this.replicas !== undefined) return this.replicas.getLocation(ports);
    const urls = ports.map((port) => `redis://127.0.0.1:${port}`);
    const [url] = urls;
    return this.name === "single" && url !== undefined ? url : { quorum: urls };
  }

  get group(): ReplicaGroup {
    if (this.replicas === undefined) throw new Error(`${this.name} has no replicas`);
    return this.replicas;
  }

  /** Returns the indexes of the servers that are masters. */
  async findMasters(): Promise<number[]> {
    return (await this.replicas?.findMasters()) ?? this.servers.map((_, n) => n);
  }

  getServer(n: number): TestRedis {
    const server = this.servers[n];
    if (server === undefined) throw new Error(`there is no server ${n}`);
    return server;
  }

  /** Returns a direct connection, which bypasses all links. */
  getConnection(n: number): Redis {
    const redis = this.#direct[n];
    if (redis === undefined) throw new Error(`there is no server ${n}`);
    return redis;
  }

  getClock(n: number): ServerClock {
    const clock = this.clocks[n];
    if (clock === undefined) throw new Error(`the clock of server ${n} cannot be set`);
    return clock;
  }

  /** Returns how far the clock of a server was set back, in milliseconds. */
  getBehindMs(n: number): number {
    return this.clocks[n]?.behindMs ?? 0;
  }

  async stop(): Promise<void> {
    await (this.replicas?.stop() ?? Promise.all(this.servers.map((server) => server.stop())));
    for (const clock of this.clocks) clock.remove();
  }
}
