import type { Key } from "../../../lib/keys/key.ts";
import type { AttemptId, MasterRequest } from "./master-request.ts";

/**
 * Votes for one hold that are not confirmed: their masters have not replied yet, or replied with data that differs from
 * the hold. If a master executes the acquire only after the release of the hold, the release cannot remove the vote.
 * Such a vote would block the lock without a holder, so it is withdrawn.
 */
export class PendingVotes {
  readonly #attemptIds = new Map<MasterRequest, AttemptId>();
  /** Called when no pending vote remains. */
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

  /**
   * Removes a vote from the pending votes, and withdraws it if `ending` is `withdraw`. Has no effect if the vote is not
   * pending.
   *
   * @param token the token of the vote, if it differs from the requested token
   */
  settle(request: MasterRequest, ending: "agrees" | "none" | "withdraw", token?: string): void {
    const name = this.#attemptIds.get(request);
    if (name === undefined) return;
    this.#attemptIds.delete(request);
    if (ending === "withdraw") void request.revoke(token === undefined ? name : { ...name, token });
    if (this.#attemptIds.size === 0) this.onAllSettled();
  }

  /** Withdraws all pending votes, because their hold has ended. */
  revokeAll(): void {
    for (const request of [...this.#attemptIds.keys()]) this.settle(request, "withdraw");
  }
}

/** The pending votes of all holds in this process. */
export class PendingVotesByHold {
  readonly #byHold = new Map<string, Set<PendingVotes>>();

  add(key: Key, token: string, votes: PendingVotes): void {
    if (votes.size === 0) return;
    const name = formatHoldName(key, token);
    const all = this.#byHold.get(name) ?? new Set();
    this.#byHold.set(name, all.add(votes));
    votes.onAllSettled = () => {
      all.delete(votes);
      if (all.size === 0 && this.#byHold.get(name) === all) this.#byHold.delete(name);
    };
  }

  revoke(key: Key, token: string): void {
    for (const votes of [...(this.#byHold.get(formatHoldName(key, token)) ?? [])]) votes.revokeAll();
  }
}

/**
 * Returns a name that identifies a hold. Contains the key, because all reservations of one operator have the same
 * token.
 */
function formatHoldName(key: Key, token: string): string {
  return `${token}\n${key}`;
}
