import { isLiveOnly } from "../../../lib/contract/event.ts";
import type { Journal, PublishedEvent } from "../../history/journal.ts";

const EVENTS_MAX = 10_000;

/** Collects events that are published but not recorded, because the journal cannot replay them. */
export class UnrecordedEvents {
  /**
   * Events by id, in order of publication. Keyed by id, because thousands may be recorded, and thus removed, at the
   * same time.
   */
  readonly #events = new Map<string, PublishedEvent>();
  #isIncomplete = false;
  /** Ends the collection. Repeated calls do nothing. */
  readonly stop: () => void;

  /** @param first an event published before the collection began */
  constructor(journal: Pick<Journal, "subscribeAll">, first?: PublishedEvent) {
    if (first !== undefined) this.#add(first);
    this.stop = journal.subscribeAll((published) => this.#add(published));
  }

  /** Whether there were more events than can be kept. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  list(): readonly PublishedEvent[] {
    return [...this.#events.values()];
  }

  #add(published: PublishedEvent): void {
    const { entry, isStored, previousId } = published;
    if (isStored) {
      // The event has since been recorded, so the journal replays it.
      if (previousId !== undefined) this.#events.delete(previousId);
    } else if (entry.type === "gap" || !isLiveOnly(entry)) {
      if (this.#events.size < EVENTS_MAX) this.#events.set(entry.id, published);
      else this.#isIncomplete = true;
    }
  }
}
