import { getCurrentMoment, type Moment } from "../../../lib/client/moment.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import type { AcquireReply } from "../../formats/script-replies.ts";
import { computeMajority } from "../../redis/majority.ts";
import {
  type Agreement,
  assessProgress,
  collectVotes,
  findAgreement,
  isBehind,
  type Vote,
} from "./agreement.ts";
import { findCommonHold } from "./common-hold.ts";
import { confirmAgreement, writeAgreement } from "./confirm-agreement.ts";
import { type AttemptId, MasterRequest } from "./master-request.ts";
import { PendingVotes } from "./pending-votes.ts";
import { type MasterResult, type MasterResults, pollMasters } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { computeBudgetMs, computeValidityMs } from "./time-limits.ts";

export interface QuorumGrant {
  readonly outcome: "elected";
  readonly token: string;
  readonly count: number;
  readonly fence: string;
  readonly leaseMs: number;
  readonly remainingMs: number;
  readonly asOf: number;
}

/**
 * The result of one attempt. `refused`: no majority granted the lock. `too_late`: a majority granted the lock, but the
 * grant could not be confirmed while it was valid.
 */
export type QuorumAttemptOutcome =
  | QuorumGrant
  | { readonly outcome: "refused" | "too_late"; readonly results: MasterResults<AcquireReply> };

interface ConfirmedGrant {
  readonly outcome: QuorumGrant;
  readonly votes: readonly Vote[];
}

/**
 * One lock request, which may take several attempts. The votes that a failed attempt added are released before the next
 * attempt. If a master has not responded by then, its vote is withdrawn as soon as the master responds, unless the
 * caller chose the request id and may repeat the request.
 */
export class QuorumAttempt {
  readonly #requests: ReadonlyMap<QuorumMaster, MasterRequest>;
  readonly #majority: number;
  readonly #budgetMs: number;
  #isClosed = false;
  /** Votes for the acquired hold whose masters have not replied yet, or replied with different data. */
  readonly pendingVotes = new PendingVotes();

  /**
   * @param idSource who chose the request id. A caller that chose the id can repeat the request, and then needs the
   * votes of this attempt
   */
  constructor(
    private readonly masters: readonly QuorumMaster[],
    private readonly key: Key,
    request: AcquireRequest,
    readonly idSource: "by_caller" | "by_lockkeeper",
  ) {
    this.#requests = new Map(masters.map((master) => [master, new MasterRequest(master, key, request)]));
    this.#majority = computeMajority(masters.length);
    this.#budgetMs = computeBudgetMs(request.leaseMs);
  }

  /**
   * Sends the request to all masters, and releases the votes of this attempt unless a majority grants and confirms the
   * lock.
   *
   * @param waitMs how long the request will wait if it is refused, in ms; `undefined` if it will not wait
   */
  async run(waitMs: number | undefined): Promise<QuorumAttemptOutcome> {
    const sentAt = getCurrentMoment();
    const names = new Map(this.masters.map((master) => [master, this.#getRequest(master).attemptId]));
    let settle: (agreement: Agreement | undefined) => void = () => undefined;
    const settled = new Promise<Agreement | undefined>((resolve) => {
      settle = resolve;
    });
    const results = await pollMasters(this.masters, {
      by: "verbs",
      budgetMs: this.#budgetMs,
      call: (master) => this.#getRequest(master).acquire(waitMs),
      progress: (soFar) => assessProgress(soFar, this.masters.length),
      onLate: (master, result) =>
        void settled.then((agreed) => this.#handleLateResult(master, result, names.get(master), agreed)),
    });
    for (const [master, result] of results) {
      if (result.state === "answered") this.#getRequest(master).recordReply(result.reply);
    }
    const agreement = findAgreement(collectVotes(results), this.masters.length);
    const elected = agreement && (await this.#confirmAgreement(agreement, sentAt));
    if (agreement !== undefined && elected !== undefined)
      this.#settleOtherVotes(results, agreement, elected.votes);
    settle(elected && agreement);
    if (elected !== undefined) return elected.outcome;
    await this.#rollBack(results);
    return { outcome: agreement === undefined ? "refused" : "too_late", results };
  }

  /** Withdraws all votes. Resolves once they are withdrawn or the time limit has passed. */
  async revokeVotes(): Promise<void> {
    this.pendingVotes.revokeAll();
    await Promise.all([...this.#requests.values()].map((request) => request.revoke()));
  }

  /** Removes the request from the masters' lists of waiters. */
  stopWaiting(): void {
    for (const request of this.#requests.values()) request.stopWaiting();
  }

  /** Ends the request and removes it from the masters' lists of waiters. Do not call `run` afterwards. */
  close(): void {
    this.#isClosed = true;
    this.stopWaiting();
  }

  #getRequest(master: QuorumMaster): MasterRequest {
    const request = this.#requests.get(master);
    if (request === undefined) throw new Error(`${master.label} is not one of these masters`);
    return request;
  }

  async #confirmAgreement(agreement: Agreement, sentAt: Moment): Promise<ConfirmedGrant | undefined> {
    const { token, count, fence } = agreement;
    const votes = await confirmAgreement(this.key, agreement, {
      majority: this.#majority,
      budgetMs: this.#budgetMs,
      onLate: (master, agrees) =>
        this.pendingVotes.settle(this.#getRequest(master), agrees ? "agrees" : "withdraw"),
    });
    if (votes.length < this.#majority) return undefined;
    const hold = findCommonHold(
      votes.map(({ reply }) => reply),
      this.masters.length,
    );
    if (hold === undefined) return undefined;
    const { leaseMs, asOf } = hold;
    const remainingMs = computeValidityMs(sentAt, hold.remainingMs < 0 ? leaseMs : hold.remainingMs);
    if (remainingMs <= 0) return undefined;
    return { votes, outcome: { outcome: "elected", token, count, fence, leaseMs, remainingMs, asOf } };
  }

  /**
   * Withdraws the votes that disagree with the majority, and adds the votes that can still confirm the agreement to
   * `pendingVotes`.
   */
  #settleOtherVotes(
    results: MasterResults<AcquireReply>,
    { voters }: Agreement,
    sure: readonly Vote[],
  ): void {
    const agreeing = new Set(sure.map(({ master }) => master));
    const voting = new Set(voters.map(({ master }) => master));
    for (const [master, result] of results) {
      const request = this.#getRequest(master);
      const isOpen = result.state === "late" || voting.has(master);
      const hasVoted = result.state === "answered" && result.reply.outcome === "granted";
      if (isOpen && !agreeing.has(master)) this.pendingVotes.add(request, request.attemptId);
      else if ((hasVoted && !agreeing.has(master)) || result.state === "unknown") void request.revoke();
    }
  }

  /**
   * Releases the votes of this attempt. Waits for the masters that granted the lock in time, but not for the other
   * masters. If the caller chose the request id, does not release the votes of masters that did not reply.
   */
  async #rollBack(results: MasterResults<AcquireReply>): Promise<void> {
    const back: Promise<void>[] = [];
    for (const [master, result] of results) {
      if (result.state === "unknown" || result.state === "late") {
        if (this.idSource === "by_lockkeeper") void this.#getRequest(master).revoke();
        else this.#getRequest(master).recordSilence();
      }
      if (result.state !== "answered" || result.reply.outcome !== "granted") continue;
      // A repeated request added no vote.
      if (result.reply.how !== "repeated") back.push(this.#getRequest(master).revoke());
    }
    await withTimeout(this.#budgetMs, Promise.all(back)).catch(() => undefined);
  }

  // Settles a late vote. A vote that is no longer pending was already withdrawn, or is left to a caller that may repeat
  // the request.
  #handleLateResult(
    master: QuorumMaster,
    result: MasterResult<AcquireReply>,
    name: AttemptId | undefined,
    agreement: Agreement | undefined,
  ): void {
    const request = this.#getRequest(master);
    if (result.state === "answered" && result.reply.outcome === "held" && name !== undefined) {
      const isInUse = !this.#isClosed && request.attemptId.id === name.id;
      if (isInUse) request.recordReply(result.reply);
      else request.stopWaiting({ id: name.id, sinceMs: name.sinceMs ?? result.reply.asOf });
    }
    if (agreement === undefined || !this.pendingVotes.has(request)) return;
    const [vote] = collectVotes(new Map([[master, result]]));
    if (vote === undefined)
      this.pendingVotes.settle(request, result.state === "unknown" ? "withdraw" : "none");
    else if (vote.reply.token !== agreement.token)
      this.pendingVotes.settle(request, "withdraw", vote.reply.token);
    else if (!isBehind(vote, agreement)) this.pendingVotes.settle(request, "agrees");
    else void this.#joinLateVote(vote, agreement);
  }

  async #joinLateVote(vote: Vote, agreement: Agreement): Promise<void> {
    const agrees = await writeAgreement(this.key, vote, agreement).catch(() => false);
    this.pendingVotes.settle(this.#getRequest(vote.master), agrees ? "agrees" : "withdraw", vote.reply.token);
  }
}
