export type RedisArgument = string | Buffer | number;

/** The commands that lock verbs send to a single server or a cluster. */
export interface Commands {
  readonly status: string;
  evalsha(sha: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown>;
  eval(source: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown>;
  /**
   * Whether wake-ups must also be sent with SPUBLISH. Redisson subscribes to sharded channels on a cluster that
   * supports them.
   */
  readonly publishesSharded?: boolean;
  /** Whether all keys of a script must be in one slot. */
  readonly isCluster?: boolean;
  on(event: "ready" | "end", listener: () => void): unknown;
  off(event: "ready" | "end", listener: () => void): unknown;
}

/** Pub/Sub subscriptions on a single server or a cluster. */
export interface Subscriber {
  subscribe(channel: Buffer): Promise<unknown>;
  unsubscribe(channel: Buffer): Promise<unknown>;
  on(event: "messageBuffer", listener: (channel: Buffer, message: Buffer) => void): unknown;
  /** Registers a listener that is called when lost subscriptions can be restored. */
  on(event: "ready", listener: () => void): unknown;
}
