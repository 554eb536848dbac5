import type { HeldObservation, ReadableObservation } from "../../formats/observation.ts";
import type { Reading } from "../scan/key-reader.ts";
import { formatVoteShape, type MasterVote, projectVoteTo, type VoteBegin } from "./master-vote.ts";

/** A master of a quorum, with the state of its connection. */
export interface Voter {
  readonly isUp: boolean;
  /** A number that increases each time the master disconnects. */
  readonly term: number;
}

/** State of a master at the time of a read. */
export interface VoteSource {
  /** Offset of the master's clock in ms, positive if that clock is ahead of Lockkeeper's clock. */
  readonly clockAheadMs: number;
  readonly begin: VoteBegin;
}

/** Stores the last vote of each master on one key. A vote counts until its master disconnects. */
export class VoteStore<Of extends Voter> {
  readonly #votes = new Map<Of, MasterVote>();
  /** The last read of each master on which the key could not be read. */
  readonly #unreadable = new Map<Of, { readonly term: number; readonly sentAt: number }>();

  constructor(private readonly voters: readonly Of[]) {}

  /** Whether any connected master votes for a hold. */
  get hasHolds(): boolean {
    return this.listHolding().length > 0;
  }

  record(voter: Of, { observation, sentAt, receivedAt }: Reading, source: VoteSource): void {
    if (observation.state === "unreadable") {
      this.#votes.delete(voter);
      this.#unreadable.set(voter, { term: voter.term, sentAt });
      return;
    }
    this.#unreadable.delete(voter);
    const at = (sentAt + receivedAt) / 2;
    const before = this.findCurrent(voter);
    const isSame =
      before !== undefined && !before.isGone && formatVoteShape(before.seen) === formatVoteShape(observation);
    const { begin, begunAt } = isSame
      ? before
      : { begin: source.begin, begunAt: source.begin === "seen" ? at : undefined };
    const { clockAheadMs } = source;
    this.#votes.set(voter, { seen: observation, sentAt, at, begin, begunAt, clockAheadMs, term: voter.term });
  }

  /** Records that a master reported the key as removed. The next observation on this master then starts a new vote. */
  recordGone(voter: Of): void {
    const vote = this.#votes.get(voter);
    if (vote !== undefined) this.#votes.set(voter, { ...vote, isGone: true });
  }

  /** Returns how many masters vote for a hold with a vote whose start `matches` accepts. */
  countHeld(matches: (vote: HeldObservation, begin: VoteBegin) => boolean): number {
    return this.voters.filter((voter) => {
      const vote = this.findCurrent(voter);
      return vote?.seen.state === "held" && matches(vote.seen, vote.begin);
    }).length;
  }

  /** Returns the connected masters that vote for a hold. */
  listHolding(): Of[] {
    return this.voters.filter((voter) => this.findCurrent(voter)?.seen.state === "held");
  }

  /** Returns the last observation on a master, even if the master has disconnected since. */
  findLast(voter: Of): ReadableObservation | undefined {
    return this.#votes.get(voter)?.seen;
  }

  /**
   * Returns a master's vote from its current term. Returns `undefined` if there is no such vote or the master is
   * disconnected.
   */
  findCurrent(voter: Of): MasterVote | undefined {
    const vote = this.#votes.get(voter);
    return voter.isUp && vote?.term === voter.term ? vote : undefined;
  }

  /**
   * Returns the connected masters on which the key has not been read in their current term. A master on which the key
   * is unreadable counts as read, because only a later scan may be able to read it.
   */
  listUnread(): Of[] {
    return this.voters.filter((voter) => voter.isUp && this.#getSentAt(voter) === undefined);
  }

  /** Returns whether every connected master was read by a request sent at or after `since` (`performance.now()`). */
  isReadAgain(since: number): boolean {
    return this.voters.every((voter) => !voter.isUp || (this.#getSentAt(voter) ?? 0) >= since);
  }

  /** Returns when the last read of a connected master in its current term was sent; `undefined` if there is none. */
  #getSentAt(voter: Of): number | undefined {
    const unreadable = this.#unreadable.get(voter);
    return (
      this.findCurrent(voter)?.sentAt ?? (unreadable?.term === voter.term ? unreadable.sentAt : undefined)
    );
  }

  /** Returns the vote of each master as a string without the fields that change during a hold, such as deadlines. */
  listShapes(): ReadonlyMap<Of, string> {
    return new Map(
      this.voters.flatMap((voter) => {
        const vote = this.findCurrent(voter);
        return vote === undefined ? [] : [[voter, formatVoteShape(vote.seen)] as const];
      }),
    );
  }

  /** Returns each vote's start time (`performance.now()`), in the same order as the masters; `undefined` if unknown. */
  listStartTimes(): (number | undefined)[] {
    return this.voters.map((voter) => this.findCurrent(voter)?.begunAt);
  }

  /**
   * Returns the votes in the same order as the masters, with times updated to the present (see `projectVoteTo`). A vote
   * that is unknown, or for which `counts` returns false, is `undefined`.
   */
  projectTo(
    asOf: number,
    counts: (voter: Of, vote: MasterVote) => boolean,
  ): (ReadableObservation | undefined)[] {
    return this.voters.map((voter) => {
      const vote = this.findCurrent(voter);
      return vote !== undefined && counts(voter, vote) ? projectVoteTo(asOf, vote) : undefined;
    });
  }
}
