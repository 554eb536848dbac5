import type { Key } from "../../../lib/keys/key.ts";
import { settleQuorum } from "../../concurrency/settle-quorum.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation, SeenVotes } from "../../formats/observation.ts";
import { readKeys } from "../../formats/registry/read-keys.ts";
import { NeverSentError } from "../../redis/failure.ts";
import { computeMajority } from "../../redis/majority.ts";
import type { Master } from "../../redis/master.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { NO_CONTINUITY } from "../holds/hold-version.ts";
import { computeRereadDelayMs } from "../holds/reread-delay.ts";
import type { LockIndex } from "../index/lock-index.ts";
import { type ConsensusDecision, KeyConsensus } from "../quorum/key-consensus.ts";
import { tallyVotes } from "../quorum/vote-tally.ts";
import type { Reading } from "../scan/key-reader.ts";
import type { MasterWatch } from "./master-watch.ts";
import { PendingNotifications } from "./pending-notifications.ts";
import type { AppliedReading, TopologyView } from "./topology-view.ts";

/** A key over which many strive is decided anew with each look. */
const READ_ROUNDS_MAX = 4;
/** How many keys are told anew at once when a master came or went. */
const REEVALUATION_SLICE = 500;

/** One of the masters. */
class VoterState {
  readonly pendingNotifications = new PendingNotifications();
  term = 0;
  wasUp = false;

  constructor(readonly watch: MasterWatch) {}

  get isUp(): boolean {
    return this.watch.connection.isUp;
  }
}

/** What a key is settled by. */
interface ReadingTrigger {
  readonly sentAt: number;
  readonly pendingSince: number | undefined;
  /** An operator gave the hold more time at the master that was looked at. */
  readonly isExtended?: boolean;
}

/**
 * Each master has every key and a vote on it, and a majority of all masters decides. Told by our own clock: there is none
 * that masters have in common, and whichever of theirs were taken may go away.
 */
export class QuorumView implements TopologyView {
  readonly clock = new RedisClock();
  readonly #voterStates = new Map<MasterWatch, VoterState>();
  readonly #consensusByKey = new Map<Key, KeyConsensus<VoterState>>();
  /** Keys that are being looked at: what is known of them is not forgotten meanwhile. */
  readonly #readsInProgress = new Map<Key, number>();
  #reevaluation: { isOver: boolean } = { isOver: true };

  /** @param watches of all masters of the quorum, which stay the same */
  constructor(
    private readonly watches: ReadonlyMap<Master, MasterWatch>,
    private readonly index: LockIndex,
    private readonly applyReadings: (all: readonly (() => AppliedReading | undefined)[]) => void,
  ) {}

  /** A majority of them answers. */
  get isUp(): boolean {
    return this.#upVoters.length >= this.majority;
  }

  enqueueRead(key: Key): void {
    for (const { watch } of this.#voters) watch.enqueueRead(key);
  }

  async readAndApply(key: Key): Promise<Observation> {
    const consensus = this.#getConsensus(key);
    this.#readsInProgress.set(key, (this.#readsInProgress.get(key) ?? 0) + 1);
    try {
      for (let round = 1; round === 1 || (consensus.isPending && round <= READ_ROUNDS_MAX); round++) {
        await this.#askMajority((watch) => watch.readNow([key]));
      }
      const asOf = this.clock.now();
      return consensus.current ?? { state: "free", key, asOf };
    } finally {
      const others = (this.#readsInProgress.get(key) ?? 1) - 1;
      if (others > 0) this.#readsInProgress.set(key, others);
      else this.#readsInProgress.delete(key);
      this.#forgetIfIdle(key, consensus);
    }
  }

  async readWithRules(key: Key, rules: Pick<FormatRules, "findFormat">): Promise<Observation> {
    const seen = new Map<MasterWatch, Observation>();
    await this.#askMajority(async (watch) => {
      for (const observation of await readKeys(watch.master.redis, [key], rules))
        seen.set(watch, observation);
    });
    const all = this.#voters.map(({ watch }) => {
      const observation = seen.get(watch);
      return observation?.state === "unreadable" ? undefined : observation;
    });
    const now = tallyVotes(key, all, this.clock.now());
    if (now.outcome !== "undecided") return now.seen;
    return { state: "free", key, asOf: this.clock.now(), votes: now.votes };
  }

  async confirmContinuity(): Promise<void> {
    await this.#askMajority(({ connection }) => connection.confirmContinuity());
  }

  *listKnownKeys(at: MasterWatch, unseenForMs = 0): Iterable<Key> {
    const voter = this.#getVoterState(at);
    const seenBefore = performance.now() - unseenForMs;
    for (const [key, consensus] of this.#consensusByKey)
      if (consensus.getReadTimeAt(voter) < seenBefore) yield key;
  }

  readKeys(keys: readonly Key[], { master }: MasterWatch, rules: FormatRules): Promise<Observation[]> {
    return readKeys(master.redis, keys, rules);
  }

  isKnown(key: Key, at: MasterWatch): boolean {
    const consensus = this.#consensusByKey.get(key);
    return (
      consensus !== undefined && consensus.getReadTimeAt(this.#getVoterState(at)) > Number.NEGATIVE_INFINITY
    );
  }

  computeRereadDelayMs(key: Key, at: MasterWatch): number | undefined {
    const seen = this.#consensusByKey.get(key)?.getObservationAt(this.#getVoterState(at));
    if (seen?.state !== "held") return undefined;
    const ends = [seen.remainingMs, computeRereadDelayMs(this.index.get(key))].flatMap((ms) => ms ?? []);
    return ends.length === 0 ? undefined : Math.max(1, Math.min(...ends));
  }

  onKeyChange(key: Key, event: string, at: MasterWatch): void {
    this.#getVoterState(at).pendingNotifications.recordKeyChange(key, event);
    at.enqueueRead(key);
  }

  /** What masters say is of their votes, so it is seen and concluded what becomes of the lock; but for who freed it and why. */
  onScriptEvent(event: ScriptEvent, at: MasterWatch): undefined {
    this.#getVoterState(at).pendingNotifications.recordScriptEvent(event);
    if (event.type === "force_released")
      this.#consensusByKey.get(event.key)?.recordForceRelease(this.#getVoterState(at), event);
    at.enqueueRead(event.key);
  }

  onBlindPeriod(keys: Iterable<Key>, at: MasterWatch): void {
    this.#getVoterState(at).pendingNotifications.recordBlindPeriod(keys);
  }

  evaluateReading(reading: Reading, at: MasterWatch): AppliedReading | undefined {
    const { key } = reading.observation;
    const voter = this.#getVoterState(at);
    this.clock.update(Date.now(), reading.receivedAt, reading.receivedAt);
    const consensus =
      this.#consensusByKey.get(key) ?? (reading.observation.state === "held" && this.#getConsensus(key));
    if (!consensus) return this.#concludeFree(key, reading.sentAt);
    const { pendingSince } = consensus;
    const { sentAt } = reading;
    const notifications = voter.pendingNotifications.consume(reading.observation, this.index.get(key), {
      sentAt,
      isMoving: false,
    });
    consensus.recordNotifications(voter, notifications);
    consensus.recordReading(voter, reading, at.clock.toRedisTime(reading.receivedAt) - Date.now());
    return this.#evaluateConsensus(key, consensus, {
      sentAt,
      pendingSince: pendingSince,
      isExtended: notifications.isExtended,
    });
  }

  onMasterStateChange(): void {
    let isOther = false;
    for (const voter of this.#voters) {
      if (voter.wasUp === voter.isUp) continue;
      isOther = true;
      voter.wasUp = voter.isUp;
      // What it showed before it went says nothing when it is back.
      if (!voter.isUp) voter.term++;
    }
    if (isOther) void this.#reevaluateAll();
  }

  findVotes(key: Key): SeenVotes | undefined {
    return this.#consensusByKey.get(key)?.votes;
  }

  get #voters(): readonly VoterState[] {
    return [...this.watches.values()].map((watch) => this.#getVoterState(watch));
  }

  get #upVoters(): readonly VoterState[] {
    return this.#voters.filter(({ isUp }) => isUp);
  }

  get majority(): number {
    return computeMajority(this.#voters.length);
  }

  #getVoterState(at: MasterWatch): VoterState {
    const known = this.#voterStates.get(at);
    if (known !== undefined) return known;
    const voter = new VoterState(at);
    this.#voterStates.set(at, voter);
    return voter;
  }

  #getConsensus(key: Key): KeyConsensus<VoterState> {
    const known = this.#consensusByKey.get(key);
    if (known !== undefined) return known;
    const consensus = new KeyConsensus(key, this.#voters);
    this.#consensusByKey.set(key, consensus);
    return consensus;
  }

  #forgetIfIdle(key: Key, consensus: KeyConsensus<VoterState>): void {
    if (consensus.isIdle && !this.#readsInProgress.has(key)) this.#consensusByKey.delete(key);
  }

  /** @throws NeverSentError when fewer than a majority answer */
  async #askMajority(question: (watch: MasterWatch) => Promise<unknown>): Promise<void> {
    const reads = this.#upVoters.map(({ watch }) => question(watch));
    const answered = await settleQuorum(reads, this.majority);
    if (answered >= this.majority) return;
    throw new NeverSentError(
      `Of ${this.#voters.length} masters ${answered} answered, and ${this.majority} have to`,
    );
  }

  #evaluateConsensus(
    key: Key,
    consensus: KeyConsensus<VoterState>,
    { sentAt, pendingSince, isExtended }: ReadingTrigger,
  ) {
    const decision = consensus.evaluate(this.clock.now());
    const isNew = consensus.isPending && consensus.pendingSince !== pendingSince;
    const again = isNew ? this.#upVoters : consensus.listUnreadVoters();
    for (const { watch } of again) watch.enqueueRead(key);
    if (decision === undefined) return undefined;
    const applied = this.#toAppliedReading(decision, sentAt, isExtended);
    this.#forgetIfIdle(key, consensus);
    return applied;
  }

  /** A key that nobody voted on has no ballot any more: it was decided to be free, and no look says otherwise. */
  #concludeFree(key: Key, sentAt: number): AppliedReading {
    const observation = { state: "free", key, asOf: this.clock.now() } as const;
    return this.#toAppliedReading(
      { observation, endCause: undefined, wasGone: false, forceRelease: undefined },
      sentAt,
    );
  }

  #toAppliedReading(
    { observation, endCause, wasGone, forceRelease }: ConsensusDecision,
    sentAt: number,
    isExtended = false,
  ): AppliedReading {
    const watching = this.#upVoters.filter(
      ({ watch: { connection, reconciliation } }) => connection.seesChanges && reconciliation.isCaughtUp,
    );
    const continuityIds = this.#voters.map(({ watch: { connection } }) =>
      connection.seesChanges ? connection.continuityId : NO_CONTINUITY,
    );
    const isSeeing =
      continuityIds.filter((continuityId) => continuityId !== NO_CONTINUITY).length >= this.majority;
    const first = this.#voters.filter(({ watch: { reconciliation } }) => reconciliation.isInitialScan);
    const asOf = this.clock.now();
    return {
      observation,
      context: {
        wasGone,
        isExtended,
        since: watching.length >= this.majority ? "exact" : "at_least",
        continuityId: isSeeing ? continuityIds.join("_") : NO_CONTINUITY,
      },
      endCause,
      ...(forceRelease === undefined
        ? {}
        : { scriptEvent: this.#buildForceReleaseEvent(forceRelease, asOf) }),
      asOf,
      sentAt,
      isInitialScan: this.#voters.length - first.length < this.majority,
    };
  }

  /** A master's word of its vote, as the word of the hold. */
  #buildForceReleaseEvent({ key, by, reason }: ScriptEvent, at: number): ScriptEvent | undefined {
    const hold = this.index.get(key);
    if (hold === undefined) return undefined;
    const [{ seen, firstSeenMs }] = hold.holders;
    const heldMs = Math.max(0, at - (seen.sinceMs ?? firstSeenMs));
    const { fence } = seen;
    const owner = fence === null ? seen.token : seen.owner;
    return { type: "force_released", key, at, fence, seq: seen.seq + 1, count: 0, heldMs, owner, by, reason };
  }

  /** What is decided without one master, or with it, in slices: there may be very many locks. */
  async #reevaluateAll(): Promise<void> {
    this.#reevaluation.isOver = true;
    const mine = { isOver: false };
    this.#reevaluation = mine;
    const keys = [...this.#consensusByKey.keys()];
    for (let from = 0; from < keys.length && !mine.isOver; from += REEVALUATION_SLICE) {
      const sentAt = performance.now();
      const settle = (key: Key) => () => {
        const consensus = this.#consensusByKey.get(key);
        return (
          consensus &&
          this.#evaluateConsensus(key, consensus, { sentAt, pendingSince: consensus.pendingSince })
        );
      };
      this.applyReadings(keys.slice(from, from + REEVALUATION_SLICE).map(settle));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
