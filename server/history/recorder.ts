import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Key } from "../../lib/keys/key.ts";
import { EarlyPublisher } from "./early-publisher.ts";
import type { Election } from "./election.ts";
import { EventAppender } from "./event-appender.ts";
import type { EventIndex } from "./events/event-index.ts";
import type { EventStore, RecorderStamp, StreamPage } from "./events/event-store.ts";
import { type EventPublisher, StreamCopy } from "./events/stream-copy.ts";
import type { UnnumberedEvent, UnnumberedGap } from "./events/stream-entry.ts";
import { type ObservedEvent, ObservedEvents } from "./observed-events.ts";
import { RecordedCoverage } from "./recorded-coverage.ts";
import { type ObservationSession, RECORDER_TIMES, type RecorderTimes } from "./recorder-options.ts";
import { StallClock } from "./stall-clock.ts";
import { matchRecordedEntry, UnrecordedSearch } from "./unrecorded-observations.ts";

/**
 * Time in ms without a new stamp after which the recorder may have failed. Observations are then published before they
 * are recorded.
 */
const SILENT_MS = 2500;
/** Poll interval in ms until the connections and the first snapshot are ready. */
const STARTING_POLL_MS = 50;
/** Time limit in ms for the first snapshot. After that, observations are published without being recorded. */
const START_TIMEOUT_MS = 2000;
const BEAT_MS = 250;
/** Minimum time in ms for which the process did not run before it must assume that it has missed changes. */
const STALLED_MS = 1500;

/**
 * The role of this instance. `leading`: this instance is the recorder. `following`: another instance is the recorder,
 * and this instance reads its entries. `alone`: there is no recorder or the home store is unreachable, so events are
 * published immediately and recorded later.
 */
type RecorderMode = "starting" | "leading" | "following" | "alone";

/**
 * Records the observations of this instance in the history of a target. All instances write to the same history, in
 * which each change appears only once.
 */
export class Recorder {
  #mode: RecorderMode = "starting";
  readonly #copy: StreamCopy;
  readonly #observedEvents = new ObservedEvents();
  readonly #coverage = new RecordedCoverage();
  readonly #earlyPublisher: EarlyPublisher;
  readonly #appender: EventAppender;
  #freeSince: number | undefined;
  #lastStamp: { text: string | null; at: number } = { text: null, at: performance.now() };
  #running: Promise<void> | undefined;
  readonly #beats = new StallClock();
  #wake = () => {};
  readonly #startedAt = performance.now();
  readonly #stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    private readonly election: Election,
    private readonly index: EventIndex,
    private readonly session: ObservationSession,
    publisher: EventPublisher,
    private readonly times: RecorderTimes = RECORDER_TIMES,
    private readonly log?: Logger,
  ) {
    this.#copy = new StreamCopy(store, index, publisher, (entry) =>
      matchRecordedEntry(entry, this.#observedEvents),
    );
    this.#earlyPublisher = new EarlyPublisher(this.#observedEvents, index, publisher);
    this.#appender = new EventAppender(store, this.#copy, election, index, {
      getSettledAt: () => this.#getSettledAt(),
      onAppended: (until) => this.#coverage.recordAppended(until),
      onRecorded: (observation) => this.#observedEvents.markRecorded(observation),
      onReplaced: () => this.#stepDown(),
      onFailed: () => this.#goAlone(),
      onRestored: (events) =>
        this.log?.warn(
          { target: store.target, events },
          "The home store had lost events. They were written again",
        ),
    });
  }

  get isLeading(): boolean {
    return this.#mode === "leading";
  }

  /** Whether the events from before this process started have been loaded. */
  get isLoaded(): boolean {
    return this.#copy.isLoaded;
  }

  /** Whether another instance is known to be the recorder. */
  get isFollowing(): boolean {
    return this.#mode === "following";
  }

  /** Whether this instance currently observes all changes on the target. */
  get seesAll(): boolean {
    return this.#observedEvents.getCoveredSince(this.session.now()) !== undefined;
  }

  /**
   * The id after which entries from other instances must be read. `undefined` if this instance is the recorder or has
   * not loaded the history yet.
   */
  get readPosition(): { readonly id: string | null } | undefined {
    return this.isLeading || !this.#copy.isLoaded ? undefined : { id: this.#copy.lastKnownId };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Stops recording. If this instance is the recorder, records the pending events and resigns, so that another instance
   * can continue immediately.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#earlyPublisher.stop();
    if (this.isLeading) await this.#appender.flush().catch(() => undefined);
    this.#appender.close();
    await this.election.resign().catch(() => undefined);
  }

  recordEvent(event: UnnumberedEvent): void {
    const observation = this.#observedEvents.add(event, this.session.now());
    if (this.#mode === "alone") this.#earlyPublisher.publish(observation);
    if (this.isLeading) this.#appender.add(observation);
  }

  /** Returns the observations of a key that were neither recorded nor found in the history, oldest first. */
  listUnrecordedEvents(key: Key): readonly ObservedEvent[] {
    return [...(this.#observedEvents.getUnrecorded(key) ?? [])];
  }

  /** Applies a page of the stream that was read after `readPosition`. */
  applyPage(page: StreamPage): void {
    this.#copy.applyPage(page);
  }

  /** Updates whether the target is fully observed. Must be called for every session change, however brief. */
  onSessionChange(): void {
    if (this.#beats.restart() > STALLED_MS) this.#observedEvents.setWatching(false, this.session.now());
    if (this.#observedEvents.setWatching(this.session.isWhole(), this.session.now())) this.#wake();
  }

  /** Records that this instance may have missed changes since `from`, in Unix ms on the target's clock. */
  recordMiss(from: number): void {
    this.#coverage.recordMiss(from, this.session.now());
    this.#observedEvents.setWatching(false, this.session.now());
    this.onSessionChange();
  }

  async #run(): Promise<void> {
    const beats = setInterval(() => this.onSessionChange(), BEAT_MS);
    beats.unref();
    while (!this.#stopping.signal.aborted) {
      try {
        this.onSessionChange();
        if (!this.#copy.isLoaded) await this.#copy.load();
        if (this.isLeading) await this.#continueLeading();
        else await this.#checkLeader();
      } catch (error) {
        this.log?.debug({ err: error }, "The home store is not responding. Events are shown unrecorded.");
        this.#goAlone();
      }
      await this.#pause();
    }
    clearInterval(beats);
  }

  async #pause(): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const signal = AbortSignal.any([woken.signal, this.#stopping.signal]);
    const { pollMs } = this.times;
    const pauseMs = this.#mode === "starting" ? Math.min(STARTING_POLL_MS, pollMs) : pollMs;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async #continueLeading(): Promise<void> {
    // Another instance may have observed the changes that this instance has missed, so it should become the recorder.
    if (!this.#isObservedSinceRecorded()) {
      await this.#appender.flush();
      this.#stepDown();
      await this.election.resign();
      return;
    }
    if (!(await this.election.renew())) return this.#stepDown();
    if (performance.now() - this.#appender.flushedAt > this.times.pollMs) await this.#appender.flush();
  }

  /** Returns whether this instance has observed all changes since the time up to which the history is recorded. */
  #isObservedSinceRecorded(): boolean {
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    const { recordedUntil } = this.#appender;
    return covered !== undefined && (recordedUntil === null || covered <= recordedUntil);
  }

  /**
   * Returns the time up to which all events have arrived, in Unix ms on the target's clock. Returns `-Infinity` if this
   * instance has missed a period, because that period must not be marked as recorded.
   */
  #getSettledAt(): number {
    if (!this.#isObservedSinceRecorded()) return Number.NEGATIVE_INFINITY;
    return this.session.now() - this.times.lagMs - this.#beats.elapsedMs;
  }

  async #checkLeader(): Promise<void> {
    const stamp = await this.store.readStamp();
    const now = performance.now();
    this.#coverage.recordStamp(stamp, this.#copy.lastKnownId);
    if (stamp.text !== this.#lastStamp.text) this.#lastStamp = { text: stamp.text, at: now };
    if (stamp.leader !== null && !this.election.isOwnToken(stamp.leader)) {
      this.#freeSince = undefined;
      if (now - this.#lastStamp.at > SILENT_MS) this.#goAlone();
      else this.#enterMode("following");
      return;
    }
    this.#freeSince ??= now;
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    const canLead =
      covered !== undefined &&
      (!this.#leavesGap(stamp, covered) || now - this.#freeSince >= this.times.giveWayMs);
    if (canLead && (await this.election.campaign())) await this.#takeOver(stamp);
    else this.#goAlone();
  }

  #leavesGap({ until }: RecorderStamp, covered: number): boolean {
    const recordedUntil = Math.max(until ?? 0, this.#coverage.until ?? 0);
    return recordedUntil > 0 && covered > recordedUntil;
  }

  /**
   * Starts recording once this instance has been elected recorder. No other instance can append from then on, so reads
   * the stream to its end and continues there.
   */
  async #takeOver(stamp: RecorderStamp): Promise<void> {
    await this.#copy.readToEnd();
    this.#coverage.recordStamp(stamp, this.#copy.lastKnownId);
    const expected = this.#findStart();
    if (expected === undefined) return;
    const isAfterGap = expected.gap !== undefined;
    const search = new UnrecordedSearch(this.#observedEvents, this.index, isAfterGap);
    await search.compare(this.session.now());
    const start = this.#findStart();
    // If this instance has missed changes meanwhile, it tries again later.
    if (start === undefined || (start.gap !== undefined) !== isAfterGap) return;
    this.#appender.open(start.until, start.gap, search.finish(this.session.now()));
    this.#freeSince = undefined;
    this.#enterMode("leading");
    await this.#appender.flush();
  }

  /**
   * Returns the time up to which the history is recorded, and the gap to record first. Returns `undefined` while the
   * target is not fully observed.
   */
  #findStart(): { until: number; gap: UnnumberedGap | undefined } | undefined {
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    if (covered === undefined) return undefined;
    const gap = this.#coverage.findGap(this.store.target, covered);
    return { until: gap?.to ?? this.#coverage.until ?? covered, gap };
  }

  #stepDown(): void {
    this.#enterMode("following");
    this.#appender.close();
  }

  #goAlone(): void {
    if (this.#mode === "starting" && performance.now() - this.#startedAt < START_TIMEOUT_MS) return;
    const wasAlone = this.#mode === "alone";
    this.#enterMode("alone");
    this.#appender.close();
    if (wasAlone) return;
    this.#earlyPublisher
      .start(() => this.session.now())
      .catch((error) => {
        this.#earlyPublisher.stop();
        this.log?.error({ err: error }, "Unrecorded events could not be published.");
      });
  }

  #enterMode(mode: RecorderMode): void {
    if (mode !== "alone") this.#earlyPublisher.stop();
    this.#mode = mode;
  }
}
