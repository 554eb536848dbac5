import type { History, HistoryEntry } from "@/lib/contract/event.ts";
import { idOf, isKept } from "./event-ids.ts";
import type { EventLog } from "./event-log.ts";

/** What stands behind the newest, or the oldest, that is loaded. */
export type NewerSide = "live" | "more" | "loading" | "failed";
export type OlderSide = "more" | "loading" | "failed" | "begins" | "not_kept";

export interface Reading {
  /** Newest first; no event is missing between two of them. */
  readonly entries: readonly HistoryEntry[];
  readonly newer: NewerSide;
  readonly older: OlderSide;
  /** How many that are wanted have come and wait to be shown. */
  readonly waiting: number;
  readonly paused: boolean;
}

export interface Pages {
  /** Older than an id, newest first; without one from the end of the view. */
  before(id: string | undefined): Promise<History>;
  /** Newer than what `before(undefined)` ended with, oldest first; with an id newer than that. */
  after(id: string | undefined): Promise<History>;
}

export interface EventReaderOptions {
  readonly log: EventLog;
  readonly pages: Pages;
  readonly wants: (entry: HistoryEntry) => boolean;
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
  #newer: NewerSide;
  #older: OlderSide = "more";
  /** Where in the log one is to go on. */
  #place = 0;
  #waiting = 0;
  #paused = false;
  /** Somebody looks further down: what is new would push the rows away under their eyes. */
  #standing = false;
  /** Pages that were asked for before are of no use after. */
  #turn = 0;
  /** From where newer pages go on; undefined: after the view's end, as no newer one was asked for yet. */
  #newestAsked: string | undefined;
  /** What stood in the log when a newer page was asked for: all that the page may lack came after it. */
  #joinsFrom = 0;
  #snapshot: Reading;
  #listeners = new Set<() => void>();
  #forgetLog: (() => void) | undefined;

  constructor({ capacity = 5000, ...options }: EventReaderOptions) {
    this.#options = { ...options, capacity };
    this.#newer = options.from === "now" ? "live" : "more";
    if (options.from === "then") this.#place = options.log.from(0).place;
    this.#snapshot = this.#picture();
    if (options.from === "now") this.#takeLog();
  }

  start(): void {
    this.#forgetLog = this.#options.log.subscribe(() => this.#takeLog());
    this.#takeLog();
    if (this.#options.from === "then") this.older();
  }

  stop(): void {
    this.#forgetLog?.();
    this.#turn++;
    // What was on its way is asked for again by whoever starts it again.
    if (this.#older === "loading") this.#older = "more";
    if (this.#newer === "loading") this.#newer = "more";
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Reading => this.#snapshot;

  pause(): void {
    this.#paused = true;
    this.#publish();
  }

  /** Shows what has come meanwhile. */
  resume(): void {
    this.#paused = false;
    this.#takeLog();
    this.#publish();
  }

  /** Whether somebody looks at other rows than the newest. */
  stand(standing: boolean): void {
    if (this.#standing === standing) return;
    this.#standing = standing;
    this.#takeLog();
  }

  /** Lets go of the past, and goes on with what is new. Of a reader that began then, the view ends then: take another. */
  toNow(): void {
    if (this.#options.from === "then") return;
    this.#beginAnew();
    this.#newer = "live";
    this.#place = 0;
    this.#waiting = 0;
    this.#paused = false;
    this.#standing = false;
    this.#takeLog();
    this.#publish();
  }

  older(): void {
    if (this.#older !== "more" && this.#older !== "failed") return;
    this.#older = "loading";
    const oldest = this.#entries.findLast(isKept)?.id;
    this.#ask(this.#options.pages.before(oldest), (page) => this.#tookOlder(page), "older");
  }

  newer(): void {
    if (this.#newer !== "more" && this.#newer !== "failed") return;
    this.#newer = "loading";
    this.#joinsFrom = this.#options.log.from(0).place;
    this.#ask(this.#options.pages.after(this.#newestAsked), (page) => this.#tookNewer(page), "newer");
  }

  #ask(pending: Promise<History>, took: (page: History) => void, side: "older" | "newer"): void {
    const turn = this.#turn;
    this.#publish();
    pending.then(
      (page) => {
        if (turn !== this.#turn) return;
        took(page);
        this.#publish();
      },
      () => {
        if (turn !== this.#turn) return;
        if (side === "older") this.#older = "failed";
        else this.#newer = "failed";
        this.#publish();
      },
    );
  }

  #tookOlder({ items, next, complete }: History): void {
    this.#older = next !== undefined ? "more" : complete ? "begins" : "not_kept";
    const entries = [...this.#entries, ...items.filter(({ id }) => !this.#ids.has(id))];
    const surplus = entries.length - this.#options.capacity;
    if (surplus > 0) {
      entries.splice(0, surplus);
      this.#leaveNow(entries);
    }
    this.#set(entries);
  }

  /** The newest ones are let go: from now on newer ones come in pages. */
  #leaveNow(entries: readonly HistoryEntry[]): void {
    this.#turn++;
    this.#newer = "more";
    this.#newestAsked = entries.find(isKept)?.id;
  }

  #tookNewer({ items, next }: History): void {
    this.#newestAsked = items.findLast(isKept)?.id ?? this.#newestAsked;
    const fresh = items.filter(({ id }) => !this.#ids.has(id)).reverse();
    this.#add(fresh);
    this.#newer = "more";
    if (next === undefined) this.#joinNow();
  }

  /** The last page came: what the stream told since then is in the log. */
  #joinNow(): void {
    const newest = idOf(this.#entries.find(isKept));
    const newestAt = this.#entries[0]?.at ?? 0;
    const { log, wants } = this.#options;
    // Some of what came while the page was on its way has left the log already: it is asked for, too.
    if (!log.from(this.#joinsFrom).isWhole) return;
    const { entries, place } = log.from(0);
    const fresh = entries.filter((entry) => {
      if (this.#ids.has(entry.id) || !wants(entry)) return false;
      const id = idOf(entry);
      return id === undefined || newest === undefined ? entry.at >= newestAt : id > newest;
    });
    this.#place = place;
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
      this.#turn++;
      this.#older = "more";
    }
    this.#set(entries);
  }

  #takeLog(): void {
    const { log, wants } = this.#options;
    this.#rename();
    const { entries, place, isWhole } = log.from(this.#place);
    const fresh = entries.filter((entry) => wants(entry) && !this.#ids.has(entry.id));
    if (this.#newer !== "live" || this.#paused || this.#standing) {
      // What the log has lost by then was there all the same.
      if (this.#newer === "live") this.#waiting = Math.max(this.#waiting, fresh.length);
      else {
        this.#waiting += fresh.length;
        this.#place = place;
      }
    } else {
      const hole = fresh.findLastIndex(({ id }) => log.skippedBefore.get(id) === Number.POSITIVE_INFINITY);
      // What came between is missing: the stretch begins anew, and what is before it is fetched.
      if (!isWhole || hole >= 0) this.#beginAnew();
      this.#place = place;
      this.#waiting = 0;
      const after = fresh.slice(Math.max(0, hole));
      if (after.length > 0) this.#add(after.toReversed());
    }
    this.#publish();
  }

  #beginAnew(): void {
    this.#turn++;
    this.#set([]);
    this.#older = "more";
  }

  #rename(): void {
    const { log } = this.#options;
    if (!this.#entries.some(({ id }) => log.nowCalled(id) !== undefined)) return;
    this.#set(this.#entries.map((entry) => log.nowCalled(entry.id) ?? entry));
  }

  #set(entries: HistoryEntry[]): void {
    this.#entries = entries;
    this.#ids = new Set(entries.map(({ id }) => id));
  }

  #picture(): Reading {
    return {
      entries: this.#entries,
      newer: this.#newer,
      older: this.#older,
      waiting: this.#waiting,
      paused: this.#paused,
    };
  }

  #publish(): void {
    const next = this.#picture();
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
