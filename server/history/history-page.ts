import type { HistoryEntry } from "../../lib/contract/event.ts";

/** A page of history entries in the requested order. */
export interface HistoryPage {
  readonly items: HistoryEntry[];
  /** Cursor of the next page. `undefined` if no matching entry follows. */
  readonly next: string | undefined;
  /** Whether the history is complete, which means that no older entries are known to have been dropped. */
  readonly isComplete: boolean;
}

/** Collects the matching entries for a page. */
export class HistoryPageBuilder {
  readonly #items: HistoryEntry[] = [];
  /** Whether the page is full and another matching entry follows. */
  #isFull = false;

  constructor(
    private readonly limit: number,
    private readonly matches: (entry: HistoryEntry) => boolean,
  ) {}

  get isFull(): boolean {
    return this.#isFull;
  }

  add(entry: HistoryEntry): void {
    if (this.#isFull || !this.matches(entry)) return;
    if (this.#items.length === this.limit) this.#isFull = true;
    else this.#items.push(entry);
  }

  addAll(entries: Iterable<HistoryEntry>): void {
    for (const entry of this.readUntilFull(entries)) this.add(entry);
  }

  /** Yields entries, and stops once the page is full. */
  *readUntilFull(entries: Iterable<HistoryEntry>): Generator<HistoryEntry> {
    for (const entry of entries) {
      if (this.#isFull) return;
      yield entry;
    }
  }

  /** Builds the page from the collected entries. @param isWhole the value of `HistoryPage.isComplete` */
  build(isWhole: boolean): HistoryPage {
    const next = this.#isFull ? this.#items.at(-1)?.id : undefined;
    return { items: this.#items, next, isComplete: isWhole };
  }
}

/**
 * Yields the first `count` items of an iterator. Does not close the iterator, so the caller can continue it afterwards.
 */
export function* takeFirst<Item>(items: Iterator<Item>, count: number): Generator<Item> {
  for (let left = count; left > 0; left--) {
    const { done, value } = items.next();
    if (done === true) return;
    yield value;
  }
}
