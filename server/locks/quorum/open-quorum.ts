import type { Backend } from "../verbs/backend.ts";
import { subscribeOnMasters } from "./force-release-votes.ts";
import { QuorumLocks } from "./quorum-locks.ts";
import { closeQuorumMasters, type MasterCountRule, openQuorumMasters } from "./quorum-master.ts";
import { renewManyOnMasters } from "./renew-many-on-masters.ts";

/** The URLs of a quorum: independent Redis masters, of which a majority must grant each lock. */
export interface QuorumLocation {
  /** URLs of an odd number of masters, 3 or more. */
  readonly quorum: readonly string[];
}

/**
 * Opens three connections to each master. A minority of the masters can be down.
 *
 * @throws StartupError if the URLs do not form a valid quorum, or if no majority of the masters responds within five
 *   seconds
 */
export async function openQuorumBackend(
  { quorum }: QuorumLocation,
  lockable: readonly string[],
  count: MasterCountRule = "odd",
): Promise<Backend> {
  const masters = await openQuorumMasters(quorum, count);
  const verbs = new QuorumLocks(masters, lockable);
  return {
    verbs,
    format: "token",
    renewMany: (holds, tryMs) => renewManyOnMasters(masters, holds, tryMs),
    onForceRelease: (listener) => subscribeOnMasters(masters, verbs.clientId, listener),
    close: () => closeQuorumMasters(masters),
  };
}
