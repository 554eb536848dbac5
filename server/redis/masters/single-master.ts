import type { Redis } from "ioredis";
import type { RedisAddress } from "../connect.ts";
import { connectMaster, type Master, type Masters } from "../master.ts";

/** One Redis that has every key: always the same one, or whichever Sentinel names. */
export class SingleMaster implements Masters, Master {
  readonly db: number;
  readonly list: readonly [Master] = [this];
  readonly redis: Redis;
  readonly subscriber: Redis;
  #remoteAddress: string | undefined;

  constructor(private readonly address: RedisAddress) {
    this.db = address.db;
    const { redis, subscriber } = connectMaster(address);
    this.redis = redis;
    this.subscriber = subscriber;
    for (const each of [redis, subscriber]) each.on("ready", () => this.#reconnectIfSplit());
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
    this.redis.disconnect(true);
    this.subscriber.disconnect(true);
  }

  onChange(): () => void {
    return () => undefined;
  }

  close(): void {
    this.redis.disconnect();
    this.subscriber.disconnect();
  }

  get #isBehindSentinel(): boolean {
    return this.address.options.Connector !== undefined;
  }

  /** After a failover one of the two may have come back to the old master: it would be heard, and the other be read. */
  #reconnectIfSplit(): void {
    if (!this.#isBehindSentinel) return;
    const places = [this.redis, this.subscriber].map(getRemoteAddress);
    const [place, other] = places;
    if (place !== undefined) this.#remoteAddress = place;
    if (place === undefined || other === undefined || place === other) return;
    this.reportDemotion();
  }
}

function getRemoteAddress({ status, stream }: Redis): string | undefined {
  if (status !== "ready" || stream.remoteAddress === undefined) return undefined;
  return `${stream.remoteAddress}:${stream.remotePort}`;
}
