import type { Key } from "../../../lib/keys/key.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { AttemptId, MasterRequest } from "./master-request.ts";

/**
 * Votes for a hold that are still to come, or of which it is not known yet that they agree with it. A hold may be
 * released before the slowest master has even read that it was asked for: such a vote would be nobody's, and the
 * release does not find it.
 */
export class PendingVotes {
  readonly #attemptIds = new Map<MasterRequest, AttemptId>();
  /** Called when none is open any more. */
  onAllSettled: () => void = () => undefined;

  get size(): number {
    return this.#attemptIds.size;
  }

  add(request: MasterRequest, name: AttemptId): void {
    this.#attemptIds.set(request, name);
  }

  has(request: MasterRequest): boolean {
    return this.#attemptIds.has(request);
  }

  /** Either it agrees, or there is none, or it is taken back; unless all were taken back before. */
  settle(request: MasterRequest, ending: "agrees" | "none" | "take_back"): void {
    const name = this.#attemptIds.get(request);
    if (name === undefined) return;
    this.#attemptIds.delete(request);
    if (ending === "take_back") void request.revoke(name);
    if (this.#attemptIds.size === 0) this.onAllSettled();
  }

  /** What they are for is over. */
  revokeAll(): void {
    for (const request of [...this.#attemptIds.keys()]) this.settle(request, "take_back");
  }
}

type HoldIdentity = Pick<AcquireRequest, "owner" | "principal">;

/** The open votes of all holds of this process. */
export class PendingVotesByHold {
  readonly #byHold = new Map<string, Set<PendingVotes>>();

  add(key: Key, by: HoldIdentity, votes: PendingVotes): void {
    if (votes.size === 0) return;
    const name = formatHoldIdentity(key, by);
    const all = this.#byHold.get(name) ?? new Set();
    this.#byHold.set(name, all.add(votes));
    votes.onAllSettled = () => {
      all.delete(votes);
      if (all.size === 0 && this.#byHold.get(name) === all) this.#byHold.delete(name);
    };
  }

  revoke(key: Key, by: HoldIdentity): void {
    for (const votes of [...(this.#byHold.get(formatHoldIdentity(key, by)) ?? [])]) votes.revokeAll();
  }
}

function formatHoldIdentity(key: Key, { owner, principal = "" }: HoldIdentity): string {
  return `${principal}\n${owner}\n${key}`;
}
