import type { Redis } from "ioredis";
import type { RedisAddress } from "../connect.ts";
import { connectMaster, type Master, type Masters, type MasterUse } from "../master.ts";
import type { ReadConnections } from "../read-connections.ts";

/** A topology with one master for all keys: a standalone server, or the master of a Sentinel group. */
export class SingleMaster implements Masters, Master {
  readonly db: number;
  readonly list: readonly [Master] = [this];
  readonly redis: Redis;
  readonly reads: ReadConnections;
  readonly subscriber: Redis;
  #remoteAddress: string | undefined;

  constructor(
    private readonly address: RedisAddress,
    use: MasterUse,
  ) {
    this.db = address.db;
    const { redis, reads, subscriber } = connectMaster(address, use);
    this.redis = redis;
    this.reads = reads;
    this.subscriber = subscriber;
    for (const each of this.#connections) each.on("ready", () => this.#reconnectIfSplit());
  }

  get name(): string {
    const { host, port, path } = this.address.options;
    if (path !== undefined) return path;
    return host === undefined ? (this.#remoteAddress ?? this.address.label) : `${host}:${port}`;
  }

  findMaster(): Master {
    return this;
  }

  findHashTag(): undefined {
    return undefined;
  }

  reportDemotion(): void {
    if (!this.#isBehindSentinel) return;
    for (const each of this.#connections) each.disconnect(true);
  }

  onChange(): () => void {
    return () => undefined;
  }

  close(): void {
    for (const each of this.#connections) each.disconnect();
  }

  get #isBehindSentinel(): boolean {
    return this.address.options.Connector !== undefined;
  }

  /**
   * Reconnects if the connections reach different servers after a failover. Otherwise, notifications and reads would
   * come from different servers.
   */
  #reconnectIfSplit(): void {
    if (!this.#isBehindSentinel) return;
    this.#remoteAddress = getRemoteAddress(this.redis) ?? this.#remoteAddress;
    const places = this.#connections.flatMap((each) => getRemoteAddress(each) ?? []);
    if (new Set(places).size > 1) this.reportDemotion();
  }

  get #connections(): Redis[] {
    return [this.redis, this.reads.shared, this.subscriber];
  }
}

function getRemoteAddress({ status, stream }: Redis): string | undefined {
  if (status !== "ready" || stream.remoteAddress === undefined) return undefined;
  return `${stream.remoteAddress}:${stream.remotePort}`;
}
