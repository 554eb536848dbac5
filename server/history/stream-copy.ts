import type { HistoryEntry } from "../../lib/contract/event.ts";
import { compareIds } from "./event-id.ts";
import type { EventIndex } from "./event-index.ts";
import { APPEND_MAX, type EventStore, type Lead, type Page } from "./event-store.ts";
import type { Unnumbered } from "./stream-entry.ts";

/** What readers are told. */
export interface Telling {
  /** Recorded before this process began. Oldest first, before anything else is told. */
  remembered(entries: readonly HistoryEntry[]): void;
  recorded(entries: readonly Recorded[]): void;
  /** Shown before it is recorded. Returns the id under which it is shown. */
  early(event: Unnumbered): string;
}

export interface Recorded {
  readonly entry: HistoryEntry;
  /** The id under which it was shown before. */
  readonly was: string | undefined;
}

/** As much of the stream as this instance knows, and how it came to know it. */
export class StreamCopy {
  /** The last entry that was read, or appended. */
  #known: string | null = null;
  #isLoaded = false;

  constructor(
    private readonly store: EventStore,
    private readonly index: EventIndex,
    private readonly telling: Telling,
    /** The id under which an entry was shown before it was recorded. */
    private readonly shownAs: (entry: HistoryEntry) => string | undefined,
  ) {}

  get known(): string | null {
    return this.#known;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** What was recorded before is looked up, and no news to anybody. */
  async load(): Promise<void> {
    const { isCut } = await this.store.stamp();
    if (isCut) this.index.beginsCut();
    for (;;) {
      const { entries, last } = await this.store.page(this.#known);
      if (last === this.#known) break;
      this.index.add(entries);
      this.telling.remembered(entries);
      this.#known = last;
    }
    this.#isLoaded = true;
  }

  /** Takes in what was read after an entry. */
  read({ entries, last }: Page): void {
    if (last === null || !this.#isNew(last)) return;
    const news = entries.filter(({ id }) => this.#isNew(id));
    this.#known = last;
    this.#tell(news.map((entry) => ({ entry, was: this.shownAs(entry) })));
  }

  /** Reads to the end. */
  async readOn(): Promise<void> {
    for (;;) {
      const before = this.#known;
      const page = await this.store.page(before);
      this.read(page);
      if (page.last === before) return;
    }
  }

  /** Takes in what we appended. What was read meanwhile is told already. */
  appended(told: readonly Recorded[]): void {
    const news = told.filter(({ entry }) => this.#isNew(entry.id));
    this.#known = news.at(-1)?.entry.id ?? this.#known;
    this.#tell(news);
  }

  /** Writes again what the store has lost after an entry. Returns how many. */
  async restore(lead: Lead, lastThere: string | null): Promise<number> {
    const lost = this.index.after(lastThere ?? "0-0").entries;
    let last = lastThere;
    for (let at = 0; at < lost.length; at += APPEND_MAX) {
      const entries = lost.slice(at, at + APPEND_MAX);
      const reply = await this.store.append(lead, { last, until: null, entries });
      if (reply.outcome !== "appended") throw new Error("the lead was lost while events were restored");
      last = reply.ids.at(-1) ?? last;
    }
    this.#known = last;
    return lost.length;
  }

  #isNew(id: string): boolean {
    return this.#known === null || compareIds(id, this.#known) > 0;
  }

  #tell(told: readonly Recorded[]): void {
    if (told.length === 0) return;
    this.index.add(told.map(({ entry }) => entry));
    this.telling.recorded(told);
  }
}
