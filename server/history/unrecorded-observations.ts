import type { HistoryEntry } from "../../lib/contract/event.ts";
import { type Key, parseKeyFields } from "../../lib/keys/key.ts";
import { forEachYielding } from "../concurrency/for-each-yielding.ts";
import type { EventIndex } from "./events/event-index.ts";
import { filterUnrecordedEvents, isSameChange } from "./events/recorded-timeline.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { addToGroup, type ObservedEvent, type ObservedEvents } from "./observed-events.ts";

/**
 * Returns the observations that are missing from the history, in the order of observation.
 *
 * @param isAfterGap whether a gap will be recorded before these observations
 */
export function filterUnrecorded(
  observations: readonly ObservedEvent[],
  index: EventIndex,
  isAfterGap: boolean,
): ObservedEvent[] {
  const groups = new Map<Key, ObservedEvent[]>();
  for (const observation of observations) addToGroup(groups, observation);
  const missing = new Map<Key, ReadonlySet<UnnumberedEvent>>();
  for (const [key, own] of groups) missing.set(key, findMissing(key, own, index, isAfterGap));
  return observations.filter(({ key, event }) => missing.get(key)?.has(event) === true);
}

/** Returns the observed events of a key that are missing from the history. */
function findMissing(
  key: Key,
  own: readonly ObservedEvent[],
  index: EventIndex,
  isAfterGap: boolean,
): ReadonlySet<UnnumberedEvent> {
  const events = own.map(({ event }) => event);
  return new Set(filterUnrecordedEvents(events, index.listTimeline(key), isAfterGap));
}

/**
 * Finds the observations that are missing from the history. There can be tens of thousands, so most of them are compared
 * in slices (`compare`). `finish` compares only what was observed in the meantime, and returns the result in the same
 * turn of the event loop, so that the caller can continue without missing an observation.
 *
 * Only keys with an observation that is not marked as recorded are compared with the history. After a gap, keys with a
 * `seen` event are also compared, because such an event may be recorded again.
 */
export class UnrecordedSearch {
  /** The observations that are kept, by key and in the order of observation. */
  readonly #groups = new Map<Key, ObservedEvent[]>();
  /** The events of each compared key that are missing from the history. */
  readonly #missing = new Map<Key, ReadonlySet<UnnumberedEvent>>();
  #groupedCount = 0;

  /** @param isAfterGap whether a gap will be recorded before these observations */
  constructor(
    private readonly observedEvents: ObservedEvents,
    private readonly index: EventIndex,
    private readonly isAfterGap: boolean,
  ) {}

  /** Compares the current observations in slices. */
  async compare(now: number): Promise<void> {
    const keys = new Set<Key>();
    await forEachYielding(this.#takeNew(now), (observation) => this.#group(observation, keys));
    await forEachYielding(keys, (key) => this.#compareKey(key));
  }

  /**
   * Returns the observations that are missing from the history, in the order of observation. Marks the others as
   * recorded.
   */
  finish(now: number): ObservedEvent[] {
    const keys = new Set<Key>();
    for (const observation of this.#takeNew(now)) this.#group(observation, keys);
    for (const key of keys) this.#compareKey(key);
    const unrecorded: ObservedEvent[] = [];
    for (const observation of this.observedEvents.list(now)) {
      const missing = this.#missing.get(observation.key);
      if (missing === undefined) continue;
      if (missing.has(observation.event)) unrecorded.push(observation);
      else this.observedEvents.markRecorded(observation);
    }
    return unrecorded;
  }

  /** Returns the observations that were added since the last call. */
  #takeNew(now: number): readonly ObservedEvent[] {
    const { addedCount } = this.observedEvents;
    const kept = this.observedEvents.list(now);
    const added = kept.slice(Math.max(0, kept.length - (addedCount - this.#groupedCount)));
    this.#groupedCount = addedCount;
    return added;
  }

  /** @param keys receives the key of the observation if it must be compared */
  #group(observation: ObservedEvent, keys: Set<Key>): void {
    const { key, event } = observation;
    addToGroup(this.#groups, observation);
    const mayBeRepeated = this.isAfterGap && event.type === "seen";
    if (mayBeRepeated || this.observedEvents.getUnrecorded(key) !== undefined) keys.add(key);
  }

  #compareKey(key: Key): void {
    this.#missing.set(key, findMissing(key, this.#groups.get(key) ?? [], this.index, this.isAfterGap));
  }
}

/**
 * Marks as recorded the observation that describes the same change as a history entry. Clears and returns the temporary
 * id under which the observation was published. Returns `undefined` if there is no such observation, or if the
 * observation was not published early.
 */
export function matchRecordedEntry(entry: HistoryEntry, observedEvents: ObservedEvents): string | undefined {
  if (entry.type === "gap") return undefined;
  for (const observation of observedEvents.getUnrecorded(parseKeyFields(entry)) ?? []) {
    if (!isSameChange(observation.event, entry)) continue;
    observedEvents.markRecorded(observation);
    const { temporaryId } = observation;
    observation.temporaryId = undefined;
    return temporaryId;
  }
  return undefined;
}
