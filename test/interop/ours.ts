import { fileURLToPath } from "node:url";
import type { WritableFormat } from "../../lib/contract/format.ts";
import type { SignalledLibrary } from "../../server/formats/release-signals.ts";
import { RedisLocks } from "../../server/locks/verbs/redis-locks.ts";
import { connect, parseRedisAddress, waitUntilReady } from "../../server/redis/connect.ts";
import { forceReleaseByOwner } from "../support/force-release-by-owner.ts";
import { Peer } from "./peer.ts";

const READY_MS = 5000;

/**
 * Starts a Lockkeeper worker process.
 *
 * @param format format of the locks. `redisson/fair/<ms>` uses fair locks with a fair wait time in ms
 */
export function startOurs(
  url: string,
  name: string,
  format: WritableFormat | `redisson/fair/${number}` = "redisson",
  signalled?: SignalledLibrary,
): Promise<Peer> {
  const worker = fileURLToPath(new URL("workers/ours.ts", import.meta.url));
  const more = signalled === undefined ? [] : [signalled];
  return Peer.start(name, process.execPath, ["--import", "tsx", worker, url, format, ...more]);
}

/**
 * Force-releases a hold of another library.
 *
 * @returns the outcome
 */
export async function forceRelease(
  url: string,
  key: string,
  owner: string,
  format: WritableFormat = "redisson",
): Promise<string> {
  const address = parseRedisAddress(url);
  const [verbs, wake] = [connect(address, "verbs"), connect(address, "wake")];
  try {
    const signal = AbortSignal.timeout(READY_MS);
    await Promise.all([verbs, wake].map((redis) => waitUntilReady(redis, signal)));
    const locks = new RedisLocks(verbs, wake, address.db, ["*"]);
    const seen = { token: owner, fence: null, by: "interop", reason: "to see what its holder makes of it" };
    return (await forceReleaseByOwner(locks, key, format, seen)).outcome;
  } finally {
    for (const redis of [verbs, wake]) redis.disconnect();
  }
}
