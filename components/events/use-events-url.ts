"use client";

import { parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import type { EventType } from "@/lib/contract/event.ts";
import { REPLAY_SPEEDS, type ReplaySpeed } from "./replay/replay-clock.ts";
import type { ReplaySpan } from "./replay/use-replay.ts";
import { ALL_EVENT_TYPES } from "./text/event-text.ts";

const PARSERS = {
  q: parseAsString.withDefault(""),
  /** The time up to which events are shown, in Unix milliseconds. During a replay, the position of the replay. */
  at: parseAsInteger,
  type: parseAsArrayOf(parseAsStringLiteral(ALL_EVENT_TYPES)).withDefault([]),
  /** The start of the replayed range in Unix milliseconds. `to` is the end. */
  from: parseAsInteger,
  to: parseAsInteger,
  speed: parseAsInteger,
};

export function useEventsUrl() {
  const [{ q, type, at, from, to, speed }, set] = useQueryStates(PARSERS);
  const replay: ReplaySpan | undefined =
    from === null || to === null || to <= from ? undefined : { from, to };
  return {
    filter: q.slice(0, 300),
    types: type as EventType[],
    at: at ?? undefined,
    replay,
    speed: REPLAY_SPEEDS.find((each) => each === speed) ?? 10,
    setAt: (moment: number | undefined) => void set({ at: moment ?? null }),
    setFilter: (filter: string) => void set({ q: filter === "" ? null : filter }),
    setTypes: (types: EventType[]) => void set({ type: types.length === 0 ? null : types }),
    setReplay: (span: ReplaySpan | undefined) =>
      void set({ from: span?.from ?? null, to: span?.to ?? null, at: null, speed: null }),
    setSpeed: (wanted: ReplaySpeed) => void set({ speed: wanted }),
    clear: () => void set({ q: null, type: null }),
  };
}
