import type { HistoryEntry } from "../../../lib/contract/event.ts";
import { compareIds } from "./event-id.ts";
import type { EventIndex } from "./event-index.ts";
import { type EventStore, type Leadership, type StreamPage, takeBatch } from "./event-store.ts";
import type { UnnumberedEvent } from "./stream-entry.ts";

/** What readers are told. */
export interface EventPublisher {
  /** Recorded before this process began. Oldest first, before anything else is told. */
  publishPast(entries: readonly HistoryEntry[]): void;
  publishRecorded(entries: readonly RecordedEntry[]): void;
  /** Shown before it is recorded. Returns the id under which it is shown. */
  publishEarly(event: UnnumberedEvent): string;
}

export interface RecordedEntry {
  readonly entry: HistoryEntry;
  /** The id under which it was shown before. */
  readonly previousId: string | undefined;
}

/** As much of the stream as this instance knows, and how it came to know it. */
export class StreamCopy {
  /** The last entry that was read, or appended. */
  #lastKnownId: string | null = null;
  #isLoaded = false;

  constructor(
    private readonly store: EventStore,
    private readonly index: EventIndex,
    private readonly publisher: EventPublisher,
    /** The id under which an entry was shown before it was recorded. */
    private readonly findShownId: (entry: HistoryEntry) => string | undefined,
  ) {}

  get lastKnownId(): string | null {
    return this.#lastKnownId;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** What was recorded before is looked up, and no news to anybody. */
  async load(): Promise<void> {
    const { isTruncated } = await this.store.readStamp();
    if (isTruncated) this.index.markTruncated();
    for (;;) {
      const { entries, last } = await this.store.readPage(this.#lastKnownId);
      if (last === this.#lastKnownId) break;
      this.index.add(entries);
      this.publisher.publishPast(entries);
      this.#lastKnownId = last;
    }
    this.#isLoaded = true;
  }

  /** Takes in what was read after an entry. */
  applyPage({ entries, last }: StreamPage): void {
    if (last === null || !this.#isNew(last)) return;
    const newEntries = entries.filter(({ id }) => this.#isNew(id));
    this.#lastKnownId = last;
    this.#publish(newEntries.map((entry) => ({ entry, previousId: this.findShownId(entry) })));
  }

  /** Reads to the end. */
  async readToEnd(): Promise<void> {
    for (;;) {
      const before = this.#lastKnownId;
      const page = await this.store.readPage(before);
      this.applyPage(page);
      if (page.last === before) return;
    }
  }

  /** Takes in what we appended. What was read meanwhile is told already. */
  applyAppended(recorded: readonly RecordedEntry[]): void {
    const newEntries = recorded.filter(({ entry }) => this.#isNew(entry.id));
    this.#lastKnownId = newEntries.at(-1)?.entry.id ?? this.#lastKnownId;
    this.#publish(newEntries);
  }

  /** Writes again what the store has lost after an entry. Returns how many. */
  async restore(lead: Leadership, lastThere: string | null): Promise<number> {
    const lost = this.index.sliceAfter(lastThere ?? "0-0").entries;
    let last = lastThere;
    const { cutAt, isTruncated } = this.index;
    for (let rest: readonly HistoryEntry[] = lost; rest.length > 0; ) {
      const entries = takeBatch(rest, (entry) => entry);
      rest = rest.slice(entries.length);
      // An instance that has to finish this begins with a gap there.
      const until = entries.at(-1)?.at ?? null;
      const reply = await this.store.append(lead, { last, until, cutAt, isTruncated, entries });
      if (reply.outcome !== "appended") throw new Error("the lead was lost while events were restored");
      last = reply.ids.at(-1) ?? last;
    }
    this.#lastKnownId = last;
    return lost.length;
  }

  #isNew(id: string): boolean {
    return this.#lastKnownId === null || compareIds(id, this.#lastKnownId) > 0;
  }

  #publish(recorded: readonly RecordedEntry[]): void {
    if (recorded.length === 0) return;
    this.index.add(recorded.map(({ entry }) => entry));
    this.publisher.publishRecorded(recorded);
  }
}
