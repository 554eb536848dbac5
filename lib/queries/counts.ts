"use client";

import { useQueries } from "@tanstack/react-query";
import { ask, at, send } from "../api/request.ts";
import { useLive } from "../live/hooks.ts";
import { useTargetName } from "./targets.ts";

/** The server keeps each answer and brings it up to date: asking costs next to nothing, and is still not free. */
const EVERY_MS = 15_000;

/** How many locks each of the filters finds, in their order; undefined: not known yet. */
export function useCounts(filters: readonly string[]): readonly (number | undefined)[] {
  const target = useTargetName();
  const { connection } = useLive();
  return useQueries({
    queries: filters.map((filter) => ({
      queryKey: ["count", target, filter],
      queryFn: () =>
        ask<number>(
          send("GET", at("/locks", target, { filter, limit: "1" })),
          (wire, json) => wire.readLocks(json).total,
        ),
      enabled: connection === "live",
      refetchInterval: EVERY_MS,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
}
