import type { ReadableObservation } from "../../formats/observation.ts";
import type { Reading } from "../scan/key-reader.ts";
import { formatVoteShape, type MasterVote, projectVoteTo } from "./master-vote.ts";

/** One of the masters, as far as its votes are concerned. */
export interface Voter {
  readonly isUp: boolean;
  /** Rises whenever it went away. */
  readonly term: number;
}

/** How the master is watched whose reading is recorded. */
export interface VoteSource {
  /** By how much the clock of the master is ahead of ours. */
  readonly clockAheadMs: number;
  /** `seen`: nothing escapes us there, so an owner that is new to us has just begun. */
  readonly begin: "seen" | "unknown";
}

/** What each master showed last of one key. It counts until the master goes away. */
export class VoteStore<Of extends Voter> {
  readonly #votes = new Map<Of, MasterVote>();

  constructor(private readonly voters: readonly Of[]) {}

  /** Whether a master that is there shows a hold. */
  get hasHolds(): boolean {
    return this.voters.some((voter) => this.findCurrent(voter)?.seen.state === "held");
  }

  record(voter: Of, { observation, sentAt, receivedAt }: Reading, { clockAheadMs, begin }: VoteSource): void {
    if (observation.state === "unreadable") {
      this.#votes.delete(voter);
      return;
    }
    const at = (sentAt + receivedAt) / 2;
    const before = this.findCurrent(voter);
    const isSame =
      before !== undefined && !before.isGone && formatVoteShape(before.seen) === formatVoteShape(observation);
    const begunAt = isSame ? before.begunAt : begin === "seen" ? at : undefined;
    this.#votes.set(voter, { seen: observation, sentAt, at, begunAt, clockAheadMs, term: voter.term });
  }

  /** Redis reported that the key was gone there: what is there next has begun since. */
  recordGone(voter: Of): void {
    const vote = this.#votes.get(voter);
    if (vote !== undefined) this.#votes.set(voter, { ...vote, isGone: true });
  }

  /** What the master showed last, also before it went away. */
  findLast(voter: Of): ReadableObservation | undefined {
    return this.#votes.get(voter)?.seen;
  }

  /** The vote of a master that is there, since it is. */
  findCurrent(voter: Of): MasterVote | undefined {
    const vote = this.#votes.get(voter);
    return voter.isUp && vote?.term === voter.term ? vote : undefined;
  }

  /** Masters that are there and were not read since they are. */
  listUnread(): Of[] {
    return this.voters.filter((voter) => voter.isUp && this.findCurrent(voter) === undefined);
  }

  /** Whether all masters that are there were read by readings sent since then (performance.now()). */
  isReadAgain(since: number): boolean {
    return this.voters.every((voter) => !voter.isUp || (this.findCurrent(voter)?.sentAt ?? 0) >= since);
  }

  /** What each master shows, but for what may change while it does. */
  listShapes(): ReadonlyMap<Of, string> {
    return new Map(
      this.voters.flatMap((voter) => {
        const vote = this.findCurrent(voter);
        return vote === undefined ? [] : [[voter, formatVoteShape(vote.seen)] as const];
      }),
    );
  }

  /** When each vote began, in the order of the masters. */
  listBegins(): (number | undefined)[] {
    return this.voters.map((voter) => this.findCurrent(voter)?.begunAt);
  }

  /** What each master shows at a moment of our clock, in the order of the masters; undefined: not known, or left out. */
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
