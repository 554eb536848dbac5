import type { History, HistoryEntry } from "@/lib/contract/event.ts";
import { isStored, toSortableId } from "./event-ids.ts";
import type { EventLog } from "./event-log.ts";

/** What stands behind the newest, or the oldest, that is loaded. */
export type NewerState = "live" | "more" | "loading" | "failed";
export type OlderState = "more" | "loading" | "failed" | "begins" | "not_kept";

export interface EventWindow {
  /** Newest first; no event is missing between two of them. */
  readonly entries: readonly HistoryEntry[];
  readonly newer: NewerState;
  readonly older: OlderState;
  /** How many that are wanted have come and wait to be shown. */
  readonly waiting: number;
  readonly paused: boolean;
}

export interface HistoryPages {
  /** Older than an id, newest first; without one from the end of the view. */
  before(id: string | undefined): Promise<History>;
  /** Newer than what `before(undefined)` ended with, oldest first; with an id newer than that. */
  after(id: string | undefined): Promise<History>;
}

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly pages: HistoryPages;
  readonly matches: (entry: HistoryEntry) => boolean;
  /** now: what comes is shown. then: it begins in the past. */
  readonly from: "now" | "then";
  /** No more are held than so many: what is furthest from where one goes is let go, and fetched again. */
  readonly capacity?: number;
}

/**
 * Reads the events of a target: a whole stretch of them, of bounded length, to which the stream adds at its newest end
 * and pages at both. Knows nothing of React.
 */
export class EventReader {
  #options: EventReaderOptions & { capacity: number };
  /** Newest first. */
  #entries: HistoryEntry[] = [];
  #ids = new Set<string>();
  #newer: NewerState;
  #older: OlderState = "more";
  /** Where in the log one is to go on. */
  #logPosition = 0;
  #waiting = 0;
  #paused = false;
  /** Somebody looks further down: what is new would push the rows away under their eyes. */
  #isScrolledAway = false;
  /** The pointer or the focus is on the rows: a row that moved would take a click meant for another. */
  #isHeldStill = false;
  /** Pages that were asked for before are of no use after. */
  #generation = 0;
  /** From where newer pages go on; undefined: after the view's end, as no newer one was asked for yet. */
  #newestRequestedId: string | undefined;
  /** What stood in the log when a newer page was asked for: all that the page may lack came after it. */
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
    // What was on its way is asked for again by whoever starts it again.
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

  /** Shows what has come meanwhile. */
  resume(): void {
    this.#paused = false;
    this.#readLog({ isAsked: true });
  }

  /** Sets whether the rows must not move. Events that arrive meanwhile are counted in `waiting`. */
  holdStill(isHeldStill: boolean): void {
    if (this.#isHeldStill === isHeldStill) return;
    this.#isHeldStill = isHeldStill;
    this.#readLog();
  }

  /** Whether somebody looks at other rows than the newest. */
  setScrolledAway(isScrolledAway: boolean): void {
    if (this.#isScrolledAway === isScrolledAway) return;
    this.#isScrolledAway = isScrolledAway;
    this.#readLog();
  }

  /** Lets go of the past, and goes on with what is new. Of a reader that began then, the view ends then: take another. */
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

  /** The newest ones are let go: from now on newer ones come in pages. */
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

  /** The last page came: what the stream told since then is in the log. */
  #attachToLive(): void {
    const newest = toSortableId(this.#entries.find(isStored));
    const newestAt = this.#entries[0]?.at ?? 0;
    const { log, matches } = this.#options;
    // Some of what came while the page was on its way has left the log already: it is asked for, too.
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
      // A page that is on its way goes on behind one that is no longer there.
      this.#generation++;
      this.#older = "more";
    }
    this.#setEntries(entries);
  }

  /** @param isAsked the operator asked to see what has arrived */
  #readLog({ isAsked = false } = {}): void {
    const { log, matches } = this.#options;
    // An empty list has no rows to hold still.
    const isHeldStill = this.#isHeldStill && !isAsked && this.#entries.length > 0;
    this.#applyRenames();
    const { entries, place, isWhole } = log.readFrom(this.#logPosition);
    const fresh = entries.filter((entry) => matches(entry) && !this.#ids.has(entry.id));
    if (this.#newer !== "live" || this.#paused || this.#isScrolledAway || isHeldStill) {
      // What the log has lost by then was there all the same.
      if (this.#newer === "live") this.#waiting = Math.max(this.#waiting, fresh.length);
      else {
        this.#waiting += fresh.length;
        this.#logPosition = place;
      }
    } else {
      const hole = fresh.findLastIndex(({ id }) => log.skippedBefore.get(id) === Number.POSITIVE_INFINITY);
      // What came between is missing: the stretch begins anew, and what is before it is fetched.
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
