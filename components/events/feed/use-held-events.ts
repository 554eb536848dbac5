"use client";

import { useState } from "react";
import type { HistoryEntry } from "@/lib/contract/event.ts";

interface HeldEvents {
  /** Oldest first. */
  readonly events: readonly HistoryEntry[];
  /** The number of events that have arrived but are not shown. */
  readonly waiting: number;
  /** Adds the waiting events to `events`. */
  update(): void;
}

/**
 * Returns the events to show. While `isHeld` is set, a list that is not empty changes only when `update` is called.
 *
 * @param events oldest first
 * @param isHeld whether the pointer is on the events
 */
export function useHeldEvents(events: readonly HistoryEntry[], isHeld: boolean): HeldEvents {
  const [held, setHeld] = useState<readonly HistoryEntry[] | null>(null);
  // An empty list shows new events even while held, because no visible rows would move.
  const wanted = isHeld && events.length > 0 ? (held ?? events) : null;
  if (wanted !== held) setHeld(wanted);
  return {
    events: wanted ?? events,
    waiting: wanted === null ? 0 : countNewer(events, wanted.at(-1)),
    update: () => setHeld(isHeld ? events : null),
  };
}

function countNewer(events: readonly HistoryEntry[], last: HistoryEntry | undefined): number {
  if (last === undefined) return events.length;
  const at = events.findLastIndex(({ id }) => id === last.id);
  // The event is missing because its id changes when the event is stored. Compares times instead.
  return at >= 0 ? events.length - 1 - at : events.filter(({ at: moment }) => moment > last.at).length;
}
