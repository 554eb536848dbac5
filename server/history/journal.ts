import { randomBytes } from "node:crypto";
import {
  END_EVENT_TYPES,
  type HistoryEntry,
  type HistoryOrder,
  isLiveOnly,
  type LockEvent,
  type PastHold,
} from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import { forEachYielding } from "../concurrency/for-each-yielding.ts";
import type { TaskOwner } from "../concurrency/task-owner.ts";
import { compareIds, parseEventId } from "./events/event-id.ts";
import { EventIndex, type EventRetention, findIndex } from "./events/event-index.ts";
import type { EventPublisher, RecordedEntry } from "./events/stream-copy.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { type HistoryPage, HistoryPageBuilder, takeFirst } from "./history-page.ts";
import { findHoldsAt } from "./past-holds.ts";

export type { UnnumberedEvent as Unnumbered } from "./events/stream-entry.ts";
export type { HistoryPage } from "./history-page.ts";

/**
 * The events after an id. `events`: no event is missing. `gap`: some events may have been dropped. `reset`: the client
 * cannot resume with the id, because the id is invalid or after the newest event, or because there are no events.
 */
export type EventReplay =
  | { kind: "events"; events: HistoryEntry[] }
  | { kind: "gap"; events: HistoryEntry[] }
  | { kind: "reset" };

/** An entry as published to readers. */
export interface PublishedEvent {
  readonly entry: HistoryEntry;
  /** Whether the entry is stored. A client can resume the event stream only from the id of a stored entry. */
  readonly isStored: boolean;
  /**
   * The temporary id under which the event was published before it was recorded. `undefined` if the event was not
   * published before.
   */
  readonly previousId: string | undefined;
}

export interface HistoryPageQuery {
  readonly limit: number;
  readonly order: HistoryOrder;
  /** Id after which the page starts, in the requested order. */
  readonly cursor?: string | undefined;
  readonly matches: (entry: HistoryEntry) => boolean;
}

/** Number of entries to read before yielding to the event loop. Most pages are full after this number of entries. */
const ENTRIES_AT_ONCE = 256;

/**
 * Maximum time in ms by which the clock of the home store, which determines event ids, may be ahead of the target's
 * clock.
 */
const CLOCK_DIFFERENCE_MS_MAX = 60_000;

/** The members of a recorder that the journal uses. */
export interface EventObserver {
  /** Whether the events from before this process started have been loaded. */
  readonly isLoaded: boolean;
  recordEvent(event: UnnumberedEvent): void;
  listUnrecordedEvents(key: Key): readonly { readonly event: UnnumberedEvent }[];
}

/** The default retention: about 50,000 entries, for about seven days. */
export const DEFAULT_RETENTION: EventRetention = { most: 50_000, ms: 7 * 86_400_000 };

/**
 * Stores and publishes the events of one target. If a recorder is attached, each observed event is published after it
 * has been recorded, with an id that is the same on all instances. If the recorder cannot record it yet, the event is
 * first published with a temporary id. Without a recorder, events are stored only in memory. Renewals and waits are
 * published but not stored.
 */
export class Journal implements EventPublisher {
  readonly index: EventIndex;
  readonly #boot = randomBytes(4).toString("hex");
  readonly #listeners = new Set<(event: PublishedEvent) => void>();
  readonly #pastEventListeners = new Set<(entries: readonly HistoryEntry[]) => void>();
  #observer: EventObserver | undefined;
  #liveCount = 0;

  constructor(retention: EventRetention = DEFAULT_RETENTION) {
    this.index = new EventIndex(retention);
  }

  /** Attaches a recorder, to which all later events are passed, except those that are never stored. */
  attachRecorder(observer: EventObserver): void {
    this.#observer = observer;
  }

  append(event: UnnumberedEvent): void {
    if (isLiveOnly(event)) this.publishEarly(event);
    else if (this.#observer !== undefined) this.#observer.recordEvent(event);
    else {
      const entry = { id: this.#createNextId(), ...event };
      this.index.add([entry]);
      this.publishRecorded([{ entry, previousId: undefined }]);
    }
  }

  publishEarly(event: UnnumberedEvent): string {
    const id = `live-${this.#boot}-${++this.#liveCount}`;
    this.#publish({ entry: { id, ...event }, isStored: false, previousId: undefined });
    return id;
  }

  publishPast(entries: readonly HistoryEntry[]): void {
    for (const listener of this.#pastEventListeners) listener(entries);
  }

  /**
   * Registers a listener for entries that were already recorded when this instance loaded the history. The listener
   * receives them in pages. Other subscribers do not receive these entries.
   */
  onPastEvents(listener: (entries: readonly HistoryEntry[]) => void): () => void {
    this.#pastEventListeners.add(listener);
    return () => this.#pastEventListeners.delete(listener);
  }

  publishRecorded(entries: readonly RecordedEntry[]): void {
    for (const { entry, previousId } of entries)
      this.#publish({ entry, isStored: true, previousId: previousId });
  }

  /**
   * Subscribes to events. Gap entries are omitted. Each event is delivered only once, when it is published for the
   * first time.
   */
  subscribe(listener: (event: LockEvent) => void): () => void {
    return this.subscribeAll(({ entry, previousId }) => {
      if (previousId === undefined && !isGap(entry)) listener(entry);
    });
  }

  /**
   * Subscribes to all published entries, in order. An event that is published before it is recorded is delivered twice.
   */
  subscribeAll(listener: (event: PublishedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get oldest(): string | null {
    return this.index.oldest;
  }

  get newest(): string | null {
    return this.index.newest;
  }

  listRecent(count: number): HistoryEntry[] {
    return this.index.listRecent(count);
  }

  /** Returns the oldest entries in memory, at most `limit`. */
  listOldest(limit: number): HistoryEntry[] {
    return [...takeFirst(this.index.iterateForwards(), limit)];
  }

  /**
   * Returns the events after an id, oldest first.
   *
   * @param limit maximum number of events
   */
  replayAfter(id: string, limit = Number.POSITIVE_INFINITY): EventReplay {
    const { newest } = this.index;
    if (parseEventId(id) === undefined || newest === null || compareIds(id, newest) > 0)
      return { kind: "reset" };
    const { entries, isTruncated } = this.index.sliceAfter(id, limit);
    return { kind: isTruncated ? "gap" : "events", events: entries };
  }

  /**
   * Returns whether events up to an id may still arrive, because the history is being loaded or another instance has
   * just recorded them.
   *
   * @param now the target's clock in ms
   */
  isBehind(id: string, now: number): boolean {
    const ms = parseEventId(id)?.ms;
    if (ms === undefined || ms > now + CLOCK_DIFFERENCE_MS_MAX || this.#observer === undefined) return false;
    const { newest } = this.index;
    return !this.#observer.isLoaded || newest === null || compareIds(id, newest) > 0;
  }

  /**
   * Returns the newest events of a key, at most `limit`, newest first. `complete` is `false` if older events are
   * omitted or may have been dropped.
   */
  listKeyEvents(key: Key, limit: number): { items: LockEvent[]; complete: boolean } {
    const events = this.index.listByKey(key);
    const complete = events.length <= limit && !this.index.isTruncated;
    return { items: events.slice(-limit).reverse(), complete };
  }

  /** Returns a page of the events and gaps of a key, newest first. */
  listKeyHistory(key: Key, limit: number, before?: string): HistoryPage {
    const page = new HistoryPageBuilder(limit, () => true);
    page.addAll(iterateNewestFirst(this.index.listTimeline(key), before));
    return page.build(!this.index.isTruncated && !this.#isBeforeOldest(before));
  }

  /**
   * Returns a page of the history. A filter with few matches can require reading the whole history, so this function
   * yields to the event loop regularly.
   *
   * @param owner the task owner that is charged for the CPU time
   */
  async listHistory(
    { limit, order, cursor, matches }: HistoryPageQuery,
    owner?: TaskOwner,
  ): Promise<HistoryPage> {
    const entries =
      order === "newest_first" ? this.index.iterateBackwards(cursor) : this.index.iterateForwards(cursor);
    const page = new HistoryPageBuilder(limit, matches);
    page.addAll(takeFirst(entries, ENTRIES_AT_ONCE));
    if (!page.isFull) await forEachYielding(page.readUntilFull(entries), (entry) => page.add(entry), owner);
    return page.build(!this.index.isTruncated && !this.#isBeforeOldest(cursor));
  }

  /** Returns whether a cursor is older than the oldest entry, which is possible after a loss of data. */
  #isBeforeOldest(cursor: string | undefined): boolean {
    const { oldest } = this.index;
    return cursor !== undefined && (oldest === null || compareIds(cursor, oldest) < 0);
  }

  /**
   * Returns the holds of a key at a point in time, each with its end.
   *
   * @param at time in Unix ms on the target's clock
   */
  findHoldsAt(key: Key, at: number): PastHold[] {
    return findHoldsAt(this.index.listTimeline(key), at);
  }

  findLastEnd(key: Key): LockEvent | undefined {
    const kept = this.index.listByKey(key).findLast(isFinalEnd);
    const seen = this.#observer?.listUnrecordedEvents(key).findLast(({ event }) => isFinalEnd(event));
    if (seen === undefined || (kept !== undefined && kept.at >= seen.event.at)) return kept;
    return { id: "", ...seen.event, ...toKeyFields(key) };
  }

  #publish(event: PublishedEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #createNextId(): string {
    const last = parseEventId(this.index.newest ?? "");
    const now = Date.now();
    return last !== undefined && last.ms >= now ? `${last.ms}-${last.seq + 1}` : `${now}-0`;
  }
}

function isFinalEnd({ type, count = 0 }: Pick<LockEvent, "type" | "count">): boolean {
  return END_EVENT_TYPES.has(type) && count === 0;
}

function* iterateNewestFirst(
  entries: readonly HistoryEntry[],
  before: string | undefined,
): Generator<HistoryEntry> {
  const end = before === undefined ? entries.length : findIndex(entries, before);
  for (let at = end - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry !== undefined) yield entry;
  }
}
