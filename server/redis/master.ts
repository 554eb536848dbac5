import type { Redis } from "ioredis";
import type { Key } from "../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "./commands.ts";
import { connect, type RedisAddress } from "./connect.ts";
import { ReadConnections } from "./read-connections.ts";
import { preferReadOnlyScripts } from "./script.ts";

/** A master of a target, with its watcher's connections. */
export interface Master {
  /** The current `host:port`, or the path of the socket. It can change behind Sentinel. */
  readonly name: string;
  /** The connection for probes and settings, whose replies are small. */
  readonly redis: Redis;
  /** The connections for reading keys. */
  readonly reads: ReadConnections;
  /** The connection for subscriptions, which are lost whenever it breaks. */
  readonly subscriber: Redis;
  /** Returns a hash tag in a slot of this master; `undefined` if the master has every key. */
  findHashTag(): string | undefined;
  /** Finds the new master after this one has refused writes. */
  reportDemotion(): void;
}

/** The current masters of a target. */
export interface Masters {
  readonly db: number;
  /** Set if each master has every key and a vote on it. The set of masters is then fixed. */
  readonly isQuorum?: true;
  readonly list: readonly Master[];
  /** Returns the master of the key, or `undefined` if no master is known. */
  findMaster(key: Key): Master | undefined;
  /** Present if keys are distributed across masters and can move between them. */
  readonly routing?: SlotRouting;
  /**
   * Calls `listener` when a master was added or removed, or has different keys than before. Returns a function that
   * removes the listener.
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Access to keys that are distributed across masters by slot. Slots can be migrated. */
export interface SlotRouting {
  readonly hasShardedPubSub: boolean;
  /** Runs a script on one key at its current master. Strings in the reply are returned as bytes. */
  readonly scripts: Pick<Commands, "evalsha" | "eval">;
  /** Sends a command on one key to its current master. */
  call(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  callBuffer(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown>;
  /**
   * Handles a read error caused by a redirect. `moved`: the key is on another master, which is now known. `apart`: its
   * slot is being migrated, or a related key is in another slot, so each key must be read separately.
   */
  handleRedirect(key: Key, error: Error): "moved" | "apart" | undefined;
  /** Whether the key's slot was being migrated recently. A deletion notification may then come from the migration. */
  isMoving(key: Key): boolean;
}

/** What a master is used for. `reads`: scripts that read keys run in a form in which Redis refuses writes. */
export type MasterUse = "reads" | "reads_and_writes";

/** Opens the connections that watch a master. */
export function connectMaster(
  address: RedisAddress,
  use: MasterUse,
): Pick<Master, "redis" | "reads" | "subscriber"> {
  // The watcher detects a replica itself. Reconnecting on READONLY would return to the same server forever.
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
