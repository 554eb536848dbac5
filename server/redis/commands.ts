export type RedisArgument = string | Buffer | number;

/** What a call on locks needs of a Redis, be it one server or a cluster. */
export interface Commands {
  readonly status: string;
  evalsha(sha: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown>;
  eval(source: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown>;
  /** Whether wake-ups go out by SPUBLISH, too. Redisson listens for those on a cluster that has it. */
  readonly publishesSharded?: boolean;
  /** Whether all keys of a script must be in one slot. */
  readonly isCluster?: boolean;
  on(event: "ready" | "end", listener: () => void): unknown;
  off(event: "ready" | "end", listener: () => void): unknown;
}

/** What those who wait need of a Redis, be it one server or a cluster. */
export interface Subscriber {
  subscribe(channel: Buffer): Promise<unknown>;
  unsubscribe(channel: Buffer): Promise<unknown>;
  on(event: "messageBuffer", listener: (channel: Buffer, message: Buffer) => void): unknown;
  /** Subscriptions were lost and can be made again. */
  on(event: "ready", listener: () => void): unknown;
}
