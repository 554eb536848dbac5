"use client";

import { useMemo } from "react";
import { pathOf } from "@/components/locks/lock-facts.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { useEvents } from "@/lib/live/hooks.ts";
import { useHistory } from "@/lib/live/pictures.ts";
import { isEnding, mergeEvents } from "./merge-events.ts";

export interface KeyEvents {
  /** Newest first. */
  events: readonly LockEvent[];
  /** false: older ones are gone from the server's memory. */
  complete: boolean;
  loading: boolean;
  failed: boolean;
  /** How the last hold ended, when nothing began after it. */
  ending: LockEvent | undefined;
}

/** What the server remembers of a key, and what came since. */
export function useKeyEvents(path: string): KeyEvents {
  const history = useHistory(path);
  const { events: live } = useEvents();
  const events = useMemo(
    () =>
      mergeEvents(
        history.data?.items ?? [],
        live.filter((event) => pathOf(event) === path),
      ),
    [history.data, live, path],
  );
  const [last] = events;
  return {
    events,
    complete: history.data?.complete ?? true,
    loading: history.isPending,
    failed: history.isError,
    ending: last !== undefined && isEnding(last) ? last : undefined,
  };
}
