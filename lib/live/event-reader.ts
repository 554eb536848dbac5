import type { History, HistoryEntry } from "@/lib/contract/event.ts";
import { isStored, toSortableId } from "./event-ids.ts";
import type { EventLog } from "./event-log.ts";

/** The state of the events after the newest loaded event. */
export type NewerState = "live" | "more" | "loading" | "failed";
/** The state of the events before the oldest loaded event. `begins`: there are none. `not_kept`: they were deleted. */
export type OlderState = "more" | "loading" | "failed" | "begins" | "not_kept";

export interface EventWindow {
  /** Newest first and contiguous. */
  readonly entries: readonly HistoryEntry[];
  readonly newer: NewerState;
  readonly older: OlderState;
  /** Number of matching events that have arrived but are not shown yet. */
  readonly waiting: number;
  readonly paused: boolean;
}

export interface HistoryPages {
  /** Loads events before an id, newest first. Without an id, loads events from the end of the view. */
  before(id: string | undefined): Promise<History>;
  /** Loads events after an id, oldest first. Without an id, loads events after the end of `before(undefined)`. */
  after(id: string | undefined): Promise<History>;
}

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly pages: HistoryPages;
  readonly matches: (entry: HistoryEntry) => boolean;
  /** Where the view starts. `now`: at the newest events, and new events are added. `then`: in the past. */
  readonly from: "now" | "then";
  /**
   * Maximum number of loaded events. Surplus events are dropped at the end from which the user scrolls away, and loaded
   * again when needed.
   */
  readonly capacity?: number;
}

/**
 * Holds a contiguous range of a target's events, limited in size. The stream adds events at the newest end, and pages
 * add events at both ends. Does not depend on React.
 */
export class EventReader {
  #options: EventReaderOptions & { capacity: number };
  /** Newest first. */
  #entries: HistoryEntry[] = [];
  #ids = new Set<string>();
  #newer: NewerState;
  #older: OlderState = "more";
  /** The position in the log at which to continue. */
  #logPosition = 0;
  #waiting = 0;
  #paused = false;
  /** Whether the user has scrolled down. New rows would then move the rows that the user reads. */
  #isScrolledAway = false;
  /**
   * Whether the pointer or the focus is on the rows. Rows must not move then, because a click could hit the wrong row.
   */
  #isHeldStill = false;
  /** Incremented to invalidate pages that are loading. */
  #generation = 0;
  /**
   * The id after which the next page of newer events starts. `undefined` until a page was requested; the first page
   * starts at the end of the view.
   */
  #newestRequestedId: string | undefined;
  /**
   * The position in the log at which the newer page was requested. Events missing from the page are after this
   * position.
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
    // After a restart, requests pages again that were loading.
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

  /** Shows the events that arrived during the pause. */
  resume(): void {
    this.#paused = false;
    this.#readLog({ isAsked: true });
  }

  /** Sets whether the rows must stay in place. While they must, `waiting` counts events that arrive. */
  holdStill(isHeldStill: boolean): void {
    if (this.#isHeldStill === isHeldStill) return;
    this.#isHeldStill = isHeldStill;
    this.#readLog();
  }

  /** Sets whether the user has scrolled away from the newest rows. */
  setScrolledAway(isScrolledAway: boolean): void {
    if (this.#isScrolledAway === isScrolledAway) return;
    this.#isScrolledAway = isScrolledAway;
    this.#readLog();
  }

  /**
   * Drops past events and continues with new ones. Has no effect on a reader with `from: "then"`; create a new reader
   * in that case.
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

  /** Stops following live events, because the newest entries were dropped. From then on, newer events load as pages. */
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
   * Follows live events after the last page has arrived. The log contains the events that are missing from the page.
   */
  #attachToLive(): void {
    const newest = toSortableId(this.#entries.find(isStored));
    const newestAt = this.#entries[0]?.at ?? 0;
    const { log, matches } = this.#options;
    // The log has dropped events that arrived while the page was loading, so another page is needed.
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
      // A page that is loading would continue after an event that was dropped.
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
      // Keeps counting events that the log has dropped.
      if (this.#newer === "live") this.#waiting = Math.max(this.#waiting, fresh.length);
      else {
        this.#waiting += fresh.length;
        this.#logPosition = place;
      }
    } else {
      const hole = fresh.findLastIndex(({ id }) => log.skippedBefore.get(id) === Number.POSITIVE_INFINITY);
      // Events are missing. The range starts again, and earlier events are loaded.
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
