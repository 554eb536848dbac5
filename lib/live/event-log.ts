import type { HistoryEntry } from "@/lib/contract/event.ts";

export interface EventSnapshot {
  /** Oldest first. */
  events: readonly HistoryEntry[];
  paused: boolean;
  /** How many came since the pause. */
  missed: number;
  /**
   * How many the stream left out before an event, by its id: too many came at once. Infinity: nobody counted them,
   * because they came while there was no connection.
   */
  skippedBefore: ReadonlyMap<string, number>;
}

export interface EventLogSlice {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Behind the last of them. */
  readonly place: number;
  /** false: some between that place and the first of these are gone. */
  readonly isWhole: boolean;
}

/** How many events a connection begins with. */
export const RECENT_EVENTS_MAX = 200;

const EMPTY_SNAPSHOT: EventSnapshot = { events: [], paused: false, missed: 0, skippedBefore: new Map() };

export interface EventLogOptions {
  capacity?: number;
  /** Listeners are told at most this often: thousands of events a second must not render thousands of times. */
  schedule?: (run: () => void) => void;
}

/** The last events, each once, whichever way it came (the stream repeats itself after a reconnect). */
export class EventLog {
  #capacity: number;
  #schedule: (run: () => void) => void;
  #events: HistoryEntry[] = [];
  #ids = new Set<string>();
  /** By the id under which it was shown before it was recorded. */
  #renamed = new Map<string, HistoryEntry>();
  /** How many are gone from the front: the place of the first one that is left. */
  #droppedCount = 0;
  #skippedBefore = new Map<string, number>();
  /** Left out, and no event has come after them yet. */
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

  /** The last ones, which a new connection begins with. What is not joined to them by any is missing between. */
  addRecent(events: readonly HistoryEntry[]): void {
    const isJoined = events.some(({ id }) => this.#ids.has(id));
    const mayMiss = !isJoined && this.#events.length > 0 && events.length >= RECENT_EVENTS_MAX;
    this.add(events, mayMiss ? Number.POSITIVE_INFINITY : 0);
  }

  /** @param skipped how many were left out before these */
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

  /** An event that was shown before it was recorded stays where it is, under its own id from now on. */
  #replaceRenamed(event: HistoryEntry): boolean {
    if (event.type === "gap" || event.was === undefined || !this.#ids.delete(event.was)) return false;
    this.#ids.add(event.id);
    this.#renamed.set(event.was, event);
    const at = this.#events.findLastIndex(({ id }) => id === event.was);
    if (at >= 0) this.#events[at] = event;
    this.#publishSoon();
    return true;
  }

  /** What is shown stands still; what comes is counted and kept. */
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

  /** Those from a place on, also while paused. A reader begins at 0 and goes on at `place`. */
  readFrom(place: number): EventLogSlice {
    const first = Math.max(0, place - this.#droppedCount);
    return {
      entries: this.#events.slice(first),
      place: this.#droppedCount + this.#events.length,
      isWhole: place >= this.#droppedCount,
    };
  }

  /** What an event that was shown before it was recorded is called now. */
  findRenamed(id: string): HistoryEntry | undefined {
    return this.#renamed.get(id);
  }

  get skippedBefore(): ReadonlyMap<string, number> {
    return this.#skippedBefore;
  }

  clear(): void {
    // Whoever had read some of it has to begin anew.
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
