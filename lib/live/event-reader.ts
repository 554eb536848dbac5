import type { History, HistoryEntry } from "@/lib/contract/event.ts";
import { isStored, toSortableId } from "./event-ids.ts";
import type { EventLog } from "./event-log.ts";

/**
 * The state of the newer end of the loaded range. `live`: new events are added as they arrive. `more`: newer events can
 * be loaded.
 */
export type NewerState = "live" | "more" | "loading" | "failed";
/**
 * The state of the older end of the loaded range. `more`: older events can be loaded. `begins`: there are no older
 * events. `not_kept`: older events were deleted.
 */
export type OlderState = "more" | "loading" | "failed" | "begins" | "not_kept";

export interface EventWindow {
  /** The loaded entries, newest first and contiguous. */
  readonly entries: readonly HistoryEntry[];
  readonly newer: NewerState;
  readonly older: OlderState;
  /** Number of matching events that have arrived but are not shown yet. */
  readonly waiting: number;
  readonly paused: boolean;
}

export interface HistoryPages {
  /**
   * Loads the events before an id, newest first. Without an id, starts where the view starts
   * (`EventReaderOptions.from`).
   */
  before(id: string | undefined): Promise<History>;
  /** Loads the events after an id, oldest first. Without an id, starts where `before(undefined)` starts. */
  after(id: string | undefined): Promise<History>;
}

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly pages: HistoryPages;
  readonly matches: (entry: HistoryEntry) => boolean;
  /**
   * Where the view starts. `now`: at the newest events, to which new events are added. `then`: at a time in the past.
   */
  readonly from: "now" | "then";
  /**
   * Maximum number of loaded events; 5,000 by default. Surplus events are dropped at the end that is farther from the
   * events just loaded, and loaded again when needed.
   */
  readonly capacity?: number;
}

/**
 * Holds a contiguous range, of limited size, of the events in a target that match a filter. The stream adds events at
 * the newer end. Pages that are loaded from the server add events at both ends. Does not depend on React.
 */
export class EventReader {
  #options: EventReaderOptions & { capacity: number };
  /** The loaded entries, newest first. */
  #entries: HistoryEntry[] = [];
  #ids = new Set<string>();
  #newer: NewerState;
  #older: OlderState = "more";
  /** Position in the log at which to continue reading. */
  #logPosition = 0;
  #waiting = 0;
  #paused = false;
  /**
   * Whether the user has scrolled away from the newest rows. New rows would then move the rows that the user is
   * reading.
   */
  #isScrolledAway = false;
  /**
   * Whether the pointer or the focus is on the rows. The rows must then stay in place, because a click could hit the
   * wrong row.
   */
  #isHeldStill = false;
  /** Incremented to invalidate pages that are loading. */
  #generation = 0;
  /**
   * Id of the event after which the next page of newer events starts. `undefined` for the first page, which starts
   * where the view starts.
   */
  #newestRequestedId: string | undefined;
  /**
   * End of the log when the last page of newer events was requested. Events that are missing from the page are after
   * this position in the log.
   */
  #attachPosition = 0;
  #snapshot: EventWindow;
  #listeners = new Set<() => void>();
  #unsubscribeLog: (() => void) | undefined;

  constructor({ capacity = 5000, ...options }: EventReaderOptions) {
    this.#options = { ...options, capacity };
    this.#newer = options.from === "now" ? "live" : "more";
    if (options.from === "then") this.#logPosition = options.log.readFrom(0).place;
    this.#snapshot = this.#createSnapshot();
    if (options.from === "now") this.#readLog();
  }

  start(): void {
    this.#unsubscribeLog = this.#options.log.subscribe(() => this.#readLog());
    this.#readLog();
    if (this.#options.from === "then") this.loadOlder();
  }

  stop(): void {
    this.#unsubscribeLog?.();
    this.#generation++;
    // If the reader is started again, the pages that were loading are requested again.
    if (this.#older === "loading") this.#older = "more";
    if (this.#newer === "loading") this.#newer = "more";
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): EventWindow => this.#snapshot;

  pause(): void {
    this.#paused = true;
    this.#publish();
  }

  /** Ends the pause. Shows the events that arrived during the pause, unless the user has scrolled away. */
  resume(): void {
    this.#paused = false;
    this.#readLog({ isAsked: true });
  }

  /**
   * Sets whether the rows must stay in place. While they must, events that arrive are counted in `waiting` and not
   * shown.
   */
  holdStill(isHeldStill: boolean): void {
    if (this.#isHeldStill === isHeldStill) return;
    this.#isHeldStill = isHeldStill;
    this.#readLog();
  }

  /**
   * Sets whether the user has scrolled away from the newest rows. If so, events that arrive are counted in `waiting`
   * and not shown.
   */
  setScrolledAway(isScrolledAway: boolean): void {
    if (this.#isScrolledAway === isScrolledAway) return;
    this.#isScrolledAway = isScrolledAway;
    this.#readLog();
  }

  /**
   * Replaces the loaded events with the events in the log, and shows new events as they arrive. Has no effect on a
   * reader with `from: "then"`. To replace such a reader, create a new one.
   */
  jumpToNow(): void {
    if (this.#options.from === "then") return;
    this.#restart();
    this.#newer = "live";
    this.#logPosition = 0;
    this.#waiting = 0;
    this.#paused = false;
    this.#isScrolledAway = false;
    this.#readLog();
    this.#publish();
  }

  loadOlder(): void {
    if (this.#older !== "more" && this.#older !== "failed") return;
    this.#older = "loading";
    const oldest = this.#entries.findLast(isStored)?.id;
    this.#loadPage(this.#options.pages.before(oldest), (page) => this.#addOlderPage(page), "older");
  }

  loadNewer(): void {
    if (this.#newer !== "more" && this.#newer !== "failed") return;
    this.#newer = "loading";
    this.#attachPosition = this.#options.log.readFrom(0).place;
    this.#loadPage(
      this.#options.pages.after(this.#newestRequestedId),
      (page) => this.#addNewerPage(page),
      "newer",
    );
  }

  #loadPage(pending: Promise<History>, onPage: (page: History) => void, side: "older" | "newer"): void {
    const turn = this.#generation;
    this.#publish();
    pending.then(
      (page) => {
        if (turn !== this.#generation) return;
        onPage(page);
        this.#publish();
      },
      () => {
        if (turn !== this.#generation) return;
        if (side === "older") this.#older = "failed";
        else this.#newer = "failed";
        this.#publish();
      },
    );
  }

  #addOlderPage({ items, next, complete }: History): void {
    this.#older = next !== undefined ? "more" : complete ? "begins" : "not_kept";
    const entries = [...this.#entries, ...items.filter(({ id }) => !this.#ids.has(id))];
    const surplus = entries.length - this.#options.capacity;
    if (surplus > 0) {
      entries.splice(0, surplus);
      this.#detachFromLive(entries);
    }
    this.#setEntries(entries);
  }

  /** Stops adding live events, because the newest entries were dropped. Newer events are then loaded as pages. */
  #detachFromLive(entries: readonly HistoryEntry[]): void {
    this.#generation++;
    this.#newer = "more";
    this.#newestRequestedId = entries.find(isStored)?.id;
  }

  #addNewerPage({ items, next }: History): void {
    this.#newestRequestedId = items.findLast(isStored)?.id ?? this.#newestRequestedId;
    const fresh = items.filter(({ id }) => !this.#ids.has(id)).reverse();
    this.#add(fresh);
    this.#newer = "more";
    if (next === undefined) this.#attachToLive();
  }

  /**
   * Starts to add live events after the last page has arrived. Also adds the events from the log that the page does not
   * contain. Does nothing if the log has already dropped events that arrived while the page was loading.
   */
  #attachToLive(): void {
    const newest = toSortableId(this.#entries.find(isStored));
    const newestAt = this.#entries[0]?.at ?? 0;
    const { log, matches } = this.#options;
    // The log has already dropped events that arrived while the page was loading. Another page must be loaded.
    if (!log.readFrom(this.#attachPosition).isWhole) return;
    const { entries, place } = log.readFrom(0);
    const fresh = entries.filter((entry) => {
      if (this.#ids.has(entry.id) || !matches(entry)) return false;
      const id = toSortableId(entry);
      return id === undefined || newest === undefined ? entry.at >= newestAt : id > newest;
    });
    this.#logPosition = place;
    this.#newer = "live";
    this.#waiting = 0;
    this.#add(fresh.toReversed());
  }

  /** @param fresh newest first */
  #add(fresh: readonly HistoryEntry[]): void {
    const entries = [...fresh, ...this.#entries];
    const surplus = entries.length - this.#options.capacity;
    if (surplus > 0) {
      entries.length = this.#options.capacity;
      // Ignores a page that is loading, because it would continue after an event that was dropped.
      this.#generation++;
      this.#older = "more";
    }
    this.#setEntries(entries);
  }

  /** @param isAsked whether the user requested the new events */
  #readLog({ isAsked = false } = {}): void {
    const { log, matches } = this.#options;
    // An empty list has no rows to keep in place.
    const isHeldStill = this.#isHeldStill && !isAsked && this.#entries.length > 0;
    this.#applyRenames();
    const { entries, place, isWhole } = log.readFrom(this.#logPosition);
    const fresh = entries.filter((entry) => matches(entry) && !this.#ids.has(entry.id));
    if (this.#newer !== "live" || this.#paused || this.#isScrolledAway || isHeldStill) {
      // The count includes events that the log has already dropped.
      if (this.#newer === "live") this.#waiting = Math.max(this.#waiting, fresh.length);
      else {
        this.#waiting += fresh.length;
        this.#logPosition = place;
      }
    } else {
      const hole = fresh.findLastIndex(({ id }) => log.skippedBefore.get(id) === Number.POSITIVE_INFINITY);
      // If events are missing, the range is cleared and starts again, because it must be contiguous.
      if (!isWhole || hole >= 0) this.#restart();
      this.#logPosition = place;
      this.#waiting = 0;
      const after = fresh.slice(Math.max(0, hole));
      if (after.length > 0) this.#add(after.toReversed());
    }
    this.#publish();
  }

  #restart(): void {
    this.#generation++;
    this.#setEntries([]);
    this.#older = "more";
  }

  #applyRenames(): void {
    const { log } = this.#options;
    if (!this.#entries.some(({ id }) => log.findRenamed(id) !== undefined)) return;
    this.#setEntries(this.#entries.map((entry) => log.findRenamed(entry.id) ?? entry));
  }

  #setEntries(entries: HistoryEntry[]): void {
    this.#entries = entries;
    this.#ids = new Set(entries.map(({ id }) => id));
  }

  #createSnapshot(): EventWindow {
    return {
      entries: this.#entries,
      newer: this.#newer,
      older: this.#older,
      waiting: this.#waiting,
      paused: this.#paused,
    };
  }

  #publish(): void {
    const next = this.#createSnapshot();
    const known = this.#snapshot;
    if (
      next.entries === known.entries &&
      next.newer === known.newer &&
      next.older === known.older &&
      next.waiting === known.waiting &&
      next.paused === known.paused
    )
      return;
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}
