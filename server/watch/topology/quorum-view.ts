import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { FormatRules } from "../../formats/format-rules.ts";
import type { Observation, ReadableObservation, SeenVotes } from "../../formats/observation.ts";
import { type FingerprintReading, readFingerprints } from "../../formats/registry/read-fingerprints.ts";
import { type FormatLookup, readKeys } from "../../formats/registry/read-keys.ts";
import type { Master } from "../../redis/master.ts";
import { RedisClock } from "../connection/redis-clock.ts";
import type { ScriptEvent } from "../connection/script-event.ts";
import { computeRereadDelayMs } from "../holds/reread-delay.ts";
import type { LockIndex } from "../index/lock-index.ts";
import { toForceReleaseOfHold } from "../quorum/force-release-report.ts";
import { type ConsensusDecision, KeyConsensus } from "../quorum/key-consensus.ts";
import type { VoteBegin } from "../quorum/master-vote.ts";
import { tallyVotes } from "../quorum/vote-tally.ts";
import type { Reading } from "../scan/key-reader.ts";
import type { MasterWatch } from "./master-watch.ts";
import type { AppliedReading, TopologyView } from "./topology-view.ts";
import { VoterSet, type VoterState } from "./voter-set.ts";

/**
 * Maximum number of read rounds. Under contention, each round can change the decision, so further rounds may not help.
 */
const READ_ROUNDS_MAX = 4;
/**
 * Interval, in ms, at which masters are polled until they agree on a fencing token. No notification reports the
 * agreement.
 */
const AGREEMENT_POLL_MS = 50;
/** Number of keys to reevaluate in one turn of the event loop after a master has connected or disconnected. */
const REEVALUATION_SLICE = 500;

/** The read that triggered an evaluation. */
interface ReadingTrigger {
  readonly sentAt: number;
  readonly pendingSince: number | undefined;
  /** Whether an operator extended the lease on the master that was read, or on another one that was just read. */
  readonly isExtended?: boolean;
}

/**
 * The view of a quorum, in which each master has one vote per key, and a majority of all masters decides. Times are on
 * Lockkeeper's own clock, because the masters do not share a clock and any of them can disconnect.
 */
export class QuorumView implements TopologyView {
  readonly clock = new RedisClock();
  readonly #consensusByKey = new Map<Key, KeyConsensus<VoterState>>();
  /** Number of reads in progress for each key. The consensus on a key is stored while the key is being read. */
  readonly #readsInProgress = new Map<Key, number>();
  #reevaluation: { isOver: boolean } = { isOver: true };

  readonly #voters: VoterSet;

  /** @param watches the watches of all of the quorum's masters; the set of masters never changes */
  constructor(
    watches: ReadonlyMap<Master, MasterWatch>,
    private readonly index: LockIndex,
    private readonly applyReadings: (all: readonly (() => AppliedReading | undefined)[]) => void,
  ) {
    this.#voters = new VoterSet(watches);
  }

  /** Whether a majority of the masters responds. */
  get isUp(): boolean {
    return this.#voters.up.length >= this.majority;
  }

  enqueueRead(key: Key): void {
    for (const { watch } of this.#voters.all) watch.enqueueRead(key);
  }

  async readAndApply(key: Key): Promise<Observation> {
    const consensus = this.#getConsensus(key);
    this.#readsInProgress.set(key, (this.#readsInProgress.get(key) ?? 0) + 1);
    try {
      for (let round = 1; round === 1 || (consensus.isPending && round <= READ_ROUNDS_MAX); round++) {
        await this.#voters.runOnMajority((watch) => watch.readNow(key));
      }
      return consensus.current ?? { state: "free", key, asOf: this.clock.now() };
    } finally {
      const others = (this.#readsInProgress.get(key) ?? 1) - 1;
      if (others > 0) this.#readsInProgress.set(key, others);
      else this.#readsInProgress.delete(key);
      this.#forgetIfIdle(key, consensus);
    }
  }

  async readWithRules(key: Key, rules: FormatLookup): Promise<Observation> {
    const seen = new Map<MasterWatch, Observation>();
    await this.#voters.runOnMajority(async (watch) => {
      const redis = await watch.master.reads.waitUntilReady();
      for (const observation of await readKeys(redis, [key], rules)) seen.set(watch, observation);
    });
    const all = this.#voters.all.map(({ watch }) => {
      const observation = seen.get(watch);
      return observation?.state === "unreadable" ? undefined : observation;
    });
    const now = tallyVotes(key, all, this.clock.now());
    if (now.outcome !== "undecided") return now.seen;
    return { state: "free", key, asOf: this.clock.now(), votes: now.votes };
  }

  async confirmContinuity(): Promise<void> {
    await this.#voters.runOnMajority(({ connection }) => connection.confirmContinuity());
  }

  *listKnownKeys(at: MasterWatch, unseenForMs = 0): Iterable<Key> {
    const voter = this.#voters.get(at);
    const seenBefore = performance.now() - unseenForMs;
    for (const [key, consensus] of this.#consensusByKey)
      if (consensus.getReadTimeAt(voter) < seenBefore) yield key;
  }

  readKeys(keys: readonly Key[], _at: MasterWatch, redis: Redis, rules: FormatRules): Promise<Observation[]> {
    return readKeys(redis, keys, rules);
  }

  readFingerprints(keys: readonly Key[], redis: Redis): Promise<FingerprintReading[]> {
    return readFingerprints(redis, keys, "together");
  }

  findObservation(key: Key, at: MasterWatch): ReadableObservation | undefined {
    return this.#consensusByKey.get(key)?.getObservationAt(this.#voters.get(at));
  }

  isKnown(key: Key, at: MasterWatch): boolean {
    const consensus = this.#consensusByKey.get(key);
    return (consensus?.getReadTimeAt(this.#voters.get(at)) ?? 0) > 0;
  }

  computeRereadDelayMs(key: Key, at: MasterWatch): number | undefined {
    const seen = this.#consensusByKey.get(key)?.getObservationAt(this.#voters.get(at));
    if (seen?.state !== "held") return undefined;
    if (this.#consensusByKey.get(key)?.isAwaitingAgreement) return AGREEMENT_POLL_MS;
    const ends = [seen.remainingMs, computeRereadDelayMs(this.index.get(key))].flatMap((ms) => ms ?? []);
    return ends.length === 0 ? undefined : Math.max(1, Math.min(...ends));
  }

  onKeyChange(key: Key, event: string, at: MasterWatch): void {
    this.#voters.get(at).pendingNotifications.recordKeyChange(key, event);
    at.enqueueRead(key);
  }

  /**
   * Records a script event from one master without reporting it, because the events for the lock are inferred from all
   * votes. The operator and the reason for a force-release are stored for the `force_released` event of the whole hold.
   */
  onScriptEvent(event: ScriptEvent, at: MasterWatch): undefined {
    this.#voters.get(at).pendingNotifications.recordScriptEvent(event);
    if (event.type === "force_released")
      this.#consensusByKey.get(event.key)?.recordForceRelease(this.#voters.get(at), event);
    at.enqueueRead(event.key);
  }

  onBlindPeriod(keys: Iterable<Key>, at: MasterWatch): void {
    const isKnown = (key: Key) => this.#consensusByKey.has(key);
    this.#voters.get(at).pendingNotifications.recordBlindPeriod(keys, isKnown);
  }

  evaluateReading(reading: Reading, at: MasterWatch): AppliedReading | undefined {
    const { key } = reading.observation;
    const voter = this.#voters.get(at);
    // Not the time of the reply, because readings are evaluated later than that.
    const now = performance.now();
    this.clock.update(Date.now(), now, now);
    const consensus =
      this.#consensusByKey.get(key) ?? (reading.observation.state === "held" && this.#getConsensus(key));
    if (!consensus)
      return reading.observation.state === "unreadable" ? undefined : this.#concludeFree(key, reading.sentAt);
    const { pendingSince } = consensus;
    const { sentAt } = reading;
    const notifications = voter.pendingNotifications.consume(reading.observation, this.index.get(key), {
      sentAt,
      isMoving: false,
    });
    consensus.recordNotifications(voter, { ...notifications, wasGone: notifications.mayBeGone });
    // Determined before this reading is recorded, because the reading may be the last one that shows the extension.
    const isExtended = consensus.isBeingExtended || notifications.extendedAt !== undefined;
    consensus.recordReading(voter, reading, {
      clockAheadMs: at.clock.toRedisTime(now) - Date.now(),
      begin: reading.wasUnreadable ? "initial_scan" : getVoteBegin(at),
    });
    return this.#evaluateConsensus(key, consensus, { sentAt, pendingSince, isExtended });
  }

  onMasterStateChange(): void {
    if (this.#voters.updateTerms()) void this.#reevaluateAll();
  }

  isUndecided(key: Key): boolean {
    const consensus = this.#consensusByKey.get(key);
    return consensus !== undefined && (consensus.isPending || consensus.votes?.state === "undecided");
  }

  findVotes(key: Key): SeenVotes | undefined {
    return this.#consensusByKey.get(key)?.votes;
  }

  get majority(): number {
    return this.#voters.majority;
  }

  #getConsensus(key: Key): KeyConsensus<VoterState> {
    const known = this.#consensusByKey.get(key);
    if (known !== undefined) return known;
    const consensus = new KeyConsensus(key, this.#voters.all);
    this.#consensusByKey.set(key, consensus);
    return consensus;
  }

  #forgetIfIdle(key: Key, consensus: KeyConsensus<VoterState>): void {
    if (consensus.isIdle && !this.#readsInProgress.has(key)) this.#consensusByKey.delete(key);
  }

  #evaluateConsensus(
    key: Key,
    consensus: KeyConsensus<VoterState>,
    { sentAt, pendingSince, isExtended }: ReadingTrigger,
  ) {
    const decision = consensus.evaluate(this.clock.now(), isExtended);
    const isNew = consensus.isPending && consensus.pendingSince !== pendingSince;
    const again = isNew ? this.#voters.up : consensus.listUnreadVoters();
    for (const { watch } of again) watch.enqueueRead(key);
    if (decision === undefined) return undefined;
    const applied = this.#toAppliedReading(decision, sentAt, isExtended);
    this.#forgetIfIdle(key, consensus);
    if (decision.observation.state !== "held") return applied;
    return {
      ...applied,
      context: consensus.hasMajorityFrom("seen")
        ? applied.context
        : { ...applied.context, since: "at_least" as const },
      isInitialScan: applied.isInitialScan || !consensus.hasMajorityFrom("after_initial_scan"),
    };
  }

  /**
   * Returns the result for a key that is still free. Used if the key has no stored votes and its reading is not `held`.
   */
  #concludeFree(key: Key, sentAt: number): AppliedReading {
    const observation = { state: "free", key, asOf: this.clock.now() } as const;
    const decision = { observation, endCause: undefined, wasGone: false, forceRelease: undefined };
    return this.#toAppliedReading(decision, sentAt);
  }

  #toAppliedReading(
    { observation, endCause, wasGone, forceRelease, isSameExtension = false }: ConsensusDecision,
    sentAt: number,
    isExtended = false,
  ): AppliedReading {
    const asOf = this.clock.now();
    const { isInitialScan, ...coverage } = this.#voters.describeCoverage();
    const hold = this.index.get(observation.key);
    return {
      observation,
      context: { wasGone, isExtended, ...coverage },
      endCause,
      ...(forceRelease === undefined || hold === undefined
        ? {}
        : { scriptEvent: toForceReleaseOfHold(forceRelease, hold, asOf) }),
      asOf,
      sentAt,
      isInitialScan,
      isSameExtension,
    };
  }

  /**
   * Reevaluates all keys after a master has connected or disconnected. Works in slices so that the event loop is not
   * blocked while there are many keys.
   */
  async #reevaluateAll(): Promise<void> {
    this.#reevaluation.isOver = true;
    const own = { isOver: false };
    this.#reevaluation = own;
    const keys = [...this.#consensusByKey.keys()];
    for (let from = 0; from < keys.length && !own.isOver; from += REEVALUATION_SLICE) {
      const sentAt = performance.now();
      const settle = (key: Key) => () => {
        const consensus = this.#consensusByKey.get(key);
        if (consensus === undefined) return undefined;
        return this.#evaluateConsensus(key, consensus, { sentAt, pendingSince: consensus.pendingSince });
      };
      this.applyReadings(keys.slice(from, from + REEVALUATION_SLICE).map(settle));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function getVoteBegin({ connection, reconciliation }: MasterWatch): VoteBegin {
  if (connection.seesChanges && reconciliation.isCaughtUp) return "seen";
  return reconciliation.isInitialScan ? "initial_scan" : "unknown";
}
