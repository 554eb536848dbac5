import type { Redis } from "ioredis";
import type { Where } from "../../server/locks/backend.ts";
import { startTestRedis, type TestRedis } from "../../server/testing/redis.ts";

export const TOPOLOGIES = ["single", "quorum"] as const;
export type TopologyName = (typeof TOPOLOGIES)[number];

const SERVERS: Readonly<Record<TopologyName, number>> = { single: 1, quorum: 5 };

export function serversOf(name: TopologyName): number {
  return SERVERS[name];
}

/** The servers of a run. They keep nothing on disk. */
export class Topology {
  readonly #direct: readonly Redis[];

  private constructor(
    readonly name: TopologyName,
    readonly servers: readonly TestRedis[],
  ) {
    this.#direct = servers.map((server) => server.client());
  }

  static async start(name: TopologyName): Promise<Topology> {
    const servers: TestRedis[] = [];
    for (let n = 0; n < SERVERS[name]; n++) servers.push(await startTestRedis());
    return new Topology(name, servers);
  }

  /** As a client opens it through these ports, one a server. */
  where(ports: readonly number[]): Where {
    const urls = ports.map((port) => `redis://127.0.0.1:${port}`);
    const [url] = urls;
    return this.name === "single" && url !== undefined ? url : { quorum: urls };
  }

  server(n: number): TestRedis {
    const server = this.servers[n];
    if (server === undefined) throw new Error(`there is no server ${n}`);
    return server;
  }

  /** A connection of our own, past all links. */
  direct(n: number): Redis {
    const redis = this.#direct[n];
    if (redis === undefined) throw new Error(`there is no server ${n}`);
    return redis;
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}
