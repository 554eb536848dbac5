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
 * The events after an id. `events`: all of them. `gap`: some are missing. `reset`: the client cannot resume with this
 * id.
 */
export type EventReplay =
  | { kind: "events"; events: HistoryEntry[] }
  | { kind: "gap"; events: HistoryEntry[] }
  | { kind: "reset" };

/** An entry as published to readers. */
export interface PublishedEvent {
  readonly entry: HistoryEntry;
  /** Whether a client can resume with the id of the entry. */
  readonly isStored: boolean;
  /** The temporary id under which the event was published earlier, before it was recorded. */
  readonly previousId: string | undefined;
}

export interface HistoryPageQuery {
  readonly limit: number;
  readonly order: HistoryOrder;
  /** Only entries after this id, in the requested order. */
  readonly cursor?: string | undefined;
  readonly matches: (entry: HistoryEntry) => boolean;
}

/** Number of entries to read before yielding to other work. Nearly all pages are full by then. */
const ENTRIES_AT_ONCE = 256;

/** Maximum time, in ms, by which the clock that numbers events may be ahead of the target's clock. */
const CLOCK_DIFFERENCE_MS_MAX = 60_000;

/** The part of a recorder that the journal uses. */
export interface EventObserver {
  /** Whether the events from before this process started have been loaded. */
  readonly isLoaded: boolean;
  recordEvent(event: UnnumberedEvent): void;
  listUnrecordedEvents(key: Key): readonly { readonly event: UnnumberedEvent }[];
}

/** The default retention: 50,000 events, for at most seven days. */
export const DEFAULT_RETENTION: EventRetention = { most: 50_000, ms: 7 * 86_400_000 };

/**
 * Publishes the events of one target. With a recorder, publishes each observed event once it is recorded, with the id
 * that all instances share. Without one, stores events only in memory. Renewals and waits are published but not stored.
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

  /** From now on, passes observed events to a recorder. */
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
   * Passes events from before this process started to `listener`, page by page. No other subscribers receive these
   * events.
   */
  onPastEvents(listener: (entries: readonly HistoryEntry[]) => void): () => void {
    this.#pastEventListeners.add(listener);
    return () => this.#pastEventListeners.delete(listener);
  }

  publishRecorded(entries: readonly RecordedEntry[]): void {
    for (const { entry, previousId } of entries)
      this.#publish({ entry, isStored: true, previousId: previousId });
  }

  /** Subscribes to events. Omits gap entries, and delivers each event once, as soon as it is known. */
  subscribe(listener: (event: LockEvent) => void): () => void {
    return this.subscribeAll(({ entry, previousId }) => {
      if (previousId === undefined && !isGap(entry)) listener(entry);
    });
  }

  /** Subscribes to everything that is published, in order. */
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

  /** Returns up to `limit` of the oldest entries in memory. */
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
   * Whether events up to an id may still arrive, because the history is being loaded or another instance has just
   * recorded them.
   *
   * @param now the target's clock in ms
   */
  isBehind(id: string, now: number): boolean {
    const ms = parseEventId(id)?.ms;
    if (ms === undefined || ms > now + CLOCK_DIFFERENCE_MS_MAX || this.#observer === undefined) return false;
    const { newest } = this.index;
    return !this.#observer.isLoaded || newest === null || compareIds(id, newest) > 0;
  }

  /** Returns the events of a key, newest first. */
  listKeyEvents(key: Key, limit: number): { items: LockEvent[]; complete: boolean } {
    const events = this.index.listByKey(key);
    const complete = events.length <= limit && !this.index.isTruncated;
    return { items: events.slice(-limit).reverse(), complete };
  }

  /** Returns the events of a key, newest first, including gaps in which events may be missing. */
  listKeyHistory(key: Key, limit: number, before?: string): HistoryPage {
    const page = new HistoryPageBuilder(limit, () => true);
    page.addAll(iterateNewestFirst(this.index.listTimeline(key), before));
    return page.build(!this.index.isTruncated && !this.#isBeforeOldest(before));
  }

  /**
   * Reads a page of the history. If the filter has few matches, reads the whole history in slices.
   *
   * @param owner the task owner to which the slices are charged
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

  /** Whether a cursor is older than the oldest entry, which can happen after data loss. */
  #isBeforeOldest(cursor: string | undefined): boolean {
    const { oldest } = this.index;
    return cursor !== undefined && (oldest === null || compareIds(cursor, oldest) < 0);
  }

  /** Returns the holds of a key at a point in time on the target's clock, with their ends. */
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
