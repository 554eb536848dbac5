import type { Key } from "../../../lib/keys/key.ts";
import type {
  HeldObservation,
  ReadableObservation,
  SeenHolder,
  SeenVotes,
} from "../../formats/observation.ts";
import { computeMajority } from "../../redis/majority.ts";
import { type ScriptEvent, toMessageOwner } from "../connection/script-event.ts";
import type { EndCause } from "../events/event-derivation.ts";
import { CLOCK_TOLERANCE_MS } from "../holds/renewal-history.ts";
import type { Reading } from "../scan/key-reader.ts";
import { formatDecisionIdentity, formatVoteShape, type MasterVote, projectVoteTo } from "./master-vote.ts";
import { formatHoldIdentity, tallyVotes, type VoteTally } from "./vote-tally.ts";

/** A decision that is new, and has to be seen once more. */
interface PendingDecision<Of> {
  readonly name: string;
  readonly to: ReadableObservation["state"];
  /** Looks that were sent from then on (performance.now()) count. */
  readonly since: number;
  /** What each master showed before. */
  readonly before: ReadonlyMap<Of, string>;
}

/** One of the masters, as far as a ballot knows it. */
export interface Voter {
  readonly isUp: boolean;
  /** Rises whenever it went away. */
  readonly term: number;
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

/** Masters give a renewed lease within this share of it, and are not told to have renewed it each by itself. */
const RENEWAL_SPREAD = 0.05;
const RENEWAL_SPREAD_MS_MAX = 500;

/**
 * How the masters of a quorum vote on one key.
 *
 * Their looks are of different moments: votes that are given back here and given there would add up to a majority that
 * never was. So a decision that is new is asked about again at all masters, and stands when those that show the same
 * before and after it was first seen make it: what was there before and after was there in between, at all of them at
 * once. Other masters before than after would be no proof: votes may have moved.
 */
export class KeyConsensus<Of extends Voter> {
  readonly #votes = new Map<Of, MasterVote>();
  #decided: ReadableObservation | undefined;
  #pending: PendingDecision<Of> | undefined;
  #endCause: EndCause;
  #lostVoters = new Set<Of>();
  #forceReleases = new Map<Of, ScriptEvent>();
  /** The most votes that the present hold has had. */
  #mostVotes = 0;

  constructor(
    private readonly key: Key,
    private readonly voters: readonly Of[],
  ) {}

  get isPending(): boolean {
    return this.#pending !== undefined;
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
    return !isHeld && this.#pending === undefined && this.votes?.state !== "undecided" && !this.#hasVotes;
  }

  getObservationAt(voter: Of): ReadableObservation | undefined {
    return this.#votes.get(voter)?.seen;
  }

  /** When (performance.now()) it was looked at there, since the master is there. */
  getReadTimeAt(voter: Of): number {
    return (this.#isVoteCurrent(voter) && this.#votes.get(voter)?.at) || Number.NEGATIVE_INFINITY;
  }

  /** Those who are there and were not looked at since they are. */
  listUnreadVoters(): Of[] {
    return this.voters.filter((voter) => voter.isUp && !this.#isVoteCurrent(voter));
  }

  recordReading(voter: Of, { observation, sentAt, receivedAt }: Reading, aheadMs: number): void {
    if (observation.state === "unreadable") {
      this.#votes.delete(voter);
      return;
    }
    const at = (sentAt + receivedAt) / 2;
    this.#votes.set(voter, { seen: observation, sentAt, at, clockAheadMs: aheadMs, term: voter.term });
    const { holder } = this;
    const isVote =
      observation.state === "held" &&
      formatHoldIdentity(observation) === (holder && formatHoldIdentity(holder));
    if (isVote) this.#forceReleases.delete(voter);
  }

  recordNotifications(voter: Of, { wasGone, endCause }: { wasGone: boolean; endCause: EndCause }): void {
    this.#endCause = endCause ?? this.#endCause;
    if (!wasGone) return;
    this.#lostVoters.add(voter);
    // A vote that was given back and given again between two looks is there at both.
    if (this.#pending?.to === "held") this.#startPending(this.#pending);
  }

  /** One master said that a hold was freed there by force. */
  recordForceRelease(voter: Of, event: ScriptEvent): void {
    const { holder } = this;
    if (holder !== undefined && this.#isOfHolder(event, holder.holders[0], voter))
      this.#forceReleases.set(voter, event);
  }

  /** Until the masters have agreed on a fence, each has one of its own. */
  #isOfHolder(event: ScriptEvent, { token, fence }: SeenHolder, voter: Of): boolean {
    if (event.fence === null) return toMessageOwner(token) === event.owner;
    if (event.fence === fence) return true;
    const vote = this.#votes.get(voter)?.seen;
    const held = vote?.state === "held" ? vote.holders.find((each) => each.token === token) : undefined;
    return held?.fence === event.fence;
  }

  /** Who holds the lock, as it was decided last. */
  get holder(): HeldObservation | undefined {
    return this.#decided?.state === "held" ? this.#decided : undefined;
  }

  /** @returns undefined: all is as it was, or has still to be asked about (`isTurning`) */
  evaluate(asOf: number): ConsensusDecision | undefined {
    const now = this.#tallyVotes(asOf);
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
    if (this.#isReadAgain(this.#pending.since)) this.#startPending(this.#pending);
    return undefined;
  }

  #startPending({ name, to }: Pick<PendingDecision<Of>, "name" | "to">): void {
    const before = new Map(
      this.voters.flatMap((voter) => {
        const vote = this.#findCurrentVote(voter);
        return vote === undefined ? [] : [[voter, formatVoteShape(vote.seen)] as const];
      }),
    );
    this.#pending = { name, to, since: performance.now(), before };
  }

  #isReadAgain(since: number): boolean {
    return this.voters.every((voter) => !voter.isUp || (this.#findCurrentVote(voter)?.sentAt ?? 0) >= since);
  }

  /** All is as before, and the time of it goes on. */
  #confirmDecision(seen: ReadableObservation): ConsensusDecision {
    this.#pending = undefined;
    this.#endCause = undefined;
    const wasGone = this.#lostVoters.size > this.voters.length - computeMajority(this.voters.length);
    if (wasGone) this.#lostVoters.clear();
    this.#decided = seen.state === "held" ? this.#smoothTimes(seen) : seen;
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
    this.#decided = before.state === "not_a_lock" ? before : { ...before, votes };
    return { observation: this.#decided, endCause: undefined, wasGone: false, forceRelease: undefined };
  }

  /** Those who freed it by force are as many as it takes to end a majority. */
  #findForceReleaseEvent(): ScriptEvent | undefined {
    const needed = Math.max(1, this.#mostVotes - computeMajority(this.voters.length) + 1);
    return this.#forceReleases.size < needed ? undefined : this.#forceReleases.values().next().value;
  }

  // Masters differ by their way and their clock; a hold that jumped about with them would seem to be renewed all the time.
  #smoothTimes(seen: HeldObservation): HeldObservation {
    const { holder: before } = this;
    if (before === undefined) return seen;
    const [first, ...others] = seen.holders;
    const [{ fence, sinceMs }] = before.holders;
    const since = fence !== null && fence === first.fence ? sinceMs : first.sinceMs;
    const holders = [{ ...first, sinceMs: since }, ...others] as const;
    if (before.remainingMs === null || seen.remainingMs === null) return { ...seen, holders };
    const laterMs = seen.asOf + seen.remainingMs - (before.asOf + before.remainingMs);
    const spreadMs = Math.min(RENEWAL_SPREAD_MS_MAX, RENEWAL_SPREAD * (first.leaseMs ?? seen.remainingMs));
    const isSame = laterMs >= 0 && laterMs <= Math.max(CLOCK_TOLERANCE_MS, spreadMs);
    return { ...seen, holders, remainingMs: seen.remainingMs - (isSame ? laterMs : 0) };
  }

  /** @param turning counts those alone that were asked again and show what they showed before */
  #tallyVotes(asOf: number, turning?: PendingDecision<Of>): VoteTally {
    const seen = this.voters.map((voter) => {
      const vote = this.#findCurrentVote(voter);
      if (vote === undefined) return undefined;
      const isSteady =
        turning === undefined ||
        (vote.sentAt >= turning.since && turning.before.get(voter) === formatVoteShape(vote.seen));
      return isSteady ? projectVoteTo(asOf, vote) : undefined;
    });
    return tallyVotes(this.key, seen, asOf);
  }

  #findCurrentVote(voter: Of): MasterVote | undefined {
    return this.#isVoteCurrent(voter) ? this.#votes.get(voter) : undefined;
  }

  #isVoteCurrent(voter: Of): boolean {
    return voter.isUp && this.#votes.get(voter)?.term === voter.term;
  }

  get #hasVotes(): boolean {
    return [...this.#votes].some(([voter, { seen }]) => seen.state === "held" && this.#isVoteCurrent(voter));
  }
}
