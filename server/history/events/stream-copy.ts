import type { HistoryEntry } from "../../../lib/contract/event.ts";
import { compareIds } from "./event-id.ts";
import type { EventIndex } from "./event-index.ts";
import { type EventStore, type Leadership, type StreamPage, takeBatch } from "./event-store.ts";
import type { UnnumberedEvent } from "./stream-entry.ts";

/** Publishes events to readers in this process. */
export interface EventPublisher {
  /** Publishes entries that were already recorded when this instance loaded the history, oldest first. */
  publishPast(entries: readonly HistoryEntry[]): void;
  publishRecorded(entries: readonly RecordedEntry[]): void;
  /** Publishes an event before it is recorded. Returns its temporary id. */
  publishEarly(event: UnnumberedEvent): string;
}

export interface RecordedEntry {
  readonly entry: HistoryEntry;
  /**
   * The temporary id under which the event was published before it was recorded. `undefined` if the event was not
   * published before.
   */
  readonly previousId: string | undefined;
}

/** This instance's copy of the event stream, with the position up to which the stream has been read. */
export class StreamCopy {
  /** Id of the last entry that was read or appended. `null` if there was none. */
  #lastKnownId: string | null = null;
  #isLoaded = false;

  constructor(
    private readonly store: EventStore,
    private readonly index: EventIndex,
    private readonly publisher: EventPublisher,
    /** Returns the temporary id under which an entry was published before it was recorded. */
    private readonly findTemporaryId: (entry: HistoryEntry) => string | undefined,
  ) {}

  get lastKnownId(): string | null {
    return this.#lastKnownId;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Loads the recorded entries and publishes them as past events. */
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

  /**
   * Adds and publishes the new entries of a page. The page must start after an entry that this copy already contains.
   */
  applyPage({ entries, last }: StreamPage): void {
    if (last === null || !this.#isNew(last)) return;
    const newEntries = entries.filter(({ id }) => this.#isNew(id));
    this.#lastKnownId = last;
    this.#publish(newEntries.map((entry) => ({ entry, previousId: this.findTemporaryId(entry) })));
  }

  /** Reads and applies all pages up to the end of the stream. */
  async readToEnd(): Promise<void> {
    for (;;) {
      const before = this.#lastKnownId;
      const page = await this.store.readPage(before);
      this.applyPage(page);
      if (page.last === before) return;
    }
  }

  /**
   * Adds and publishes entries that this instance has appended. Omits entries that were already read from the stream.
   */
  applyAppended(recorded: readonly RecordedEntry[]): void {
    // Ids increase, so all entries after the first new entry are also new.
    const firstNew = recorded.findIndex(({ entry }) => this.#isNew(entry.id));
    if (firstNew < 0) return;
    const newEntries = firstNew === 0 ? recorded : recorded.slice(firstNew);
    this.#lastKnownId = newEntries.at(-1)?.entry.id ?? this.#lastKnownId;
    this.#publish(newEntries);
  }

  /**
   * Writes the entries that the store has lost back to the stream. Returns the number of these entries.
   *
   * @param lastThere id of the last entry that the store still has, or `null` if it has none
   * @throws if the store rejects an append, for example because this instance is no longer the leader
   */
  async restore(lead: Leadership, lastThere: string | null): Promise<number> {
    const lost = this.index.sliceAfter(lastThere ?? "0-0").entries;
    let last = lastThere;
    const { cutAt, isTruncated } = this.index;
    for (let rest: readonly HistoryEntry[] = lost; rest.length > 0; ) {
      const entries = takeBatch(rest, (entry) => entry);
      rest = rest.slice(entries.length);
      // The stored time covers only the entries written so far. If another instance must continue from here, it records
      // a gap first.
      const until = entries.at(-1)?.at ?? null;
      const reply = await this.store.append(lead, { last, until, cutAt, isTruncated, entries });
      if (reply.outcome !== "appended") throw new Error("leadership was lost while events were restored");
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
