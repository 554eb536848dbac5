import type { HistoryEntry } from "@/lib/contract/event.ts";

export interface EventSnapshot {
  /** The latest events, oldest first. Does not change while the log is paused. */
  events: readonly HistoryEntry[];
  paused: boolean;
  /** Number of events that have arrived since the log was paused; 0 if the log is not paused. */
  missed: number;
  /**
   * Number of events that the stream skipped before each event, by event id. Infinity if an unknown number of events
   * may have been missed while there was no connection.
   */
  skippedBefore: ReadonlyMap<string, number>;
}

export interface EventLogSlice {
  /** The entries from the requested position to the end of the log, oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** The position after the last entry, from which to continue reading. */
  readonly place: number;
  /** Whether all entries since the requested position are returned. False if some of them were dropped. */
  readonly isWhole: boolean;
}

/** Maximum number of recent events that the stream sends at the start of a connection. */
export const RECENT_EVENTS_MAX = 200;

const EMPTY_SNAPSHOT: EventSnapshot = { events: [], paused: false, missed: 0, skippedBefore: new Map() };

export interface EventLogOptions {
  capacity?: number;
  /**
   * Schedules `run`, which notifies the listeners; by default, after 100 ms. The delay limits the number of renders
   * when thousands of events arrive per second.
   */
  schedule?: (run: () => void) => void;
}

/** Holds the latest events from the stream. Drops duplicates, which the stream sends after a reconnect. */
export class EventLog {
  #capacity: number;
  #schedule: (run: () => void) => void;
  #events: HistoryEntry[] = [];
  #ids = new Set<string>();
  /** Recorded events by their previous id. An event gets a new id when it is recorded. */
  #renamed = new Map<string, HistoryEntry>();
  /** Number of dropped events, which is also the position of the first remaining event. */
  #droppedCount = 0;
  #skippedBefore = new Map<string, number>();
  /** Number of events that the stream has skipped since the last event arrived. */
  #skipped = 0;
  #snapshot = EMPTY_SNAPSHOT;
  #listeners = new Set<() => void>();
  #scheduled = false;
  #paused = false;
  #missed = 0;

  constructor({ capacity = 2000, schedule = (run) => setTimeout(run, 100) }: EventLogOptions = {}) {
    this.#capacity = capacity;
    this.#schedule = schedule;
  }

  /**
   * Adds the recent events that the stream sends at the start of a connection. Earlier events can be missing if the log
   * is not empty and contains none of `events`, and if `events` has at least `RECENT_EVENTS_MAX` entries. The number of
   * skipped events before `events` is then Infinity.
   */
  addRecent(events: readonly HistoryEntry[]): void {
    const isJoined = events.some(({ id }) => this.#ids.has(id));
    const mayMiss = !isJoined && this.#events.length > 0 && events.length >= RECENT_EVENTS_MAX;
    this.add(events, mayMiss ? Number.POSITIVE_INFINITY : 0);
  }

  /**
   * Adds events. Ignores events that are already in the log.
   *
   * @param skipped number of events that the stream skipped before `events`
   */
  add(events: readonly HistoryEntry[], skipped = 0): void {
    this.#skipped += skipped;
    const fresh = events.filter((event) => !this.#ids.has(event.id) && !this.#replaceRenamed(event));
    const [first] = fresh;
    if (first === undefined) return;
    if (this.#skipped > 0) this.#skippedBefore.set(first.id, this.#skipped);
    this.#skipped = 0;
    for (const event of fresh) {
      this.#ids.add(event.id);
      this.#events.push(event);
    }
    const surplus = this.#events.length - this.#capacity;
    for (const entry of surplus > 0 ? this.#events.splice(0, surplus) : []) {
      this.#droppedCount++;
      this.#ids.delete(entry.id);
      this.#skippedBefore.delete(entry.id);
      if (entry.type !== "gap" && entry.was !== undefined) this.#renamed.delete(entry.was);
    }
    if (this.#paused) this.#missed += fresh.length;
    this.#publishSoon();
  }

  /**
   * If the log contains the event under its earlier, unrecorded id, replaces it with the recorded event at the same
   * position. Returns whether the log contained the event.
   */
  #replaceRenamed(event: HistoryEntry): boolean {
    if (event.type === "gap" || event.was === undefined || !this.#ids.delete(event.was)) return false;
    this.#ids.add(event.id);
    this.#renamed.set(event.was, event);
    const at = this.#events.findLastIndex(({ id }) => id === event.was);
    if (at >= 0) this.#events[at] = event;
    this.#publishSoon();
    return true;
  }

  /** Freezes the snapshot. Events that arrive are still added to the log and counted in `missed`. */
  pause(): void {
    this.#paused = true;
    this.#missed = 0;
    this.#publish();
  }

  resume(): void {
    this.#paused = false;
    this.#missed = 0;
    this.#publish();
  }

  /**
   * Returns the entries from a position, even while the log is paused. To read the whole log, start at position 0. To
   * continue, pass the returned `place`.
   */
  readFrom(place: number): EventLogSlice {
    const first = Math.max(0, place - this.#droppedCount);
    return {
      entries: this.#events.slice(first),
      place: this.#droppedCount + this.#events.length,
      isWhole: place >= this.#droppedCount,
    };
  }

  /** Returns the recorded event that had this id before it was recorded; `undefined` if there is none. */
  findRenamed(id: string): HistoryEntry | undefined {
    return this.#renamed.get(id);
  }

  get skippedBefore(): ReadonlyMap<string, number> {
    return this.#skippedBefore;
  }

  clear(): void {
    // Invalidates the positions of all readers, so that they start again.
    this.#droppedCount += this.#events.length + 1;
    this.#events = [];
    this.#renamed.clear();
    this.#ids.clear();
    this.#skippedBefore.clear();
    this.#skipped = 0;
    this.resume();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): EventSnapshot => this.#snapshot;

  #publishSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      this.#publish();
    });
  }

  #publish(): void {
    const stands = this.#paused && this.#snapshot.paused;
    this.#snapshot = {
      events: stands ? this.#snapshot.events : this.#events.slice(),
      paused: this.#paused,
      missed: this.#missed,
      skippedBefore: this.#skippedBefore,
    };
    for (const listener of this.#listeners) listener();
  }
}

export const NO_EVENTS = EMPTY_SNAPSHOT;
