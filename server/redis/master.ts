import type { Redis } from "ioredis";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "./commands.ts";
import { connect, type RedisAddress } from "./connect.ts";
import { ReadConnections } from "./read-connections.ts";

/** A Redis that takes writes of a target, with the connections to watch it by. */
export interface Master {
  /** `host:port`, or the socket's path; as it is now: behind Sentinel it changes. */
  readonly name: string;
  /** For probes and settings: its replies are small. */
  readonly redis: Redis;
  /** For reading keys. */
  readonly reads: ReadConnections;
  /** For subscriptions; what it was subscribed to is forgotten whenever it breaks. */
  readonly subscriber: Redis;
  /** A hash tag whose keys it has; undefined when it has every key. */
  findHashTag(): string | undefined;
  /** It turned out to take no writes any more: whoever took over is looked for. */
  reportDemotion(): void;
}

/** The masters whose keys a target has, as they are now. */
export interface Masters {
  readonly db: number;
  /** Each has every key and a vote on it; they stay the same. Left out: each key has one master. */
  readonly isQuorum?: true;
  readonly list: readonly Master[];
  /** Who has the key; undefined: nobody as far as is known. */
  findMaster(key: Key): Master | undefined;
  /** Present when keys are spread over masters, and move between them. */
  readonly routing?: SlotRouting;
  /** Called when a master came or went, or has other keys than before. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** The keys of a target that are spread over masters, each in a slot that may move. */
export interface SlotRouting {
  readonly hasShardedPubSub: boolean;
  /** A script on one key, with its texts as bytes, wherever the key is by now. */
  readonly scripts: Pick<Commands, "evalsha" | "eval">;
  /** A command on one key, wherever it is by now. */
  call(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  callBuffer(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  /**
   * What the error of a read says of where the key is. `moved`: at another master, which is known now. `apart`: its slot
   * is on its way, or what stands beside it is in another slot: each key has to be read by itself.
   */
  handleRedirect(key: Key, error: Error): "moved" | "apart" | undefined;
  /** Whether its slot has been on its way of late: then what is told of its end may be of the move. */
  isMoving(key: Key): boolean;
}

/** The connections to watch a master by. */
export function connectMaster(address: RedisAddress): Pick<Master, "redis" | "reads" | "subscriber"> {
  // Whoever watches sees for itself that it is a replica: coming back at once to the same one would be for ever.
  const options = { reconnectOnError: null };
  return {
    redis: connect(address, "watch", options),
    reads: new ReadConnections((name) => connect(address, name, options)),
    subscriber: connect(address, "subscriber", { ...options, autoResubscribe: false }),
  };
}
