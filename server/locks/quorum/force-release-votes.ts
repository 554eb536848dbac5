import { computeMajority } from "../../redis/majority.ts";
import type { ForceReleaseListener } from "../verbs/backend.ts";
import { subscribeToForceReleases } from "../verbs/force-release-channel.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * Maximum number of pending force-releases, which no majority has reported yet. Beyond this number, the oldest is
 * dropped.
 */
const PENDING_MAX = 1000;

/**
 * Subscribes to force-releases of one client's holds on all masters. Calls the listener once a majority has reported a
 * force-release.
 */
export function subscribeOnMasters(
  masters: readonly QuorumMaster[],
  clientId: string,
  listener: ForceReleaseListener,
): void {
  const votes = new ForceReleaseVotes(masters.length, listener);
  masters.forEach(({ wake }, master) => {
    subscribeToForceReleases(wake, clientId, {
      onRelease: (token, fence) => votes.add(master, token, fence),
      onGap: () => listener.onGap(),
    });
  });
}

/**
 * Counts the masters that report each force-release, and calls the listener once a majority has reported it. A
 * force-release on a minority of the masters does not end a hold.
 */
export class ForceReleaseVotes {
  readonly #pending = new Map<string, { masters: Set<number>; fences: Set<string> }>();
  readonly #majority: number;

  constructor(
    masterCount: number,
    private readonly listener: Pick<ForceReleaseListener, "onRelease">,
  ) {
    this.#majority = computeMajority(masterCount);
  }

  add(master: number, token: string, fence: string): void {
    const votes = this.#pending.get(token) ?? { masters: new Set(), fences: new Set() };
    votes.masters.add(master);
    // A master that missed the agreement reports a smaller fencing token. The token still identifies the hold.
    votes.fences.add(fence);
    this.#pending.set(token, votes);
    if (votes.masters.size === this.#majority) {
      this.#pending.delete(token);
      for (const each of votes.fences) this.listener.onRelease(token, each);
    } else this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > PENDING_MAX && oldest !== undefined) this.#pending.delete(oldest);
  }
}
