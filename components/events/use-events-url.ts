"use client";

import { parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import type { EventType } from "@/lib/contract/event.ts";
import { ALL_TYPES } from "./event-text.ts";

const PARSERS = {
  q: parseAsString.withDefault(""),
  /** A moment, Unix milliseconds: what came until then is shown, and nothing live. */
  at: parseAsInteger,
  type: parseAsArrayOf(parseAsStringLiteral(ALL_TYPES)).withDefault([]),
};

export function useEventsUrl() {
  const [{ q, type, at }, set] = useQueryStates(PARSERS);
  return {
    filter: q.slice(0, 300),
    types: type as EventType[],
    at: at ?? undefined,
    setAt: (moment: number | undefined) => void set({ at: moment ?? null }),
    setFilter: (filter: string) => void set({ q: filter === "" ? null : filter }),
    setTypes: (types: EventType[]) => void set({ type: types.length === 0 ? null : types }),
    clear: () => void set({ q: null, type: null }),
  };
}
