import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { HistoryEntry } from "../../lib/contract/event.ts";
import type { Key } from "../../lib/keys/key.ts";
import { parseKeyFields } from "../../lib/keys/key.ts";
import type { Election } from "./election.ts";
import { EventAppender } from "./event-appender.ts";
import type { EventIndex } from "./event-index.ts";
import type { EventStore, RecorderStamp, StreamPage } from "./event-store.ts";
import { type ObservedEvent, ObservedEvents } from "./observed-events.ts";
import { isSameChange } from "./recorded-timeline.ts";
import { type EventPublisher, StreamCopy } from "./stream-copy.ts";
import type { UnnumberedEvent } from "./stream-entry.ts";
import { filterUnrecorded } from "./unrecorded-observations.ts";

/** How this instance sees its target. */
export interface ObservationSession {
  /** Whether everything that happens there is observed, as far as can be known. */
  isWhole(): boolean;
  /** The target's clock. */
  now(): number;
}

export interface RecorderTimes {
  readonly pollMs: number;
  /** How long a recorder that says nothing is waited for. */
  readonly leaseMs: number;
  /** How long one whose own observations begin too late lets others go first. */
  readonly giveWayMs: number;
  /** What of the present is not said to be recorded yet: it may still be on its way to us. */
  readonly lagMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };

/** A recorder that has said nothing for this long may be gone, so one's own observations are shown meanwhile. */
const SILENT_MS = 2500;
/** Until connections and the first picture are there. */
const STARTING_POLL_MS = 50;
/** How long the first picture may take before what is observed is shown without it being recorded. */
const START_TIMEOUT_MS = 2000;
const BEAT_MS = 250;
/** A process that stood still for longer has not seen what came and went meanwhile. */
const STALLED_MS = 1500;

/**
 * `leading`: this instance records. `following`: another one does, and is read. `alone`: nobody does, or the home
 * store is away: what is observed is shown at once, and recorded later.
 */
type RecorderMode = "starting" | "leading" | "following" | "alone";

/** Brings what the instances observe of one target into one history, each change once. */
export class Recorder {
  #mode: RecorderMode = "starting";
  readonly #copy: StreamCopy;
  readonly #observedEvents = new ObservedEvents();
  readonly #appender: EventAppender;
  #freeSince: number | undefined;
  #lastStamp: { text: string | null; at: number } = { text: null, at: performance.now() };
  #running: Promise<void> | undefined;
  #lastBeat = { at: performance.now(), wallAt: Date.now() };
  #wake = () => {};
  readonly #startedAt = performance.now();
  readonly #stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    private readonly election: Election,
    private readonly index: EventIndex,
    private readonly session: ObservationSession,
    private readonly publisher: EventPublisher,
    private readonly times: RecorderTimes = RECORDER_TIMES,
    private readonly log?: Logger,
  ) {
    this.#copy = new StreamCopy(store, index, publisher, (entry) => this.#takeShownId(entry));
    this.#appender = new EventAppender(store, this.#copy, election, index, {
      getSettledAt: () => this.session.now() - this.times.lagMs,
      onReplaced: () => this.#stepDown(),
      onFailed: () => this.#goAlone(),
      onRestored: (events) =>
        this.log?.warn(
          { target: store.target, events },
          "the home store had lost events; they are written again",
        ),
    });
  }

  get isLeading(): boolean {
    return this.#mode === "leading";
  }

  /** Whether everything that happens is observed now. */
  get seesAll(): boolean {
    return this.#observedEvents.getCoveredSince(this.session.now()) !== undefined;
  }

  /** Whether another instance's entries are to be read, and after which; undefined while there is nothing to read. */
  get readPosition(): { readonly id: string | null } | undefined {
    return this.isLeading || !this.#copy.isLoaded ? undefined : { id: this.#copy.lastKnownId };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Records what is left, and lets another instance go on at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.isLeading) await this.#appender.flush().catch(() => undefined);
    this.#appender.close();
    await this.election.resign().catch(() => undefined);
  }

  recordEvent(event: UnnumberedEvent): void {
    const observation = this.#observedEvents.add(event, this.session.now());
    if (this.#mode === "alone") observation.shownAs = this.publisher.publishEarly(event);
    if (this.isLeading) this.#appender.add(observation);
  }

  /** What of a key this instance observed last, oldest first, be it recorded or not. */
  listObservedEvents(key: Key): readonly ObservedEvent[] {
    return this.#observedEvents.list(this.session.now()).filter((one) => one.key === key);
  }

  /** Takes in what was read after an entry. */
  applyPage(page: StreamPage): void {
    this.#copy.applyPage(page);
  }

  /** To be told whenever the sight changes, also for a moment. */
  onSessionChange(): void {
    const now = { at: performance.now(), wallAt: Date.now() };
    // The monotonic clock stands still while a machine is suspended.
    const stoodStillMs = Math.max(now.at - this.#lastBeat.at, now.wallAt - this.#lastBeat.wallAt);
    this.#lastBeat = now;
    if (stoodStillMs > STALLED_MS) this.#observedEvents.setWatching(false, this.session.now());
    if (this.#observedEvents.setWatching(this.session.isWhole(), this.session.now())) this.#wake();
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
        this.log?.debug(
          { err: error },
          "the home store does not answer; events are shown without being kept",
        );
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
    const pauseMs =
      this.#mode === "starting" ? Math.min(STARTING_POLL_MS, this.times.pollMs) : this.times.pollMs;
    await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async #continueLeading(): Promise<void> {
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    // Another instance may have seen what we have missed.
    const { recordedUntil } = this.#appender;
    if (covered === undefined || (recordedUntil !== null && covered > recordedUntil)) {
      await this.#appender.flush();
      this.#stepDown();
      await this.election.resign();
      return;
    }
    if (!(await this.election.renew())) return this.#stepDown();
    if (performance.now() - this.#appender.flushedAt > this.times.pollMs) await this.#appender.flush();
  }

  async #checkLeader(): Promise<void> {
    const stamp = await this.store.readStamp();
    const now = performance.now();
    if (stamp.text !== this.#lastStamp.text) this.#lastStamp = { text: stamp.text, at: now };
    if (stamp.leader !== null && !this.election.isOwnToken(stamp.leader)) {
      this.#freeSince = undefined;
      if (now - this.#lastStamp.at > SILENT_MS) this.#goAlone();
      else this.#mode = "following";
      return;
    }
    this.#freeSince ??= now;
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    const leavesGap = covered !== undefined && stamp.until !== null && covered > stamp.until;
    const mayLead = covered !== undefined && (!leavesGap || now - this.#freeSince >= this.times.giveWayMs);
    if (mayLead && (await this.election.campaign())) await this.#takeOver(stamp);
    else this.#goAlone();
  }

  /** Nobody else appends from now on. What stands there is read to its end, and the story goes on behind it. */
  async #takeOver(before: RecorderStamp): Promise<void> {
    await this.#copy.readToEnd();
    const covered = this.#observedEvents.getCoveredSince(this.session.now());
    if (covered === undefined) return;
    const { target } = this.store;
    const from = before.until;
    const gap =
      from !== null && covered > from
        ? { target, type: "gap" as const, at: covered, from, to: covered }
        : undefined;
    const unrecorded = filterUnrecorded(
      this.#observedEvents.list(this.session.now()),
      this.index,
      gap !== undefined,
    );
    this.#appender.open(gap === undefined && from !== null ? from : covered, gap, unrecorded);
    this.#freeSince = undefined;
    this.#mode = "leading";
    await this.#appender.flush();
  }

  #stepDown(): void {
    this.#mode = "following";
    this.#appender.close();
  }

  #goAlone(): void {
    if (this.#mode === "starting" && performance.now() - this.#startedAt < START_TIMEOUT_MS) return;
    const wasAlone = this.#mode === "alone";
    this.#mode = "alone";
    this.#appender.close();
    if (wasAlone) return;
    for (const observation of filterUnrecorded(
      this.#observedEvents.list(this.session.now()),
      this.index,
      false,
    ))
      observation.shownAs ??= this.publisher.publishEarly(observation.event);
  }

  #takeShownId(entry: HistoryEntry): string | undefined {
    if (entry.type === "gap") return undefined;
    const key = parseKeyFields(entry);
    const shown = this.#observedEvents
      .list(this.session.now())
      .find((one) => one.shownAs !== undefined && one.key === key && isSameChange(one.event, entry));
    const was = shown?.shownAs;
    if (shown !== undefined) shown.shownAs = undefined;
    return was;
  }
}
