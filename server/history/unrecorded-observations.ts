import type { EventIndex } from "./event-index.ts";
import { byKey, type Observation } from "./observed-events.ts";
import { unrecorded } from "./recorded-timeline.ts";
import type { Unnumbered } from "./stream-entry.ts";

/** What of one's own observations the history does not tell yet, in their order. */
export function newsOf(
  observations: readonly Observation[],
  index: EventIndex,
  isAfterGap: boolean,
): Observation[] {
  const news = new Set<Unnumbered>();
  for (const [key, own] of byKey(observations)) {
    const events = own.map(({ event }) => event);
    for (const event of unrecorded(events, index.storyOf(key), isAfterGap)) news.add(event);
  }
  return observations.filter(({ event }) => news.has(event));
}
