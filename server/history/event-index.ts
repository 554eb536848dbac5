import type { GapEvent, HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { type Key, parseKeyFields } from "../../lib/keys/key.ts";
import { compareIds } from "./event-id.ts";

export interface EventRetention {
  readonly most: number;
  readonly ms: number;
}

/** A part of the events that a reader asked for. */
export interface EventSlice {
  readonly entries: HistoryEntry[];
  /** Whether some that would belong here are gone. */
  readonly isTruncated: boolean;
}

/** The events of a target in memory, in the order of the stream, with a way in by key. */
export class EventIndex {
  #entries: HistoryEntry[] = [];
  readonly #byKey = new Map<Key, LockEvent[]>();
  #gaps: GapEvent[] = [];
  /** The last one that is gone. */
  #lastDroppedId: string | undefined;

  constructor(readonly retention: EventRetention) {}

  get size(): number {
    return this.#entries.length;
  }

  get oldest(): string | null {
    return this.#entries[0]?.id ?? null;
  }

  get newest(): string | null {
    return this.#entries.at(-1)?.id ?? null;
  }

  /** Whether anything is known to be gone. */
  get isTruncated(): boolean {
    return this.#lastDroppedId !== undefined;
  }

  get gaps(): readonly GapEvent[] {
    return this.#gaps;
  }

  /** @param entries in the order of their ids, above all that are here */
  add(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (isGap(entry)) {
        this.#gaps.push(entry);
        continue;
      }
      const key = parseKeyFields(entry);
      const others = this.#byKey.get(key);
      if (others === undefined) this.#byKey.set(key, [entry]);
      else others.push(entry);
    }
    this.#trim();
  }

  /** What was before the oldest is gone from the stream. */
  markTruncated(): void {
    this.#lastDroppedId ??= "0-0";
  }

  listRecent(count: number): HistoryEntry[] {
    return count === 0 ? [] : this.#entries.slice(-count);
  }

  /** Oldest first. */
  listByKey(key: Key): readonly LockEvent[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Those of a key, with the gaps among them. Oldest first. */
  listTimeline(key: Key): readonly HistoryEntry[] {
    const events = this.listByKey(key);
    if (this.#gaps.length === 0 || events.length === 0) return events;
    return [...events, ...this.#gaps].sort((a, b) => compareIds(a.id, b.id));
  }

  sliceAfter(id: string): EventSlice {
    const { oldest } = this;
    const isCut = oldest !== null && compareIds(id, oldest) < 0 && id !== this.#lastDroppedId;
    return { entries: this.#entries.slice(this.#findIndexAfter(id)), isTruncated: isCut };
  }

  /** Newest first, from the one before an id on. */
  *iterateBackwards(before?: string): Generator<HistoryEntry> {
    const end = before === undefined ? this.#entries.length : this.#findIndex(before);
    for (let at = end - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (entry !== undefined) yield entry;
    }
  }

  /** Oldest first, from the one after an id on. */
  *iterateForwards(after?: string): Generator<HistoryEntry> {
    for (let at = after === undefined ? 0 : this.#findIndexAfter(after); at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry !== undefined) yield entry;
    }
  }

  #findIndexAfter(id: string): number {
    const at = this.#findIndex(id);
    return this.#entries[at]?.id === id ? at + 1 : at;
  }

  /** Where the first one stands that is not before the id. */
  #findIndex(id: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && compareIds(entry.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Cutting a tenth at a time keeps adding cheap: removing from the front of an array moves all of it.
  #trim(): void {
    const { most, ms } = this.retention;
    const [oldest] = this.#entries;
    const newest = this.#entries.at(-1);
    if (oldest === undefined || newest === undefined) return;
    const tooMany = this.#entries.length > most * 1.1 ? this.#entries.length - most : 0;
    const edge = getEntryMs(newest) - ms;
    const tooOld = getEntryMs(oldest) < edge - ms / 10 ? this.#findIndex(`${Math.max(0, edge)}-0`) : 0;
    const surplus = Math.max(tooMany, tooOld);
    if (surplus > 0) this.#drop(surplus);
  }

  #drop(count: number): void {
    const gone = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.#lastDroppedId = gone.at(-1)?.id;
    const goneOf = new Map<Key, number>();
    for (const entry of gone)
      if (!isGap(entry)) goneOf.set(parseKeyFields(entry), (goneOf.get(parseKeyFields(entry)) ?? 0) + 1);
    for (const [key, number] of goneOf) {
      const left = this.#byKey.get(key)?.slice(number) ?? [];
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
    }
    const [oldest] = this.#entries;
    this.#gaps = this.#gaps.filter(({ id }) => oldest !== undefined && compareIds(id, oldest.id) >= 0);
  }
}

function getEntryMs({ id }: HistoryEntry): number {
  return Number(id.slice(0, id.indexOf("-")));
}
