import type { Key } from "../../../lib/keys/key.ts";
import { enoughOf } from "../../concurrency/settle-quorum.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation, SeenVotes } from "../../formats/observation.ts";
import { read } from "../../formats/registry/read-keys.ts";
import { NeverSentError } from "../../redis/failure.ts";
import { majorityOf } from "../../redis/majority.ts";
import type { Master } from "../../redis/master.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { OwnEvent } from "../connection/script-event.ts";
import { NO_SIGHT } from "../holds/hold-version.ts";
import { dueMsOf } from "../holds/reread-delay.ts";
import type { Mirror } from "../index/lock-index.ts";
import { Ballot, type Decision } from "../quorum/key-consensus.ts";
import { tally } from "../quorum/vote-tally.ts";
import type { Look } from "../scan/key-reader.ts";
import type { MasterWatch } from "./master-watch.ts";
import { Heard } from "./pending-notifications.ts";
import type { Sources, Taken } from "./topology-view.ts";

/** A key over which many strive is decided anew with each look. */
const ROUNDS_MAX = 4;
/** How many keys are told anew at once when a master came or went. */
const SLICE = 500;

/** One of the masters. */
class Seat {
  readonly heard = new Heard();
  term = 0;
  wasUp = false;

  constructor(readonly watch: MasterWatch) {}

  get isUp(): boolean {
    return this.watch.link.isUp;
  }
}

/** What a key is settled by. */
interface Settling {
  readonly sentAt: number;
  readonly turningSince: number | undefined;
  /** An operator gave the hold more time at the master that was looked at. */
  readonly isExtended?: boolean;
}

/**
 * Each master has every key and a vote on it, and a majority of all masters decides. Told by our own clock: there is none
 * that masters have in common, and whichever of theirs were taken may go away.
 */
export class Quorum implements Sources {
  readonly clock = new RedisClock();
  readonly #seats = new Map<MasterWatch, Seat>();
  readonly #ballots = new Map<Key, Ballot<Seat>>();
  /** Keys that are being looked at: what is known of them is not forgotten meanwhile. */
  readonly #looking = new Map<Key, number>();
  #retelling: { isOver: boolean } = { isOver: true };

  /** @param watches of all masters of the quorum, which stay the same */
  constructor(
    private readonly watches: ReadonlyMap<Master, MasterWatch>,
    private readonly mirror: Mirror,
    private readonly tell: (all: readonly (() => Taken | undefined)[]) => void,
  ) {}

  /** A majority of them answers. */
  get isUp(): boolean {
    return this.#up.length >= this.majority;
  }

  mark(key: Key): void {
    for (const { watch } of this.#voters) watch.mark(key);
  }

  async look(key: Key): Promise<Observation> {
    const ballot = this.#ballotOf(key);
    this.#looking.set(key, (this.#looking.get(key) ?? 0) + 1);
    try {
      for (let round = 1; round === 1 || (ballot.isTurning && round <= ROUNDS_MAX); round++) {
        await this.#ask((watch) => watch.look([key]));
      }
      const asOf = this.clock.now();
      return ballot.shown ?? { state: "free", key, asOf };
    } finally {
      const others = (this.#looking.get(key) ?? 1) - 1;
      if (others > 0) this.#looking.set(key, others);
      else this.#looking.delete(key);
      this.#forget(key, ballot);
    }
  }

  async read(key: Key, rules: Pick<FormatRules, "formatOf">): Promise<Observation> {
    const seen = new Map<MasterWatch, Observation>();
    await this.#ask(async (watch) => {
      for (const observation of await read(watch.master.redis, [key], rules)) seen.set(watch, observation);
    });
    const all = this.#voters.map(({ watch }) => {
      const observation = seen.get(watch);
      return observation?.state === "unreadable" ? undefined : observation;
    });
    const now = tally(key, all, this.clock.now());
    if (now.verdict !== "undecided") return now.seen;
    return { state: "free", key, asOf: this.clock.now(), votes: now.votes };
  }

  async confirm(): Promise<void> {
    await this.#ask(({ link }) => link.confirm());
  }

  *known(at: MasterWatch, unseenForMs = 0): Iterable<Key> {
    const seat = this.#seatOf(at);
    const seenBefore = performance.now() - unseenForMs;
    for (const [key, ballot] of this.#ballots) if (ballot.lookedAt(seat) < seenBefore) yield key;
  }

  isKnown(key: Key, at: MasterWatch): boolean {
    const ballot = this.#ballots.get(key);
    return ballot !== undefined && ballot.lookedAt(this.#seatOf(at)) > Number.NEGATIVE_INFINITY;
  }

  dueMsOf(key: Key, at: MasterWatch): number | undefined {
    const seen = this.#ballots.get(key)?.seenAt(this.#seatOf(at));
    if (seen?.state !== "held") return undefined;
    const ends = [seen.remainingMs, dueMsOf(this.mirror.get(key))].flatMap((ms) => ms ?? []);
    return ends.length === 0 ? undefined : Math.max(1, Math.min(...ends));
  }

  changed(key: Key, event: string, at: MasterWatch): void {
    this.#seatOf(at).heard.change(key, event);
    at.mark(key);
  }

  /** What masters say is of their votes, so it is seen and concluded what becomes of the lock; but for who freed it and why. */
  said(event: OwnEvent, at: MasterWatch): undefined {
    this.#seatOf(at).heard.word(event);
    if (event.type === "force_released") this.#ballots.get(event.key)?.forced(this.#seatOf(at), event);
    at.mark(event.key);
  }

  blind(keys: Iterable<Key>, at: MasterWatch): void {
    this.#seatOf(at).heard.blind(keys);
  }

  take(look: Look, at: MasterWatch): Taken | undefined {
    const { key } = look.observation;
    const seat = this.#seatOf(at);
    this.clock.heard(Date.now(), look.receivedAt, look.receivedAt);
    const ballot = this.#ballots.get(key) ?? (look.observation.state === "held" && this.#ballotOf(key));
    if (!ballot) return this.#stillFree(key, look.sentAt);
    const { turningSince } = ballot;
    const { sentAt } = look;
    const heard = seat.heard.takenBy(look.observation, this.mirror.get(key), { sentAt, isMoving: false });
    ballot.heard(seat, heard);
    ballot.put(seat, look, at.clock.at(look.receivedAt) - Date.now());
    return this.#settle(key, ballot, { sentAt, turningSince, isExtended: heard.isExtended });
  }

  stirred(): void {
    let isOther = false;
    for (const seat of this.#voters) {
      if (seat.wasUp === seat.isUp) continue;
      isOther = true;
      seat.wasUp = seat.isUp;
      // What it showed before it went says nothing when it is back.
      if (!seat.isUp) seat.term++;
    }
    if (isOther) void this.#retell();
  }

  votesOf(key: Key): SeenVotes | undefined {
    return this.#ballots.get(key)?.votes;
  }

  get #voters(): readonly Seat[] {
    return [...this.watches.values()].map((watch) => this.#seatOf(watch));
  }

  get #up(): readonly Seat[] {
    return this.#voters.filter(({ isUp }) => isUp);
  }

  get majority(): number {
    return majorityOf(this.#voters.length);
  }

  #seatOf(at: MasterWatch): Seat {
    const known = this.#seats.get(at);
    if (known !== undefined) return known;
    const seat = new Seat(at);
    this.#seats.set(at, seat);
    return seat;
  }

  #ballotOf(key: Key): Ballot<Seat> {
    const known = this.#ballots.get(key);
    if (known !== undefined) return known;
    const ballot = new Ballot(key, this.#voters);
    this.#ballots.set(key, ballot);
    return ballot;
  }

  #forget(key: Key, ballot: Ballot<Seat>): void {
    if (ballot.isIdle && !this.#looking.has(key)) this.#ballots.delete(key);
  }

  /** @throws NeverSentError when fewer than a majority answer */
  async #ask(question: (watch: MasterWatch) => Promise<unknown>): Promise<void> {
    const asked = this.#up.map(({ watch }) => question(watch));
    const answered = await enoughOf(asked, this.majority);
    if (answered >= this.majority) return;
    throw new NeverSentError(
      `Of ${this.#voters.length} masters ${answered} answered, and ${this.majority} have to`,
    );
  }

  #settle(key: Key, ballot: Ballot<Seat>, { sentAt, turningSince, isExtended }: Settling) {
    const decision = ballot.settle(this.clock.now());
    const isNew = ballot.isTurning && ballot.turningSince !== turningSince;
    const again = isNew ? this.#up : ballot.unseen();
    for (const { watch } of again) watch.mark(key);
    if (decision === undefined) return undefined;
    const taken = this.#takenOf(decision, sentAt, isExtended);
    this.#forget(key, ballot);
    return taken;
  }

  /** A key that nobody voted on has no ballot any more: it was decided to be free, and no look says otherwise. */
  #stillFree(key: Key, sentAt: number): Taken {
    const observation = { state: "free", key, asOf: this.clock.now() } as const;
    return this.#takenOf({ observation, hint: undefined, wasGone: false, forced: undefined }, sentAt);
  }

  #takenOf({ observation, hint, wasGone, forced }: Decision, sentAt: number, isExtended = false): Taken {
    const watching = this.#up.filter(({ watch: { link, passes } }) => link.seesChanges && passes.isCaughtUp);
    const sights = this.#voters.map(({ watch: { link } }) => (link.seesChanges ? link.sight : NO_SIGHT));
    const isSeeing = sights.filter((sight) => sight !== NO_SIGHT).length >= this.majority;
    const first = this.#voters.filter(({ watch: { passes } }) => passes.isFirst);
    const asOf = this.clock.now();
    return {
      observation,
      circumstances: {
        wasGone,
        isExtended,
        since: watching.length >= this.majority ? "exact" : "at_least",
        sight: isSeeing ? sights.join("_") : NO_SIGHT,
      },
      hint,
      ...(forced === undefined ? {} : { said: this.#endingBy(forced, asOf) }),
      asOf,
      sentAt,
      isFirstLook: this.#voters.length - first.length < this.majority,
    };
  }

  /** A master's word of its vote, as the word of the hold. */
  #endingBy({ key, by, reason }: OwnEvent, at: number): OwnEvent | undefined {
    const hold = this.mirror.get(key);
    if (hold === undefined) return undefined;
    const [{ seen, firstSeenMs }] = hold.holders;
    const heldMs = Math.max(0, at - (seen.sinceMs ?? firstSeenMs));
    const { owner, fence } = seen;
    return { type: "force_released", key, at, fence, seq: seen.seq + 1, count: 0, heldMs, owner, by, reason };
  }

  /** What is decided without one master, or with it, in slices: there may be very many locks. */
  async #retell(): Promise<void> {
    this.#retelling.isOver = true;
    const mine = { isOver: false };
    this.#retelling = mine;
    const keys = [...this.#ballots.keys()];
    for (let from = 0; from < keys.length && !mine.isOver; from += SLICE) {
      const sentAt = performance.now();
      const settle = (key: Key) => () => {
        const ballot = this.#ballots.get(key);
        return ballot && this.#settle(key, ballot, { sentAt, turningSince: ballot.turningSince });
      };
      this.tell(keys.slice(from, from + SLICE).map(settle));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
