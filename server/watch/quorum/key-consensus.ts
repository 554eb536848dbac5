import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, ReadableObservation, SeenVotes } from "../../formats/observation.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-derivation.ts";
import type { Reading } from "../scan/key-reader.ts";
import { isForceReleaseOf } from "./force-release-report.ts";
import { formatDecisionIdentity, formatVoteShape } from "./master-vote.ts";
import { smoothTimes } from "./smooth-times.ts";
import { type Voter, type VoteSource, VoteStore } from "./vote-store.ts";
import { isVoteFor, tallyVotes, type VoteTally } from "./vote-tally.ts";

/** A decision that is new, and has to be seen once more. */
interface PendingDecision<Of> {
  readonly name: string;
  readonly to: ReadableObservation["state"];
  /** Looks that were sent from then on (performance.now()) count. */
  readonly since: number;
  /** What each master showed before. */
  readonly before: ReadonlyMap<Of, string>;
}

/** What was decided of a key. */
export interface ConsensusDecision {
  readonly observation: ReadableObservation;
  readonly endCause: EndCause;
  /** As many masters lost it in between as a majority can do without: it may be another hold that looks the same. */
  readonly wasGone: boolean;
  /** A script's word of the ending. */
  readonly forceRelease: ScriptEvent | undefined;
}

/** An agreement that takes longer will not come any more. */
const AGREEMENT_MS_MAX = 1000;

/**
 * How the masters of a quorum vote on one key.
 *
 * Their looks are of different moments: votes that are given back here and given there would add up to a majority that
 * never was. So a decision that is new is asked about again at all masters, and stands when those that show the same
 * before and after it was first seen make it: what was there before and after was there in between, at all of them at
 * once. Other masters before than after would be no proof: votes may have moved.
 */
export class KeyConsensus<Of extends Voter> {
  readonly #votes: VoteStore<Of>;
  #decided: ReadableObservation | undefined;
  #pending: PendingDecision<Of> | undefined;
  #endCause: EndCause;
  #lostVoters = new Set<Of>();
  #forceReleases = new Map<Of, ScriptEvent>();
  /** The most votes that the present hold has had. */
  #mostVotes = 0;
  /** Since when (performance.now()) a hold of ours waits for the agreement on its fencing token. */
  #fenceOpenSince: number | undefined;

  constructor(
    private readonly key: Key,
    private readonly voters: readonly Of[],
  ) {
    this.#votes = new VoteStore(voters);
  }

  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** A majority has votes of one hold, and is about to agree on its fencing token. */
  get isAwaitingAgreement(): boolean {
    return this.#fenceOpenSince !== undefined && performance.now() - this.#fenceOpenSince < AGREEMENT_MS_MAX;
  }

  /** Only looks that were sent since then (performance.now()) say whether it turns; undefined: it does not. */
  get pendingSince(): number | undefined {
    return this.#pending?.since;
  }

  /** As it was decided last, with the votes as they are now. */
  get current(): ReadableObservation | undefined {
    return this.#decided;
  }

  get votes(): SeenVotes | undefined {
    const decided = this.#decided;
    return decided !== undefined && "votes" in decided ? decided.votes : undefined;
  }

  /** Nothing is left to be known of it. */
  get isIdle(): boolean {
    const isHeld = this.#decided?.state === "held" || this.#decided?.state === "ended";
    return (
      !isHeld && this.#pending === undefined && this.votes?.state !== "undecided" && !this.#votes.hasHolds
    );
  }

  getObservationAt(voter: Of): ReadableObservation | undefined {
    return this.#votes.findLast(voter);
  }

  /** When (performance.now()) it was looked at there, since the master is there. */
  getReadTimeAt(voter: Of): number {
    return this.#votes.findCurrent(voter)?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** Those who are there and were not looked at since they are. */
  listUnreadVoters(): Of[] {
    return this.#votes.listUnread();
  }

  recordReading(voter: Of, reading: Reading, source: VoteSource): void {
    this.#votes.record(voter, reading, source);
    const { observation } = reading;
    const { holder } = this;
    if (observation.state === "held" && holder !== undefined && isVoteFor(observation, holder))
      this.#forceReleases.delete(voter);
  }

  recordNotifications(voter: Of, { wasGone, endCause }: { wasGone: boolean; endCause: EndCause }): void {
    this.#endCause = endCause ?? this.#endCause;
    if (!wasGone) return;
    this.#lostVoters.add(voter);
    this.#votes.recordGone(voter);
    // A vote that was given back and given again between two looks is there at both.
    if (this.#pending?.to === "held") this.#startPending(this.#pending);
  }

  /** One master reported that a hold was force-released there. */
  recordForceRelease(voter: Of, event: ScriptEvent): void {
    const { holder } = this;
    if (holder !== undefined && isForceReleaseOf(event, holder.holders[0], this.#votes.findLast(voter)))
      this.#forceReleases.set(voter, event);
  }

  /** Who holds the lock, as it was decided last. */
  get holder(): HeldObservation | undefined {
    return this.#decided?.state === "held" ? this.#decided : undefined;
  }

  /** @returns undefined: all is as it was, or has still to be asked about (`isTurning`) */
  evaluate(asOf: number): ConsensusDecision | undefined {
    const now = this.#withoutOpenFence(this.#tallyVotes(asOf));
    if (now.outcome === "undecided") return this.#keepUndecided(now.votes, asOf);
    const name = formatDecisionIdentity(now.seen);
    if (name === formatDecisionIdentity(this.#decided)) return this.#confirmDecision(now.seen);
    if (this.#pending?.name !== name) {
      this.#startPending({ name, to: now.seen.state });
      return undefined;
    }
    const again = this.#tallyVotes(asOf, this.#pending);
    if (again.outcome !== "undecided" && formatDecisionIdentity(again.seen) === name)
      return this.#commitDecision(now.seen);
    // All were asked, and other masters make it now than did before.
    if (this.#votes.isReadAgain(this.#pending.since)) this.#startPending(this.#pending);
    return undefined;
  }

  /**
   * Until a majority has agreed on its fencing token, a hold of ours is not granted: what is shown of it would be another
   * hold a moment later. Where the agreement does not come, its client is gone, and its votes hold the lock.
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

  /** All is as before, and the time of it goes on. */
  #confirmDecision(seen: ReadableObservation): ConsensusDecision {
    this.#pending = undefined;
    this.#endCause = undefined;
    const wasGone = this.#lostVoters.size > this.voters.length - computeMajority(this.voters.length);
    if (wasGone) this.#lostVoters.clear();
    this.#decided = seen.state === "held" ? smoothTimes(seen, this.holder) : seen;
    this.#mostVotes = Math.max(this.#mostVotes, this.votes?.owners[0]?.masters ?? 0);
    return { observation: this.#decided, endCause: undefined, wasGone, forceRelease: undefined };
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

  /** It stays as it was decided last, and says so. */
  #keepUndecided(votes: SeenVotes, asOf: number): ConsensusDecision {
    this.#pending = undefined;
    const before = this.#decided ?? { state: "free", key: this.key, asOf };
    const agreement = (before.state === "not_a_lock" ? undefined : before.votes)?.agreement ?? "none";
    this.#decided = before.state === "not_a_lock" ? before : { ...before, votes: { ...votes, agreement } };
    return { observation: this.#decided, endCause: undefined, wasGone: false, forceRelease: undefined };
  }

  /** Those who freed it by force are as many as it takes to end a majority. */
  #findForceReleaseEvent(): ScriptEvent | undefined {
    const needed = Math.max(1, this.#mostVotes - computeMajority(this.voters.length) + 1);
    return this.#forceReleases.size < needed ? undefined : this.#forceReleases.values().next().value;
  }

  /** @param turning counts those alone that were asked again and show what they showed before */
  #tallyVotes(asOf: number, turning?: PendingDecision<Of>): VoteTally {
    const seen = this.#votes.projectTo(
      asOf,
      (voter, vote) =>
        turning === undefined ||
        (vote.sentAt >= turning.since && turning.before.get(voter) === formatVoteShape(vote.seen)),
    );
    return tallyVotes(this.key, seen, asOf, { begunAt: this.#votes.listBegins(), before: this.holder });
  }
}
