import type { EventIndex } from "./event-index.ts";
import { groupEventsByKey, type ObservedEvent } from "./observed-events.ts";
import { filterUnrecordedEvents } from "./recorded-timeline.ts";
import type { UnnumberedEvent } from "./stream-entry.ts";

/** What of one's own observations the history does not tell yet, in their order. */
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
