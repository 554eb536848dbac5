import { isLiveOnly } from "../../../lib/contract/event.ts";
import type { Journal, PublishedEvent } from "../../history/journal.ts";

const EVENTS_MAX = 10_000;

/**
 * Collects published events that have not been recorded, except live-only events. The journal cannot replay these
 * events.
 */
export class UnrecordedEvents {
  /**
   * Events by id, in order of publication. Stored in a map, because thousands of events can be removed at once when
   * they are recorded.
   */
  readonly #events = new Map<string, PublishedEvent>();
  #isIncomplete = false;
  /** Stops collecting events. Repeated calls have no effect. */
  readonly stop: () => void;

  /** @param first an event that was published before the constructor is called */
  constructor(journal: Pick<Journal, "subscribeAll">, first?: PublishedEvent) {
    if (first !== undefined) this.#add(first);
    this.stop = journal.subscribeAll((published) => this.#add(published));
  }

  /** Whether events were discarded because the limit was reached. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  list(): readonly PublishedEvent[] {
    return [...this.#events.values()];
  }

  #add(published: PublishedEvent): void {
    const { entry, isStored, previousId } = published;
    if (isStored) {
      // An event that has been recorded since is replayed by the journal.
      if (previousId !== undefined) this.#events.delete(previousId);
    } else if (entry.type === "gap" || !isLiveOnly(entry)) {
      if (this.#events.size < EVENTS_MAX) this.#events.set(entry.id, published);
      else this.#isIncomplete = true;
    }
  }
}
