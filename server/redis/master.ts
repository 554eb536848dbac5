import type { Redis } from "ioredis";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "./commands.ts";
import { connect, type RedisAddress } from "./connect.ts";
import { ReadConnections } from "./read-connections.ts";
import { preferReadOnlyScripts } from "./script.ts";

/** A master of a target, with the watcher's connections to it. */
export interface Master {
  /** The current `host:port`, or the path of the socket. With Sentinel, the name changes after a failover. */
  readonly name: string;
  /** The connection for probes and settings, whose replies are small. */
  readonly redis: Redis;
  readonly reads: ReadConnections;
  /** The connection for subscriptions. If the connection breaks, the subscriptions are lost. */
  readonly subscriber: Redis;
  /**
   * Returns a hash tag in a slot of this master. Returns `undefined` if the master has every key, and an empty string
   * if the master has no slots.
   */
  findHashTag(): string | undefined;
  /**
   * Starts a search for the new master. Call this method after the server has refused a write because it is a replica.
   */
  reportDemotion(): void;
}

/** The current masters of a target. */
export interface Masters {
  readonly db: number;
  /** Set if each master has every key and one vote per key. In this case, the masters never change. */
  readonly isQuorum?: true;
  readonly list: readonly Master[];
  /** Returns the master of the key, or `undefined` if no master is known. In a quorum, returns the first master. */
  findMaster(key: Key): Master | undefined;
  /** Set if the keys are distributed over the masters and can move between masters. */
  readonly routing?: SlotRouting;
  /**
   * Calls `listener` when a master is added or removed, or gets different keys. Returns a function that removes the
   * listener.
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Sends commands and scripts to the master that currently has the slot of their key. */
export interface SlotRouting {
  readonly hasShardedPubSub: boolean;
  /** Runs a script with one key on the current master of the key. Strings in the reply are returned as buffers. */
  readonly scripts: Pick<Commands, "evalsha" | "eval">;
  /** Sends a command to the current master of `key`. */
  call(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  callBuffer(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  /**
   * Handles a redirect that a read of the key caused. `moved`: the key is on another master, which is now known.
   * `apart`: the slot is in migration, or a related key is in another slot, so each key must be read separately.
   * `undefined`: the error is not a redirect.
   */
  handleRedirect(key: Key, error: Error): "moved" | "apart" | undefined;
  /**
   * Whether the key's slot was migrating recently. A deletion notification for the key may then result from the
   * migration.
   */
  isMoving(key: Key): boolean;
}

/**
 * How Lockkeeper uses a master. `reads`: scripts that read keys run with EVALSHA_RO if possible, so that Redis refuses
 * writes.
 */
export type MasterUse = "reads" | "reads_and_writes";

/** Opens the watcher's connections to a master. */
export function connectMaster(
  address: RedisAddress,
  use: MasterUse,
): Pick<Master, "redis" | "reads" | "subscriber"> {
  // The watcher itself detects that a server became a replica. Reconnecting on READONLY would reach the same server
  // repeatedly.
  const options = { reconnectOnError: null };
  const connectReads = (name: string) => {
    const redis = connect(address, name, options);
    if (use === "reads") preferReadOnlyScripts(redis);
    return redis;
  };
  return {
    redis: connectReads("watch"),
    reads: new ReadConnections(connectReads),
    subscriber: connect(address, "subscriber", { ...options, autoResubscribe: false }),
  };
}
