import { forEachYielding } from "../concurrency/for-each-yielding.ts";
import type { EventIndex } from "./events/event-index.ts";
import type { EventPublisher } from "./events/stream-copy.ts";
import type { ObservedEvent, ObservedEvents } from "./observed-events.ts";
import { UnrecordedSearch } from "./unrecorded-observations.ts";

/**
 * Publishes observations before they are recorded, while there is no recorder. Each observation is published only once.
 */
export class EarlyPublisher {
  /** Observations that are published next, in slices. `undefined` if observations are published immediately. */
  #backlog: ObservedEvent[] | undefined;

  constructor(
    private readonly observedEvents: ObservedEvents,
    private readonly index: EventIndex,
    private readonly publisher: EventPublisher,
  ) {}

  /**
   * Publishes the earlier observations that are missing from the history. Until this is done, `publish` keeps later
   * observations back, so that all are published in order.
   */
  async start(now: () => number): Promise<void> {
    const laterObservations: ObservedEvent[] = [];
    this.#backlog = laterObservations;
    const search = new UnrecordedSearch(this.observedEvents, this.index, false);
    await search.compare(now());
    if (this.#backlog !== laterObservations) return;
    // The search also returns the observations that were kept back during the comparison.
    const backlog = search.finish(now());
    this.#backlog = backlog;
    await forEachYielding(this.#takeBacklog(backlog), (observation) => this.#publishUnrecorded(observation));
  }

  /** Stops publishing. The observations that were kept back are published when they are recorded. */
  stop(): void {
    this.#backlog = undefined;
  }

  publish(observation: ObservedEvent): void {
    if (this.#backlog === undefined) this.#publishOnce(observation);
    else this.#backlog.push(observation);
  }

  /** Iterates over the backlog, which can grow meanwhile, and ends it in the same turn of the event loop. */
  *#takeBacklog(backlog: readonly ObservedEvent[]): Generator<ObservedEvent> {
    for (const observation of backlog) {
      if (this.#backlog !== backlog) return;
      yield observation;
    }
    if (this.#backlog === backlog) this.#backlog = undefined;
  }

  /** Publishes an observation of the backlog, unless it has been found in the history since. */
  #publishUnrecorded(observation: ObservedEvent): void {
    const unrecorded = this.observedEvents.getUnrecorded(observation.key);
    if (unrecorded?.has(observation) === true) this.#publishOnce(observation);
  }

  #publishOnce(observation: ObservedEvent): void {
    observation.temporaryId ??= this.publisher.publishEarly(observation.event);
  }
}
