"use client";

import { useState } from "react";
import type { HistoryEntry } from "@/lib/contract/event.ts";

interface HeldEvents {
  /** Oldest first. */
  readonly events: readonly HistoryEntry[];
  /** How many have arrived since they are held. */
  readonly waiting: number;
  /** Shows what has arrived. */
  update(): void;
}

/**
 * Keeps the events that are shown while somebody points at them.
 *
 * @param events oldest first
 */
export function useHeldEvents(events: readonly HistoryEntry[], isHeld: boolean): HeldEvents {
  const [held, setHeld] = useState<readonly HistoryEntry[] | null>(null);
  // An empty list has no rows to hold still.
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
  // Its id changes once it is stored; then its time tells.
  return at >= 0 ? events.length - 1 - at : events.filter(({ at: moment }) => moment > last.at).length;
}
