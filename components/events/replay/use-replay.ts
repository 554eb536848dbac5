"use client";

import { useEffect, useMemo, useState } from "react";
import { getTargetHistory } from "@/lib/api/endpoints.ts";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import type { EventSearch } from "../feed/use-event-reader.ts";
import {
  adaptClock,
  createStoppedClock,
  getReplayPosition,
  isReplayAtEnd,
  type ReplayClock,
  type ReplaySpeed,
  type ReplayTime,
  seekClock,
  setClockSpeed,
  startClock,
  stopClock,
} from "./replay-clock.ts";

/**
 * Maximum number of events in a replay. The replay keeps all events in memory, so the slider can move to any position
 * immediately.
 */
const EVENTS_MAX = 20_000;
const PAGE_SIZE = 500;
const TICK_MS = 100;
const NO_ENTRIES: readonly HistoryEntry[] = [];

export interface ReplaySpan {
  readonly from: number;
  readonly to: number;
}

interface LoadedSpan {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  readonly state: "loading" | "done" | "failed";
  /** Whether the history covers the whole range; `false` if events at the start of the range may have been deleted. */
  readonly isWhole: boolean;
  /**
   * The time at which the replay ends early because the range has more than `EVENTS_MAX` events; `undefined` if all
   * events are loaded.
   */
  readonly cutAt: number | undefined;
}

export interface Replay extends LoadedSpan {
  readonly clock: ReplayClock;
  readonly position: number;
  readonly isPlaying: boolean;
  readonly isOver: boolean;
  /** Events up to the position, newest first. */
  readonly shown: readonly HistoryEntry[];
  toggle(): void;
  /** Moves to a position. @returns the new position */
  seek(position: number): number;
  setSpeed(speed: ReplaySpeed): void;
}

const EMPTY_SPAN: LoadedSpan = { entries: NO_ENTRIES, state: "loading", isWhole: true, cutAt: undefined };

/**
 * Replays a time range.
 *
 * @param begin the initial position, where the replay is paused; if `undefined`, the replay plays from `from`
 */
export function useReplay(
  search: EventSearch,
  { from, to }: ReplaySpan,
  begin: number | undefined,
  speed: ReplaySpeed,
): Replay {
  const loaded = useReplaySpan(search, from, to);
  const { entries } = loaded;
  const isLoading = loaded.state === "loading";
  const [known, setClock] = useState(() => {
    const first = createStoppedClock(from, to, begin ?? from, speed);
    return begin === undefined ? startClock(first, "loading") : first;
  });
  // Events are loaded first, and again after each change of the search. Playback waits for them, and ends at their end.
  const end = loaded.cutAt ?? to;
  const clock = adaptClock(known, end, isLoading ? "loading" : "loaded", performance.now());
  if (clock !== known) setClock(clock);
  const now = useAnimationTime(typeof clock.runsSince === "number" && clock.position < clock.to);
  const position = getReplayPosition(clock, now);
  const isOver = !isLoading && position >= clock.to;
  const readTime = (): ReplayTime => (isLoading ? "loading" : performance.now());
  const count = useMemo(() => countEventsUntil(entries, position), [entries, position]);
  const shown = useMemo(() => entries.slice(entries.length - count), [entries, count]);
  return {
    ...loaded,
    clock,
    position,
    isPlaying: clock.runsSince !== null && !isOver,
    isOver,
    shown,
    toggle: () => {
      const at = readTime();
      const isRunning = clock.runsSince !== null && !isReplayAtEnd(clock, at);
      setClock(isRunning ? stopClock(clock, at) : startClock(clock, at));
    },
    seek: (wanted) => {
      const next = seekClock(clock, wanted, readTime());
      setClock(next);
      return next.position;
    },
    setSpeed: (wanted) => setClock(setClockSpeed(clock, wanted, readTime())),
  };
}

/** Returns the monotonic time in ms. While `runs` is set, updates it every `TICK_MS`. */
function useAnimationTime(runs: boolean): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    setNow(performance.now());
    if (!runs) return;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** Counts the entries up to a time. `entries` must be sorted newest first. */
function countEventsUntil(entries: readonly HistoryEntry[], position: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && entry.at > position) low = middle + 1;
    else high = middle;
  }
  return entries.length - low;
}

function useReplaySpan({ filter, types }: EventSearch, from: number, to: number): LoadedSpan {
  const { target } = useLiveStore();
  const [loaded, setLoaded] = useState(EMPTY_SPAN);
  const names = types.join(",");
  useEffect(() => {
    let isWanted = true;
    const view = { text: filter, types: names === "" ? [] : names.split(","), from, to };
    const load = async () => {
      const found: HistoryEntry[] = [];
      const update = (state: LoadedSpan["state"], isWhole: boolean, cutAt?: number) => {
        // The server returns events in the order in which they were recorded, which can differ from the order of their
        // times.
        const entries = found.toSorted((one, other) => other.at - one.at);
        setLoaded({ entries, state, isWhole, cutAt });
      };
      try {
        for (let cursor: string | undefined; ; ) {
          const page = await getTargetHistory(
            view,
            { order: "oldest_first", cursor, limit: PAGE_SIZE },
            target,
          );
          if (!isWanted) return;
          found.push(...page.items);
          cursor = page.next;
          if (cursor === undefined) return update("done", page.complete);
          if (found.length >= EVENTS_MAX) return update("done", true, found.at(-1)?.at);
          update("loading", true);
        }
      } catch {
        if (isWanted) update("failed", true);
      }
    };
    setLoaded(EMPTY_SPAN);
    void load();
    return () => {
      isWanted = false;
    };
  }, [filter, names, from, to, target]);
  return loaded;
}
