import type { Backend } from "../verbs/backend.ts";
import { QuorumLocks } from "./quorum-locks.ts";
import { type CountRule, closeAll, openMasters } from "./quorum-master.ts";
import { renewTogether } from "./renew-many-on-masters.ts";

/** Independent Redis masters, of which a majority has to agree on each lock. */
export interface QuorumWhere {
  /** URLs of an odd number of masters, 3 or more. */
  readonly quorum: readonly string[];
}

/**
 * Opens three connections to each master; a minority of them may be down.
 *
 * @throws StartupError when they make no quorum, or fewer than a majority answers within five seconds
 */
export async function openQuorum(
  { quorum }: QuorumWhere,
  lockable: readonly string[],
  count: CountRule = "odd",
): Promise<Backend> {
  const masters = await openMasters(quorum, count);
  return {
    verbs: new QuorumLocks(masters, lockable),
    format: "token",
    renewMany: (holds, tryMs) => renewTogether(masters, holds, tryMs),
    close: () => closeAll(masters),
  };
}
