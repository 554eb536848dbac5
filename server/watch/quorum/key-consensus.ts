import type { Key } from "../../../lib/keys/key.ts";
import type { Answered, HeldObservation, SeenVotes } from "../../formats/observation.ts";
import { majorityOf } from "../../redis/majority.ts";
import { type OwnEvent, wordOf } from "../connection/script-event.ts";
import type { Hint } from "../events/event-derivation.ts";
import { TOLERANCE_MS } from "../holds/renewal-history.ts";
import type { Look } from "../scan/key-reader.ts";
import { broughtTo, decisionOf, shapeOf, type Vote } from "./master-vote.ts";
import { nameOf, type Tally, tally } from "./vote-tally.ts";

/** A decision that is new, and has to be seen once more. */
interface Turning<Of> {
  readonly name: string;
  readonly to: Answered["state"];
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
export interface Decision {
  readonly observation: Answered;
  readonly hint: Hint;
  /** As many masters lost it in between as a majority can do without: it may be another hold that looks the same. */
  readonly wasGone: boolean;
  /** A script's word of the ending. */
  readonly forced: OwnEvent | undefined;
}

/** Masters give a renewed lease within this share of it, and are not told to have renewed it each by itself. */
const SPREAD = 0.05;
const SPREAD_MS_MAX = 500;

/**
 * How the masters of a quorum vote on one key.
 *
 * Their looks are of different moments: votes that are given back here and given there would add up to a majority that
 * never was. So a decision that is new is asked about again at all masters, and stands when those that show the same
 * before and after it was first seen make it: what was there before and after was there in between, at all of them at
 * once. Other masters before than after would be no proof: votes may have moved.
 */
export class Ballot<Of extends Voter> {
  readonly #votes = new Map<Of, Vote>();
  #decided: Answered | undefined;
  #turning: Turning<Of> | undefined;
  #hint: Hint;
  #gone = new Set<Of>();
  #forced = new Map<Of, OwnEvent>();
  /** The most votes that the present hold has had. */
  #mostVotes = 0;

  constructor(
    private readonly key: Key,
    private readonly voters: readonly Of[],
  ) {}

  get isTurning(): boolean {
    return this.#turning !== undefined;
  }

  /** Only looks that were sent since then (performance.now()) say whether it turns; undefined: it does not. */
  get turningSince(): number | undefined {
    return this.#turning?.since;
  }

  /** As it was decided last, with the votes as they are now. */
  get shown(): Answered | undefined {
    return this.#decided;
  }

  get votes(): SeenVotes | undefined {
    const decided = this.#decided;
    return decided !== undefined && "votes" in decided ? decided.votes : undefined;
  }

  /** Nothing is left to be known of it. */
  get isIdle(): boolean {
    const isHeld = this.#decided?.state === "held" || this.#decided?.state === "ended";
    return !isHeld && this.#turning === undefined && this.votes?.state !== "undecided" && !this.#isVotedOn;
  }

  seenAt(voter: Of): Answered | undefined {
    return this.#votes.get(voter)?.seen;
  }

  /** When (performance.now()) it was looked at there, since the master is there. */
  lookedAt(voter: Of): number {
    return (this.#isKnown(voter) && this.#votes.get(voter)?.at) || Number.NEGATIVE_INFINITY;
  }

  /** Those who are there and were not looked at since they are. */
  unseen(): Of[] {
    return this.voters.filter((voter) => voter.isUp && !this.#isKnown(voter));
  }

  put(voter: Of, { observation, sentAt, receivedAt }: Look, aheadMs: number): void {
    if (observation.state === "unreadable") {
      this.#votes.delete(voter);
      return;
    }
    const at = (sentAt + receivedAt) / 2;
    this.#votes.set(voter, { seen: observation, sentAt, at, aheadMs, term: voter.term });
    const { holder } = this;
    const isVote = observation.state === "held" && nameOf(observation) === (holder && nameOf(holder));
    if (isVote) this.#forced.delete(voter);
  }

  heard(voter: Of, { wasGone, hint }: { wasGone: boolean; hint: Hint }): void {
    this.#hint = hint ?? this.#hint;
    if (!wasGone) return;
    this.#gone.add(voter);
    // A vote that was given back and given again between two looks is there at both.
    if (this.#turning?.to === "held") this.#begin(this.#turning);
  }

  /** One master said that a hold was freed there by force. */
  forced(voter: Of, event: OwnEvent): void {
    const { holder } = this;
    if (holder !== undefined && wordOf(holder.holders[0].owner) === event.owner)
      this.#forced.set(voter, event);
  }

  /** Who holds the lock, as it was decided last. */
  get holder(): HeldObservation | undefined {
    return this.#decided?.state === "held" ? this.#decided : undefined;
  }

  /** @returns undefined: all is as it was, or has still to be asked about (`isTurning`) */
  settle(asOf: number): Decision | undefined {
    const now = this.#tally(asOf);
    if (now.verdict === "undecided") return this.#leave(now.votes, asOf);
    const name = decisionOf(now.seen);
    if (name === decisionOf(this.#decided)) return this.#confirm(now.seen);
    if (this.#turning?.name !== name) {
      this.#begin({ name, to: now.seen.state });
      return undefined;
    }
    const again = this.#tally(asOf, this.#turning);
    if (again.verdict !== "undecided" && decisionOf(again.seen) === name) return this.#turn(now.seen);
    // All were asked, and other masters make it now than did before.
    if (this.#isAskedAgain(this.#turning.since)) this.#begin(this.#turning);
    return undefined;
  }

  #begin({ name, to }: Pick<Turning<Of>, "name" | "to">): void {
    const before = new Map(
      this.voters.flatMap((voter) => {
        const vote = this.#voteOf(voter);
        return vote === undefined ? [] : [[voter, shapeOf(vote.seen)] as const];
      }),
    );
    this.#turning = { name, to, since: performance.now(), before };
  }

  #isAskedAgain(since: number): boolean {
    return this.voters.every((voter) => !voter.isUp || (this.#voteOf(voter)?.sentAt ?? 0) >= since);
  }

  /** All is as before, and the time of it goes on. */
  #confirm(seen: Answered): Decision {
    this.#turning = undefined;
    this.#hint = undefined;
    const wasGone = this.#gone.size > this.voters.length - majorityOf(this.voters.length);
    if (wasGone) this.#gone.clear();
    this.#decided = seen.state === "held" ? this.#steady(seen) : seen;
    this.#mostVotes = Math.max(this.#mostVotes, this.votes?.owners[0]?.masters ?? 0);
    return { observation: this.#decided, hint: undefined, wasGone, forced: undefined };
  }

  #turn(seen: Answered): Decision {
    const decision = {
      observation: seen,
      hint: this.#hint,
      wasGone: this.#gone.size > 0,
      forced: this.#wordOfForce(),
    };
    this.#decided = seen;
    this.#turning = undefined;
    this.#hint = undefined;
    this.#gone.clear();
    this.#forced.clear();
    this.#mostVotes = this.votes?.owners[0]?.masters ?? 0;
    return decision;
  }

  /** It stays as it was decided last, and says so. */
  #leave(votes: SeenVotes, asOf: number): Decision {
    this.#turning = undefined;
    const before = this.#decided ?? { state: "free", key: this.key, asOf };
    this.#decided = before.state === "not_a_lock" ? before : { ...before, votes };
    return { observation: this.#decided, hint: undefined, wasGone: false, forced: undefined };
  }

  /** Those who freed it by force are as many as it takes to end a majority. */
  #wordOfForce(): OwnEvent | undefined {
    const needed = Math.max(1, this.#mostVotes - majorityOf(this.voters.length) + 1);
    return this.#forced.size < needed ? undefined : this.#forced.values().next().value;
  }

  // Masters differ by their way and their clock; a hold that jumped about with them would seem to be renewed all the time.
  #steady(seen: HeldObservation): HeldObservation {
    const { holder: before } = this;
    if (before === undefined) return seen;
    const [first, ...others] = seen.holders;
    const [{ fence, sinceMs }] = before.holders;
    const since = fence !== null && fence === first.fence ? sinceMs : first.sinceMs;
    const holders = [{ ...first, sinceMs: since }, ...others] as const;
    if (before.remainingMs === null || seen.remainingMs === null) return { ...seen, holders };
    const laterMs = seen.asOf + seen.remainingMs - (before.asOf + before.remainingMs);
    const spreadMs = Math.min(SPREAD_MS_MAX, SPREAD * (first.leaseMs ?? seen.remainingMs));
    const isSame = laterMs >= 0 && laterMs <= Math.max(TOLERANCE_MS, spreadMs);
    return { ...seen, holders, remainingMs: seen.remainingMs - (isSame ? laterMs : 0) };
  }

  /** @param turning counts those alone that were asked again and show what they showed before */
  #tally(asOf: number, turning?: Turning<Of>): Tally {
    const seen = this.voters.map((voter) => {
      const vote = this.#voteOf(voter);
      if (vote === undefined) return undefined;
      const isSteady =
        turning === undefined ||
        (vote.sentAt >= turning.since && turning.before.get(voter) === shapeOf(vote.seen));
      return isSteady ? broughtTo(asOf, vote) : undefined;
    });
    return tally(this.key, seen, asOf);
  }

  #voteOf(voter: Of): Vote | undefined {
    return this.#isKnown(voter) ? this.#votes.get(voter) : undefined;
  }

  #isKnown(voter: Of): boolean {
    return voter.isUp && this.#votes.get(voter)?.term === voter.term;
  }

  get #isVotedOn(): boolean {
    return [...this.#votes].some(([voter, { seen }]) => seen.state === "held" && this.#isKnown(voter));
  }
}
