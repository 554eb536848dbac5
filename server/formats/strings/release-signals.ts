import { encodeKey, type Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { toRedisArgument } from "../../redis/script.ts";
import type { HeldObservation } from "../observation.ts";

/** What a library does when it lets go, so that those who wait look again. */
export interface ReleaseSignals {
  /** A list that waiters are blocked on. */
  readonly list: RedisArgument | undefined;
  readonly messages: readonly (readonly [channel: RedisArgument, message: RedisArgument])[];
}

/** Where a name may be cut into the registry's and the lock's own. */
const CUTS_MAX = 8;

/**
 * The signals of the format and of all that it may be instead: one that nobody waits for does nothing.
 *
 * A list of another slot than its lock is none on a Redis Cluster; nor can the library itself let go there.
 */
export function buildReleaseSignals({ key, format, candidates }: HeldObservation): ReleaseSignals {
  const formats = [format, ...candidates];
  return {
    list: formats.includes("python-redis-lock") ? buildSignalList(key) : undefined,
    messages: formats.includes("spring") ? buildMessages(key) : [],
  };
}

/** python-redis-lock: `lock:<name>` has `lock-signal:<name>`, each behind the prefix of the connection. */
function buildSignalList(key: Key): RedisArgument | undefined {
  const bytes = Buffer.from(encodeKey(key));
  const at = bytes.indexOf("lock:");
  if (at < 0) return undefined;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from("lock-signal:"), bytes.subarray(at + 5)]);
}

/** Spring's registry is named before one of the colons: which one, only its app knows. Since 2023 each lock has a channel. */
function buildMessages(key: Key): (readonly [RedisArgument, RedisArgument])[] {
  const bytes = Buffer.from(encodeKey(key));
  const cuts: number[] = [];
  for (let at = bytes.indexOf(":"); at >= 0 && cuts.length < CUTS_MAX; at = bytes.indexOf(":", at + 1))
    cuts.push(at);
  return cuts.flatMap((at) => {
    const channel = Buffer.concat([bytes.subarray(0, at), Buffer.from("-channel")]);
    const ofLock = Buffer.concat([channel, Buffer.from(":"), bytes]);
    return [[channel, toRedisArgument(key)] as const, [ofLock, toRedisArgument(key)] as const];
  });
}
