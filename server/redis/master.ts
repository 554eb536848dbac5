import type { Redis } from "ioredis";
import type { Key } from "../../lib/contract/key.ts";
import { connect, type RedisAddress } from "./connect.ts";

/** A Redis that takes writes of a target, with the connections to watch it by. */
export interface Master {
  /** `host:port`, or the socket's path; as it is now: behind Sentinel it changes. */
  readonly name: string;
  /** For looking. */
  readonly redis: Redis;
  /** For subscriptions; what it was subscribed to is forgotten whenever it breaks. */
  readonly subscriber: Redis;
  /** A hash tag whose keys it has; undefined when it has every key. */
  tag(): string | undefined;
  /** It turned out to take no writes any more: whoever took over is looked for. */
  demoted(): void;
}

/** The masters whose keys a target has, as they are now. */
export interface Masters {
  readonly db: number;
  readonly list: readonly Master[];
  /** Who has the key; undefined: nobody as far as is known. */
  of(key: Key): Master | undefined;
  /** Called when a master came or went, or has other keys than before. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** The connections to watch a master by. */
export function connectMaster(address: RedisAddress): Pick<Master, "redis" | "subscriber"> {
  // Whoever watches sees for itself that it is a replica: coming back at once to the same one would be for ever.
  const options = { reconnectOnError: null };
  return {
    redis: connect(address, "watch", options),
    subscriber: connect(address, "subscriber", { ...options, autoResubscribe: false }),
  };
}
