import type { HistoryEntry } from "../../lib/contract/event.ts";
import { parseKeyFields } from "../../lib/keys/key.ts";
import type { EventIndex } from "./events/event-index.ts";
import { filterUnrecordedEvents, isSameChange } from "./events/recorded-timeline.ts";
import type { EventPublisher } from "./events/stream-copy.ts";
import type { UnnumberedEvent } from "./events/stream-entry.ts";
import { groupEventsByKey, type ObservedEvent } from "./observed-events.ts";

/** Returns the observations that the history does not contain yet, in order. */
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

/** Publishes an observation before it is recorded, unless it already has been. */
export function publishEarly(observation: ObservedEvent, publisher: EventPublisher): void {
  observation.temporaryId ??= publisher.publishEarly(observation.event);
}

/** Returns the temporary id under which an entry was published before it was recorded, and clears it. */
export function takeTemporaryId(
  entry: HistoryEntry,
  observations: readonly ObservedEvent[],
): string | undefined {
  if (entry.type === "gap") return undefined;
  const key = parseKeyFields(entry);
  const shown = observations.find(
    (one) => one.temporaryId !== undefined && one.key === key && isSameChange(one.event, entry),
  );
  const was = shown?.temporaryId;
  if (shown !== undefined) shown.temporaryId = undefined;
  return was;
}
