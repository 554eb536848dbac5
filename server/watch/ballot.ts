import type { Key } from "../../lib/contract/key.ts";
import type { Answered, HeldObservation, Observation, SeenVotes } from "../formats/observation.ts";
import { majorityOf } from "../locks/quorum/order.ts";
import type { OwnEvent } from "./own-event.ts";
import type { Look } from "./reader.ts";
import { TOLERANCE_MS } from "./renewals.ts";
import type { Hint } from "./tale.ts";
import { nameOf, type Tally, tally } from "./tally.ts";

/** What a master showed of the key, and whether that still counts. */
interface Vote {
  readonly seen: Answered;
  readonly sentAt: number;
  /** Between which moments (performance.now()) it was taken: the middle. */
  readonly at: number;
  /** By how much its master's clock is ahead of ours. */
  readonly aheadMs: number;
  /** Of an earlier time of the master's being there it is worth nothing. */
  readonly term: number;
}

/** One of the masters, as far as a ballot knows it. */
export interface Voter {
  readonly isUp: boolean;
  /** Rises whenever it went away. */
  readonly term: number;
}

export interface Said {
  readonly said: OwnEvent;
  readonly heldMs: number;
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
 * never was. So a decision that is new is asked about again at all masters, and stands when looks that were sent after
 * it was first seen say the same: what was there before and after was there in between, at all of them at once.
 */
export class Ballot<Of extends Voter> {
  readonly #votes = new Map<Of, Vote>();
  #decided: Answered | undefined;
  #turning: { readonly name: string; readonly to: Answered["state"]; readonly since: number } | undefined;
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
    if (this.#turning?.to === "held") this.#turning = { ...this.#turning, since: performance.now() };
  }

  /** One master said that a hold was freed there by force. */
  forced(voter: Of, event: OwnEvent): void {
    const owner = this.holder?.holders[0].owner.replace(/[\t\n]/g, " ");
    if (owner === event.owner) this.#forced.set(voter, event);
  }

  /** Who holds the lock, as it was decided last. */
  get holder(): HeldObservation | undefined {
    return this.#decided?.state === "held" ? this.#decided : undefined;
  }

  /** @returns undefined: all is as it was, or has still to be asked about (`isTurning`) */
  settle(asOf: number): Decision | undefined {
    const now = this.#tally(asOf, Number.NEGATIVE_INFINITY);
    if (now.verdict === "undecided") return this.#leave(now.votes, asOf);
    const name = decisionOf(now.seen);
    if (name === decisionOf(this.#decided)) return this.#confirm(now.seen);
    if (this.#turning?.name !== name) {
      this.#turning = { name, to: now.seen.state, since: performance.now() };
      return undefined;
    }
    const again = this.#tally(asOf, this.#turning.since);
    if (again.verdict === "undecided" || decisionOf(again.seen) !== name) return undefined;
    return this.#turn(now.seen);
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

  #tally(asOf: number, sentSince: number): Tally {
    const seen = this.voters.map((voter) => {
      const vote = this.#isKnown(voter) ? this.#votes.get(voter) : undefined;
      return vote === undefined || vote.sentAt < sentSince ? undefined : broughtTo(asOf, vote);
    });
    return tally(this.key, seen, asOf);
  }

  #isKnown(voter: Of): boolean {
    return voter.isUp && this.#votes.get(voter)?.term === voter.term;
  }

  get #isVotedOn(): boolean {
    return [...this.#votes].some(([voter, { seen }]) => seen.state === "held" && this.#isKnown(voter));
  }
}

/** Names what was decided; that nothing ever was, is that it is free. */
function decisionOf(seen: Observation | undefined): string {
  if (seen === undefined || seen.state === "free" || seen.state === "unreadable") return "";
  if (seen.state === "not_a_lock") return seen.type;
  return `${nameOf(seen)}\0${seen.holders.map(({ fence }) => fence).join(" ")}`;
}

/** A vote as it is by now, by our clock. One whose time is over by its own master's is none. */
function broughtTo(asOf: number, { seen, at, aheadMs }: Vote): Answered {
  if (seen.state !== "held") return { ...seen, asOf };
  const agoMs = Math.max(0, Math.round(performance.now() - at));
  const left = (ms: number | null) => (ms === null ? null : ms - agoMs);
  const remainingMs = left(seen.remainingMs);
  if (remainingMs !== null && remainingMs <= 0) return { ...seen, state: "ended", asOf, remainingMs };
  const holder = (one: HeldObservation["holders"][0]) => ({
    ...one,
    sinceMs: one.sinceMs === null || one.sinceIs === "told" ? one.sinceMs : Math.round(one.sinceMs - aheadMs),
    ...(one.ownRemainingMs === undefined ? {} : { ownRemainingMs: left(one.ownRemainingMs) }),
  });
  const [first, ...others] = seen.holders;
  return { ...seen, asOf, remainingMs, holders: [holder(first), ...others.map(holder)] };
}
