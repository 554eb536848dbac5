import type { HistoryEntry } from "../../lib/contract/event.ts";
import { parseKeyFields } from "../../lib/keys/key.ts";
import type { EventIndex } from "./events/event-index.ts";
import { filterUnrecordedEvents, isSameChange } from "./events/recorded-timeline.ts";
import type { EventPublisher } from "./events/stream-copy.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { groupEventsByKey, type ObservedEvent, type ObservedEvents } from "./observed-events.ts";

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
  const unrecorded = new Set<UnnumberedEvent>();
  for (const [key, own] of groupEventsByKey(observations)) {
    const events = own.map(({ event }) => event);
    for (const event of filterUnrecordedEvents(events, index.listTimeline(key), isAfterGap))
      unrecorded.add(event);
  }
  return observations.filter(({ event }) => unrecorded.has(event));
}

/** Publishes an observation before it is recorded. Has no effect if it has already been published. */
export function publishEarly(observation: ObservedEvent, publisher: EventPublisher): void {
  observation.temporaryId ??= publisher.publishEarly(observation.event);
}

/**
 * Returns the observations that are missing from the history, in the order of observation. Marks all other observations
 * as recorded.
 *
 * Only keys with an observation that is not marked as recorded are compared with the history, so the cost does not grow
 * with the number of recorded observations. After a gap, keys with a `seen` event are also compared, because such an
 * event may be recorded again.
 */
export function takeUnrecorded(
  observedEvents: ObservedEvents,
  now: number,
  index: EventIndex,
  isAfterGap: boolean,
): ObservedEvent[] {
  const observations = observedEvents.list(now);
  const seenKeys = new Set(
    isAfterGap ? observations.filter(({ event }) => event.type === "seen").map(({ key }) => key) : [],
  );
  const open = observations.filter(
    ({ key }) => observedEvents.getUnrecorded(key) !== undefined || seenKeys.has(key),
  );
  const unrecorded = filterUnrecorded(open, index, isAfterGap);
  const kept = new Set(unrecorded);
  for (const observation of open) if (!kept.has(observation)) observedEvents.markRecorded(observation);
  return unrecorded;
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
