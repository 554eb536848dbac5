import type { GapEvent, HistoryEntry, LockEvent } from "../../../lib/contract/event.ts";
import { isGap } from "../../../lib/contract/gap.ts";
import { type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import { compareIds } from "./event-id.ts";
import { measureEntryBytes } from "./stream-entry.ts";

export interface EventRetention {
  /**
   * Number of entries to keep. The oldest entries are dropped once this number is exceeded by a tenth, or earlier if
   * the average size of an entry exceeds `EVENT_BYTES_MEAN_MAX`.
   */
  readonly most: number;
  readonly ms: number;
}

/**
 * Average size of events in bytes, above which fewer events than `most` are kept in memory. Ordinary events are about
 * half as large, and the largest events about twice as large.
 */
export const EVENT_BYTES_MEAN_MAX = 1024;

/** The entries after a requested id. */
export interface EventSlice {
  readonly entries: HistoryEntry[];
  /** Whether entries after the requested id may have been dropped, so that the slice may be incomplete. */
  readonly isTruncated: boolean;
}

/** The events of a target that are kept in memory, in the order of the stream and grouped by key. */
export class EventIndex {
  #entries: HistoryEntry[] = [];
  readonly #byKey = new Map<Key, LockEvent[]>();
  #gaps: GapEvent[] = [];
  /** Id of the newest entry that was dropped; `0-0` if this id is not known. `undefined` if no entry was dropped. */
  #lastDroppedId: string | undefined;
  #bytes = 0;
  #isCutByBytes = false;

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

  /** Whether entries are known to have been dropped. */
  get isTruncated(): boolean {
    return this.#lastDroppedId !== undefined;
  }

  /** Id of the oldest entry if earlier entries were dropped to limit memory use. `null` if this has not happened. */
  get cutAt(): string | null {
    return this.#isCutByBytes ? this.oldest : null;
  }

  get gaps(): readonly GapEvent[] {
    return this.#gaps;
  }

  /**
   * Adds entries to the end, and drops the oldest entries if a limit is exceeded.
   *
   * @param entries new entries in the order of their ids, which are larger than all existing ids
   */
  add(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += measureEntryBytes(entry);
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

  /** Records that the stream has dropped entries before its oldest entry. */
  markTruncated(): void {
    this.#lastDroppedId ??= "0-0";
  }

  listRecent(count: number): HistoryEntry[] {
    return count === 0 ? [] : this.#entries.slice(-count);
  }

  /** Returns the events of a key, oldest first. */
  listByKey(key: Key): readonly LockEvent[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Returns the events of a key and all gaps, oldest first; empty if the key has no events. */
  listTimeline(key: Key): readonly HistoryEntry[] {
    const events = this.listByKey(key);
    if (this.#gaps.length === 0 || events.length === 0) return events;
    let from = 0;
    const parts = this.#gaps.map((gap): readonly HistoryEntry[] => {
      const before = events.slice(from, findIndex(events, gap.id));
      from += before.length;
      return [...before, gap];
    });
    return [...parts, events.slice(from)].flat();
  }

  sliceAfter(id: string, limit = Number.POSITIVE_INFINITY): EventSlice {
    const { oldest } = this;
    const isCut = oldest !== null && compareIds(id, oldest) < 0 && id !== this.#lastDroppedId;
    const start = this.#findIndexAfter(id);
    return { entries: this.#entries.slice(start, start + limit), isTruncated: isCut };
  }

  /** Yields the entries before the id `before`, newest first. By default, yields all entries. */
  *iterateBackwards(before?: string): Generator<HistoryEntry> {
    // Trimming creates a new array, so this array keeps its entries while a reader yields to other work.
    const entries = this.#entries;
    const end = before === undefined ? entries.length : findIndex(entries, before);
    for (let at = end - 1; at >= 0; at--) {
      const entry = entries[at];
      if (entry !== undefined) yield entry;
    }
  }

  /** Yields the entries after the id `after`, oldest first. By default, yields all entries. */
  *iterateForwards(after?: string): Generator<HistoryEntry> {
    const entries = this.#entries;
    for (let at = after === undefined ? 0 : this.#findIndexAfter(after); at < entries.length; at++) {
      const entry = entries[at];
      if (entry !== undefined) yield entry;
    }
  }

  #findIndexAfter(id: string): number {
    const at = findIndex(this.#entries, id);
    return this.#entries[at]?.id === id ? at + 1 : at;
  }

  // Drops the oldest entries when a limit is exceeded by a tenth. Dropping entries one by one would copy the array each
  // time.
  #trim(): void {
    const { most, ms } = this.retention;
    const [oldest] = this.#entries;
    const newest = this.#entries.at(-1);
    if (oldest === undefined || newest === undefined) return;
    const tooMany = this.#entries.length > most * 1.1 ? this.#entries.length - most : 0;
    const edge = getEntryMs(newest) - ms;
    const tooOld =
      getEntryMs(oldest) < edge - ms / 10 ? findIndex(this.#entries, `${Math.max(0, edge)}-0`) : 0;
    const tooLarge = this.#bytes > this.#bytesMax * 1.1 ? this.#countLargeSurplus() : 0;
    if (tooLarge > 0) this.#isCutByBytes = true;
    const surplus = Math.max(tooMany, tooOld, tooLarge);
    if (surplus > 0) this.#drop(surplus);
  }

  get #bytesMax(): number {
    return this.retention.most * EVENT_BYTES_MEAN_MAX;
  }

  /** Returns the number of oldest entries that must be dropped to meet the limit on bytes. */
  #countLargeSurplus(): number {
    let bytes = this.#bytes;
    const kept = this.#entries.findIndex((entry) => {
      if (bytes <= this.#bytesMax) return true;
      bytes -= measureEntryBytes(entry);
      return false;
    });
    return kept < 0 ? this.#entries.length : kept;
  }

  #drop(count: number): void {
    const gone = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.#lastDroppedId = gone.at(-1)?.id;
    this.#bytes -= gone.reduce((sum, entry) => sum + measureEntryBytes(entry), 0);
    const droppedByKey = new Map<Key, number>();
    for (const entry of gone)
      if (!isGap(entry))
        droppedByKey.set(parseKeyFields(entry), (droppedByKey.get(parseKeyFields(entry)) ?? 0) + 1);
    for (const [key, number] of droppedByKey) {
      const left = this.#byKey.get(key)?.slice(number) ?? [];
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
    }
    const [oldest] = this.#entries;
    this.#gaps = this.#gaps.filter(({ id }) => oldest !== undefined && compareIds(id, oldest.id) >= 0);
  }
}

/**
 * Returns the index of the first entry whose id is `id` or a later id. Returns the number of entries if there is no
 * such entry.
 *
 * @param entries entries in the order of their ids
 */
export function findIndex(entries: readonly HistoryEntry[], id: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && compareIds(entry.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function getEntryMs({ id }: HistoryEntry): number {
  return Number(id.slice(0, id.indexOf("-")));
}
