import type { HistoryEntry } from "../../lib/contract/event.ts";

/** In the order that was asked for. */
export interface HistoryPage {
  readonly items: HistoryEntry[];
  /** Where the next page begins; undefined at the end of what is kept, on either side. */
  readonly next: string | undefined;
  /** Whether nothing older is known to be gone. */
  readonly isComplete: boolean;
}

/** Collects the entries of a page. */
export class HistoryPageBuilder {
  readonly #items: HistoryEntry[] = [];
  /** An entry behind the page matches as well. */
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

  /** Ends when the page is full, so that no more entries are looked at. */
  *readUntilFull(entries: Iterable<HistoryEntry>): Generator<HistoryEntry> {
    for (const entry of entries) {
      if (this.#isFull) return;
      yield entry;
    }
  }

  /** @param isWhole whether nothing older is known to be gone */
  build(isWhole: boolean): HistoryPage {
    const next = this.#isFull ? this.#items.at(-1)?.id : undefined;
    return { items: this.#items, next, isComplete: isWhole };
  }
}

/** The first items of an iterator, which goes on behind them. */
export function* takeFirst<Item>(items: Iterator<Item>, count: number): Generator<Item> {
  for (let left = count; left > 0; left--) {
    const { done, value } = items.next();
    if (done === true) return;
    yield value;
  }
}
