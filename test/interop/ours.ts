import { fileURLToPath } from "node:url";
import type { SpokenFormat } from "../../lib/contract/format.ts";
import { Locks } from "../../server/locks/verbs/redis-locks.ts";
import { addressOf, connect, whenReady } from "../../server/redis/connect.ts";
import { forceByName } from "../support/force-release-by-owner.ts";
import { Peer } from "./peer.ts";

const READY_MS = 5000;

/** A worker process of ours. */
export function startOurs(url: string, name: string, format: SpokenFormat = "redisson"): Promise<Peer> {
  const worker = fileURLToPath(new URL("workers/ours.ts", import.meta.url));
  return Peer.start(name, process.execPath, ["--import", "tsx", worker, url, format]);
}

/** Frees the hold of whoever has the lock, as an operator does. @returns what was answered */
export async function forceRelease(
  url: string,
  key: string,
  owner: string,
  format: SpokenFormat = "redisson",
): Promise<string> {
  const address = addressOf(url);
  const [verbs, wake] = [connect(address, "verbs"), connect(address, "wake")];
  try {
    const signal = AbortSignal.timeout(READY_MS);
    await Promise.all([verbs, wake].map((redis) => whenReady(redis, signal)));
    const locks = new Locks(verbs, wake, address.db, ["*"]);
    const seen = { owner, fence: null, by: "interop", reason: "to see what its holder makes of it" };
    return (await forceByName(locks, key, format, seen)).outcome;
  } finally {
    for (const redis of [verbs, wake]) redis.disconnect();
  }
}
