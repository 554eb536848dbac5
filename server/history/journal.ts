import { randomBytes } from "node:crypto";
import {
  ENDINGS,
  type HistoryEntry,
  isLiveOnly,
  type LockEvent,
  type PastHold,
  type PastOrder,
} from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { fieldsOfKey, type Key } from "../../lib/keys/key.ts";
import { compareIds, parseEventId } from "./event-id.ts";
import { EventIndex, type Retention } from "./event-index.ts";
import { holdsAt } from "./past-holds.ts";
import type { Recorded, Telling } from "./stream-copy.ts";
import type { Unnumbered } from "./stream-entry.ts";

export type { Unnumbered } from "./stream-entry.ts";

/** What a reader who left off at an id gets: what came after, or word that this cannot be told. */
export type Replay =
  | { kind: "events"; events: HistoryEntry[] }
  | { kind: "gap"; events: HistoryEntry[] }
  | { kind: "reset" };

/** One thing that a reader is told. */
export interface Told {
  readonly entry: HistoryEntry;
  /** Whether it may be named as the last one seen. */
  readonly isKept: boolean;
  /** The id under which the very same was told before, while it could not be recorded. */
  readonly was: string | undefined;
}

/** In the order that was asked for. */
export interface PastPage {
  readonly items: HistoryEntry[];
  /** Where the next page begins; undefined at the end of what is kept, on either side. */
  readonly next: string | undefined;
  /** Whether nothing older is known to be gone. */
  readonly isWhole: boolean;
}

export interface PastQuery {
  readonly limit: number;
  readonly order: PastOrder;
  /** Where the page before ended: only what stands behind this id in that order. */
  readonly cursor?: string | undefined;
  readonly matches: (entry: HistoryEntry) => boolean;
}

/** As much of a recorder as the journal needs. */
export interface Observer {
  observed(event: Unnumbered): void;
  observedOf(key: Key): readonly { readonly event: Unnumbered }[];
}

/** Where nothing else is configured. */
export const RETENTION: Retention = { most: 50_000, ms: 7 * 86_400_000 };

/**
 * What happened on one target, for its readers. What is observed goes to the recorder, and comes back with the id that
 * it has in all instances. Without a recorder it is kept in memory alone. Renewals and waits are passed on, not kept.
 */
export class Journal implements Telling {
  readonly index: EventIndex;
  readonly #boot = randomBytes(4).toString("hex");
  readonly #listeners = new Set<(told: Told) => void>();
  readonly #pastListeners = new Set<(entries: readonly HistoryEntry[]) => void>();
  #observer: Observer | undefined;
  #live = 0;

  constructor(retention: Retention = RETENTION) {
    this.index = new EventIndex(retention);
  }

  /** From now on what is observed is recorded. */
  recordWith(observer: Observer): void {
    this.#observer = observer;
  }

  append(event: Unnumbered): void {
    if (isLiveOnly(event)) this.early(event);
    else if (this.#observer !== undefined) this.#observer.observed(event);
    else {
      const entry = { id: this.#nextId(), ...event };
      this.index.add([entry]);
      this.recorded([{ entry, was: undefined }]);
    }
  }

  early(event: Unnumbered): string {
    const id = `live-${this.#boot}-${++this.#live}`;
    this.#tell({ entry: { id, ...event }, isKept: false, was: undefined });
    return id;
  }

  remembered(entries: readonly HistoryEntry[]): void {
    for (const listener of this.#pastListeners) listener(entries);
  }

  /** Told, page by page, of what was recorded before this process began. Nobody else is: it is no news. */
  onRemembered(listener: (entries: readonly HistoryEntry[]) => void): () => void {
    this.#pastListeners.add(listener);
    return () => this.#pastListeners.delete(listener);
  }

  recorded(entries: readonly Recorded[]): void {
    for (const { entry, was } of entries) this.#tell({ entry, isKept: true, was });
  }

  /** Each event once, as soon as it is known; gaps are none. */
  subscribe(listener: (event: LockEvent) => void): () => void {
    return this.follow(({ entry, was }) => {
      if (was === undefined && !isGap(entry)) listener(entry);
    });
  }

  /** All that readers are told, in order. */
  follow(listener: (told: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get oldest(): string | null {
    return this.index.oldest;
  }

  get newest(): string | null {
    return this.index.newest;
  }

  recent(count: number): HistoryEntry[] {
    return this.index.recent(count);
  }

  after(id: string): Replay {
    const { newest } = this.index;
    if (parseEventId(id) === undefined || newest === null || compareIds(id, newest) > 0)
      return { kind: "reset" };
    const { entries, isCut } = this.index.after(id);
    return { kind: isCut ? "gap" : "events", events: entries };
  }

  /** The events of a key, newest first. */
  ofKey(key: Key, limit: number): { items: LockEvent[]; complete: boolean } {
    const events = this.index.ofKey(key);
    const complete = events.length <= limit && !this.index.isCut;
    return { items: events.slice(-limit).reverse(), complete };
  }

  /** Newest first, with the gaps in which the key may have had a story of its own. */
  pastOf(key: Key, limit: number, before?: string): PastPage {
    return pageOf(newestFirst(this.index.storyOf(key), before), limit, !this.index.isCut, () => true);
  }

  past({ limit, order, cursor, matches }: PastQuery): PastPage {
    const entries = order === "newest_first" ? this.index.backwards(cursor) : this.index.forwards(cursor);
    return pageOf(entries, limit, !this.index.isCut, matches);
  }

  /** Who held a key at a moment of the target's clock, and how that ended. */
  holdsAt(key: Key, at: number): PastHold[] {
    return holdsAt(this.index.storyOf(key), at);
  }

  lastEnding(key: Key): LockEvent | undefined {
    const kept = this.index.ofKey(key).findLast(isLastWord);
    const seen = this.#observer?.observedOf(key).findLast(({ event }) => isLastWord(event));
    if (seen === undefined || (kept !== undefined && kept.at >= seen.event.at)) return kept;
    return { id: "", ...seen.event, ...fieldsOfKey(key) };
  }

  #tell(told: Told): void {
    for (const listener of this.#listeners) listener(told);
  }

  #nextId(): string {
    const last = parseEventId(this.index.newest ?? "");
    const now = Date.now();
    return last !== undefined && last.ms >= now ? `${last.ms}-${last.seq + 1}` : `${now}-0`;
  }
}

function isLastWord({ type, count = 0 }: Pick<LockEvent, "type" | "count">): boolean {
  return ENDINGS.has(type) && count === 0;
}

function* newestFirst(entries: readonly HistoryEntry[], before: string | undefined): Generator<HistoryEntry> {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry !== undefined && (before === undefined || compareIds(entry.id, before) < 0)) yield entry;
  }
}

function pageOf(
  entries: Iterable<HistoryEntry>,
  limit: number,
  isWhole: boolean,
  matches: (entry: HistoryEntry) => boolean,
): PastPage {
  const items: HistoryEntry[] = [];
  for (const entry of entries) {
    if (!matches(entry)) continue;
    if (items.length === limit) return { items, next: items.at(-1)?.id, isWhole };
    items.push(entry);
  }
  return { items, next: undefined, isWhole };
}
