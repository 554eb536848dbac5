import { setTimeout as sleep } from "node:timers/promises";
import type { HistoryEntry } from "../../../lib/contract/event.ts";
import { runYielding } from "../../concurrency/for-each-yielding.ts";
import type { EventReplay, PublishedEvent } from "../../history/journal.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { Target } from "../../targets/target.ts";
import type { ObservedHold } from "../../watch/holds/observed-hold.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import type { ResponseSink } from "../http/http-exchange.ts";
import { formatSseEvent, formatSseId, formatSseText, isTooFarBehind } from "../http/sse.ts";
import { type DrainLimits, waitUntilDrained } from "../http/wait-until-drained.ts";
import { SnapshotCoverage } from "./snapshot-coverage.ts";
import {
  buildSnapshotPage,
  countSnapshotLocks,
  prepareSnapshot,
  type SnapshotPage,
} from "./snapshot-pages.ts";
import { UnrecordedEvents } from "./unrecorded-events.ts";

/** Maximum number of events per page of a replay. */
const REPLAY_PAGE = 200;
/**
 * Maximum time in ms to wait until the reader's position is known, before the reader gets a snapshot. Longer than the
 * journal takes to load at startup.
 */
const POSITION_WAIT_MS_MAX = 3_000;
const POSITION_POLL_MS = 25;
/**
 * Maximum number of snapshots to send to a reader, before its stream is closed. A reader needs another snapshot if it
 * reads so slowly that events are deleted before they can be replayed.
 */
const SNAPSHOTS_MAX = 4;
const DRAIN_LIMITS: DrainLimits = { bufferedBytesMax: 64 * 1024, stalledMsMax: 30_000 };
/**
 * Limits for the wait until a reader that has fallen too far behind has read its buffered data. The timeout is shorter,
 * because such a reader uses more memory.
 */
const BEHIND_LIMITS: DrainLimits = { ...DRAIN_LIMITS, stalledMsMax: 5_000 };

export interface EventStreamOptions {
  readonly isWanted: (entry: HistoryEntry) => boolean;
  readonly allowedKeys: KeyPatternSet | undefined;
  /** The CPU budget that is charged for the snapshot and the replay. */
  readonly cpu: CpuBudget;
}

/**
 * Sends the events of a target to one reader, in three phases: first a snapshot, if the journal does not know the
 * reader's position; then the recorded events since the snapshot or the position; then new events as they are
 * published. A reader without a position starts in the third phase. In the first two phases, each page is sent after
 * the reader has read the previous page, so memory use does not depend on the number of events. A reader that falls too
 * far behind in the third phase returns to the second phase.
 */
export class EventStream {
  #coverage: SnapshotCoverage | undefined;
  /** Events that were published during the current snapshot or replay and are not recorded yet. */
  #unrecorded: UnrecordedEvents;
  #unsubscribe: () => void = () => undefined;
  #isClosed = false;

  constructor(
    private readonly target: Target,
    private readonly sink: ResponseSink,
    private readonly options: EventStreamOptions,
  ) {
    this.#unrecorded = new UnrecordedEvents(target.journal);
    sink.onClose(() => {
      this.#isClosed = true;
      this.#unrecorded.stop();
      this.#unsubscribe();
    });
  }

  /**
   * Starts the stream and sends the events that the reader has missed. Resolves when these events have been sent or the
   * stream is closed. The stream then continues with new events as they are published.
   *
   * @param lastId id of the last event that the reader has; `undefined` to send only new events
   */
  async run(lastId: string | undefined): Promise<void> {
    const { journal, watcher } = this.target;
    if (lastId !== undefined) await this.#waitForPosition(lastId);
    const { oldest, newest } = journal;
    this.sink.write(formatSseEvent("hello", { oldest, newest, now: watcher.clock.now() }));
    if (lastId === undefined) this.#follow([]);
    else await this.#catchUp(lastId);
  }

  /**
   * Waits until the journal has loaded the event with this id, up to a timeout. Without the wait, the reader would get
   * a snapshot, followed by events that it has already received.
   */
  async #waitForPosition(id: string): Promise<void> {
    const { journal, watcher } = this.target;
    const endsAt = performance.now() + POSITION_WAIT_MS_MAX;
    while (!this.#isClosed && journal.isBehind(id, watcher.clock.now()) && performance.now() < endsAt)
      await sleep(POSITION_POLL_MS);
  }

  /**
   * Sends the events after `from`, preceded by a snapshot if necessary, and then new events as they are published.
   * Closes the stream if a reader needs more than `SNAPSHOTS_MAX` snapshots.
   */
  async #catchUp(from: string | null): Promise<void> {
    let position = from;
    for (let snapshots = 0; !this.#isClosed; snapshots++) {
      if (await this.#replayAndFollow(position, snapshots > 0)) return;
      if (snapshots === SNAPSHOTS_MAX) this.sink.close();
      this.#unrecorded.stop();
      if (this.#isClosed) return;
      this.#unrecorded = new UnrecordedEvents(this.target.journal);
      position = await this.#sendSnapshot();
    }
  }

  /**
   * Sends the recorded events after `from`, and then new events as they are published.
   *
   * @param hasSnapshot whether the reader has received a snapshot. If true, the replay must contain every event since
   * the snapshot
   * @returns false if the reader needs a new snapshot or the stream is closed
   */
  async #replayAndFollow(from: string | null, hasSnapshot: boolean): Promise<boolean> {
    const { journal } = this.target;
    let position = from;
    for (;;) {
      const page: EventReplay = this.#readPage(position);
      if (page.kind === "reset" || (page.kind === "gap" && hasSnapshot)) return false;
      if (page.kind === "gap") this.sink.write(formatSseEvent("gap", { oldest: journal.oldest }));
      if (page.events.length === 0) {
        if (this.#unrecorded.isIncomplete) return false;
        // Runs in the same turn of the event loop as the read of the last page, so that no event is missed in between.
        this.#follow(this.#unrecorded.list());
        return true;
      }
      await this.#runStep(() => {
        for (const entry of page.events) this.#send({ entry, isStored: true, previousId: undefined });
      });
      position = page.events.at(-1)?.id ?? position;
      await this.#waitUntilDrained();
      if (this.#isClosed) return false;
    }
  }

  #readPage(position: string | null): EventReplay {
    const { journal } = this.target;
    if (position !== null) return journal.replayAfter(position, REPLAY_PAGE);
    // No event had been recorded when the snapshot started.
    return { kind: "events", events: journal.listOldest(REPLAY_PAGE) };
  }

  /** Sends a snapshot. @returns the id of the last event recorded before the snapshot, or `null` if there was none */
  async #sendSnapshot(): Promise<string | null> {
    const { journal, watcher } = this.target;
    const { allowedKeys, cpu } = this.options;
    const { newest } = journal;
    const coverage = new SnapshotCoverage(watcher.clock.now());
    this.#coverage = coverage;
    // Without this wait, the snapshot and the stream could both miss an event that is published before its lock is
    // indexed.
    await watcher.waitUntilSettled();
    await prepareSnapshot(this.target, allowedKeys, cpu);
    this.sink.write(formatSseEvent("reset", { newest, total: countSnapshotLocks(this.target, allowedKeys) }));
    let previous: ObservedHold | undefined;
    for (let isLast = false; !isLast && !this.#isClosed; ) {
      const page = await this.#buildPage(previous);
      for (const hold of page.holds) coverage.addHold(hold, watcher.clock.now());
      this.sink.write(formatSseText("snapshot", page.json));
      previous = page.holds.at(-1) ?? previous;
      isLast = page.isLast;
      await this.#waitUntilDrained();
    }
    // After all pages, the reader gets an id from which it can resume. If it reconnects earlier, it sends its old,
    // unknown id and gets a new snapshot.
    if (newest !== null && !this.#isClosed) this.sink.write(formatSseId(newest));
    return newest;
  }

  /**
   * Sends the unrecorded events, and then new events as they are published. The reader must already have the recorded
   * events that it needs.
   */
  #follow(unrecorded: readonly PublishedEvent[]): void {
    const { journal } = this.target;
    this.#unrecorded.stop();
    for (const published of unrecorded) this.#send(published);
    let position = journal.newest;
    this.#unsubscribe = journal.subscribeAll((published) => {
      if (isTooFarBehind(this.sink)) {
        this.#replayFrom(position, published).catch(() => this.sink.close());
        return;
      }
      this.#send(published);
      if (published.isStored) position = published.entry.id;
    });
  }

  /**
   * Replays the recorded events after `position` to a reader that has fallen behind, and then continues with new
   * events. Any reader can fall behind, because thousands of events can be published in one turn of the event loop,
   * during which no data is sent.
   *
   * @param first the first event that was not sent
   */
  async #replayFrom(position: string | null, first: PublishedEvent): Promise<void> {
    this.#unsubscribe();
    this.#unrecorded = new UnrecordedEvents(this.target.journal, first);
    await this.#waitUntilDrained(BEHIND_LIMITS);
    if (!this.#isClosed) await this.#catchUp(position);
  }

  #send({ entry, isStored, previousId }: PublishedEvent): void {
    if (!this.options.isWanted(entry) || this.#coverage?.includes(entry) === true) return;
    if (previousId !== undefined) this.sink.write(formatSseId(entry.id));
    else this.sink.write(formatSseEvent(entry.type, entry, isStored ? entry.id : undefined));
  }

  async #buildPage(previous: ObservedHold | undefined): Promise<SnapshotPage> {
    const { allowedKeys, cpu } = this.options;
    await prepareSnapshot(this.target, allowedKeys, cpu);
    return await this.#runStep(() => buildSnapshotPage(this.target, previous, allowedKeys));
  }

  #runStep<Result>(step: () => Result): Promise<Awaited<Result>> {
    return runYielding(step, this.options.cpu);
  }

  #waitUntilDrained(limits = DRAIN_LIMITS): Promise<void> {
    return waitUntilDrained(this.sink, () => this.#isClosed, limits);
  }
}
