import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, ReadableObservation, SeenVotes } from "../../formats/observation.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-inference.ts";
import type { Reading } from "../scan/key-reader.ts";
import { ExtensionReports } from "./extension-reports.ts";
import { isForceReleaseOf } from "./force-release-report.ts";
import { formatDecisionIdentity, formatVoteShape } from "./master-vote.ts";
import { hasLaterDeadline, smoothTimes } from "./smooth-times.ts";
import { type Voter, type VoteSource, VoteStore } from "./vote-store.ts";
import { isVoteFor, tallyVotes, type VoteTally } from "./vote-tally.ts";

/** A new decision that another read of the masters must confirm. */
interface PendingDecision<Of> {
  readonly name: string;
  readonly to: ReadableObservation["state"];
  /** Time (`performance.now()`) when the decision became pending. Only reads sent later can confirm the decision. */
  readonly since: number;
  /** The vote of each master when the decision became pending (see `formatVoteShape`). */
  readonly before: ReadonlyMap<Of, string>;
}

/** The result of an evaluation: the observation to apply to the index, and details for the resulting events. */
export interface ConsensusDecision {
  readonly observation: ReadableObservation;
  readonly endCause: EndCause;
  /** Whether so many masters reported the key as removed that the same owner may have a new hold. */
  readonly wasGone: boolean;
  /** The `force_released` script event from one master, if an operator ended the hold. */
  readonly forceRelease: ScriptEvent | undefined;
  /** Whether the deadline is later because of an operator's extension that has already changed it. */
  readonly isSameExtension?: boolean;
}

/** A master's report of a force-release, with the time (`performance.now()`) at which it arrived. */
interface ForceReleaseReport {
  readonly event: ScriptEvent;
  readonly at: number;
}

/** Time, in ms, for which a new hold is not shown while its masters have not agreed on a fencing token. */
const AGREEMENT_MS_MAX = 1000;

/**
 * The consensus of a quorum's masters on the state of one key.
 *
 * The masters are read at different times. If a client releases the lock on one master and acquires it on another
 * between these reads, the reads can show a majority that never existed. Another read of all masters therefore confirms
 * each new decision. A decision is confirmed if the masters with the same vote in both reads form a majority, because
 * these votes existed at the same time. Masters whose vote changed between the reads do not count toward this majority,
 * because votes may have moved between masters.
 */
export class KeyConsensus<Of extends Voter> {
  readonly #votes: VoteStore<Of>;
  #decided: ReadableObservation | undefined;
  #pending: PendingDecision<Of> | undefined;
  #endCause: EndCause;
  #lostVoters = new Set<Of>();
  #forceReleases = new Map<Of, ForceReleaseReport>();
  /** The highest number of votes that the current hold has had at any time. */
  #mostVotes = 0;
  /**
   * Time (`performance.now()`) since which a majority has voted for a new hold without agreement on its fencing token.
   * `undefined` if there is no such hold.
   */
  #fenceOpenSince: number | undefined;
  /** `undefined` if no operator has extended the lease. */
  #extensions: ExtensionReports<Of> | undefined;

  constructor(
    private readonly key: Key,
    private readonly voters: readonly Of[],
  ) {
    this.#votes = new VoteStore(voters);
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Whether a majority has voted for a new hold for less than 1 s, but has not yet agreed on its fencing token. */
  get isAwaitingAgreement(): boolean {
    return this.#fenceOpenSince !== undefined && performance.now() - this.#fenceOpenSince < AGREEMENT_MS_MAX;
  }

  /**
   * Time (`performance.now()`) after which a read must be sent to confirm the pending decision. `undefined` if no
   * decision is pending.
   */
  get pendingSince(): number | undefined {
    return this.#pending?.since;
  }

  /** The last decision, with the current votes. `undefined` before the first decision. */
  get current(): ReadableObservation | undefined {
    return this.#decided;
  }

  get votes(): SeenVotes | undefined {
    const decided = this.#decided;
    return decided !== undefined && "votes" in decided ? decided.votes : undefined;
  }

  /** Whether this object can be dropped: the key is not held on any master, and no decision is pending or undecided. */
  get isIdle(): boolean {
    const isHeld = this.#decided?.state === "held" || this.#decided?.state === "ended";
    return (
      !isHeld && this.#pending === undefined && this.votes?.state !== "undecided" && !this.#votes.hasHolds
    );
  }

  /** Whether an operator has extended the lease less than 1 s ago, and not all masters of the hold have reported it. */
  get isBeingExtended(): boolean {
    return this.#extensions?.isInProgress ?? false;
  }

  getObservationAt(voter: Of): ReadableObservation | undefined {
    return this.#votes.findLast(voter);
  }

  /**
   * Returns the time (`performance.now()`) of the last read from a master since the master connected, or `-Infinity` if
   * no read has succeeded.
   */
  getReadTimeAt(voter: Of): number {
    return this.#votes.findCurrent(voter)?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** Returns the connected masters on which the key has not been read since they connected. */
  listUnreadVoters(): Of[] {
    return this.#votes.listUnread();
  }

  recordReading(voter: Of, reading: Reading, source: VoteSource): void {
    this.#votes.record(voter, reading, source);
    const { observation } = reading;
    const { holder } = this;
    // A read that was sent before the report may show the hold that the report ended.
    const isNewer = reading.sentAt >= (this.#forceReleases.get(voter)?.at ?? 0);
    if (isNewer && observation.state === "held" && holder !== undefined && isVoteFor(observation, holder))
      this.#forceReleases.delete(voter);
  }

  /**
   * Records what a master's notifications showed when it was read. `extendedAt` is the time (`performance.now()`) at
   * which the report of an operator's extension arrived.
   */
  recordNotifications(
    voter: Of,
    {
      wasGone,
      endCause,
      extendedAt,
    }: { readonly wasGone: boolean; readonly endCause: EndCause; readonly extendedAt?: number | undefined },
  ): void {
    this.#endCause = endCause ?? this.#endCause;
    if (extendedAt !== undefined) {
      this.#extensions ??= new ExtensionReports();
      this.#extensions.record(voter, extendedAt, this.#votes.listHolding());
    }
    if (!wasGone) return;
    this.#lostVoters.add(voter);
    this.#votes.recordGone(voter);
    // The lock may have been released and reacquired on this master between two reads. The confirmation starts again.
    if (this.#pending?.to === "held") this.#startPending(this.#pending);
  }

  /** Records one master's report of a force-release, if the report refers to the current holder. */
  recordForceRelease(voter: Of, event: ScriptEvent): void {
    const { holder } = this;
    if (holder !== undefined && isForceReleaseOf(event, holder.holders[0], this.#votes.findLast(voter)))
      this.#forceReleases.set(voter, { event, at: performance.now() });
  }

  /** The hold according to the last decision, or `undefined` if the key is not held. */
  get holder(): HeldObservation | undefined {
    return this.#decided?.state === "held" ? this.#decided : undefined;
  }

  /**
   * Whether a majority of the masters votes for the holder with votes whose start was observed (`seen`), or with votes
   * that the first scan did not find (`after_initial_scan`). A decision is confirmed by a second read, which may follow
   * the first scan, so the state of the masters at the time of the decision does not prove this.
   */
  hasMajorityFrom(begin: "seen" | "after_initial_scan"): boolean {
    const { holder } = this;
    if (holder === undefined) return false;
    // Votes with different owners block the lock together.
    const isMixed = holder.votes?.agreement === "different_owners";
    const votes = this.#votes.countHeld((vote, began) => {
      if (!isMixed && !isVoteFor(vote, holder)) return false;
      return begin === "seen" ? began === "seen" : began !== "initial_scan";
    });
    return votes >= computeMajority(this.voters.length);
  }

  /**
   * Evaluates the votes.
   *
   * @param isExtended whether an operator is extending the lease, or has extended it before the last reading
   * @returns the decision, or `undefined` if another read must confirm it first (`isPending`)
   */
  evaluate(asOf: number, isExtended = false): ConsensusDecision | undefined {
    const now = this.#withoutOpenFence(this.#tallyVotes(asOf));
    if (now.outcome === "undecided") return this.#keepUndecided(now.votes, asOf);
    const name = formatDecisionIdentity(now.seen);
    if (name === formatDecisionIdentity(this.#decided)) return this.#confirmDecision(now.seen, isExtended);
    if (this.#pending?.name !== name) {
      this.#startPending({ name, to: now.seen.state });
      return undefined;
    }
    const again = this.#tallyVotes(asOf, this.#pending);
    if (again.outcome !== "undecided" && formatDecisionIdentity(again.seen) === name)
      return this.#commitDecision(now.seen);
    // All masters were read again, but a majority of different masters does not confirm the decision.
    if (this.#votes.isReadAgain(this.#pending.since)) this.#startPending(this.#pending);
    return undefined;
  }

  /**
   * Reports a new hold as `free` until a majority has agreed on its fencing token. Until then, the hold is not granted,
   * and a change to the token would make the hold appear to be a different hold. If the masters have not agreed after 1
   * s, returns the hold, because its client has presumably failed and its votes block the lock.
   */
  #withoutOpenFence(now: VoteTally): VoteTally {
    const isOpen = now.outcome === "held" && now.fence === "open" && !this.#isDecidedHold(now.seen);
    if (!isOpen) {
      this.#fenceOpenSince = undefined;
      return now;
    }
    this.#fenceOpenSince ??= performance.now();
    if (!this.isAwaitingAgreement) return now;
    const { key, asOf, votes } = now.seen;
    const seen = { state: "free", key, asOf, votes: { ...votes, agreement: "none" } } as const;
    return { outcome: "free", seen };
  }

  #isDecidedHold(seen: ReadableObservation): boolean {
    return formatDecisionIdentity(seen) === formatDecisionIdentity(this.#decided);
  }

  #startPending({ name, to }: Pick<PendingDecision<Of>, "name" | "to">): void {
    this.#pending = { name, to, since: performance.now(), before: this.#votes.listShapes() };
  }

  /** Keeps the last decision and updates its observation. */
  #confirmDecision(seen: ReadableObservation, isExtended: boolean): ConsensusDecision {
    this.#pending = undefined;
    this.#endCause = undefined;
    const wasGone = this.#lostVoters.size > this.voters.length - computeMajority(this.voters.length);
    if (wasGone) this.#lostVoters.clear();
    const before = this.holder;
    this.#decided = seen.state === "held" ? smoothTimes(seen, before) : seen;
    this.#mostVotes = Math.max(this.#mostVotes, this.votes?.owners[0]?.masters ?? 0);
    const isSameExtension =
      isExtended && hasLaterDeadline(this.holder, before) && this.#extensions?.recordChange() === true;
    const observation = this.#decided;
    return { observation, endCause: undefined, wasGone, forceRelease: undefined, isSameExtension };
  }

  #commitDecision(seen: ReadableObservation): ConsensusDecision {
    const decision = {
      observation: seen,
      endCause: this.#endCause,
      wasGone: this.#lostVoters.size > 0,
      forceRelease: this.#findForceReleaseEvent(),
    };
    this.#decided = seen;
    this.#pending = undefined;
    this.#endCause = undefined;
    this.#lostVoters.clear();
    this.#forceReleases.clear();
    this.#mostVotes = this.votes?.owners[0]?.masters ?? 0;
    return decision;
  }

  /** Keeps the last decision and updates only its votes. */
  #keepUndecided(votes: SeenVotes, asOf: number): ConsensusDecision {
    this.#pending = undefined;
    const before = this.#decided ?? { state: "free", key: this.key, asOf };
    const agreement = (before.state === "not_a_lock" ? undefined : before.votes)?.agreement ?? "none";
    this.#decided = before.state === "not_a_lock" ? before : { ...before, votes: { ...votes, agreement } };
    return { observation: this.#decided, endCause: undefined, wasGone: false, forceRelease: undefined };
  }

  /** Returns the force-release event if enough masters reported a force-release for the hold to lose its majority. */
  #findForceReleaseEvent(): ScriptEvent | undefined {
    const needed = Math.max(1, this.#mostVotes - computeMajority(this.voters.length) + 1);
    return this.#forceReleases.size < needed ? undefined : this.#forceReleases.values().next().value?.event;
  }

  /**
   * Counts the current votes.
   *
   * @param pending if set, counts only masters whose vote was unchanged when they were read again after this decision
   *   became pending
   */
  #tallyVotes(asOf: number, pending?: PendingDecision<Of>): VoteTally {
    const seen = this.#votes.projectTo(
      asOf,
      (voter, vote) =>
        pending === undefined ||
        (vote.sentAt >= pending.since && pending.before.get(voter) === formatVoteShape(vote.seen)),
    );
    return tallyVotes(this.key, seen, asOf, { begunAt: this.#votes.listStartTimes(), before: this.holder });
  }
}
