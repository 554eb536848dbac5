"use client";

import { useQueries } from "@tanstack/react-query";
import { requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useIsTargetReadable } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/** The server keeps each answer and brings it up to date: asking costs next to nothing, and is still not free. */
const REFETCH_MS = 15_000;

/** How many locks each of the filters finds, in their order; undefined: not known yet. */
export function useLockCounts(filters: readonly string[]): readonly (number | undefined)[] {
  const target = useTargetName();
  const isReadable = useIsTargetReadable();
  return useQueries({
    queries: filters.map((filter) => ({
      queryKey: ["count", target, filter],
      queryFn: () =>
        requestJson<number>(
          sendRequest("GET", withTarget("/locks", target, { filter, limit: "1" })),
          (wire, json) => wire.readLocks(json).total,
        ),
      enabled: isReadable,
      refetchInterval: REFETCH_MS,
      retry: false,
    })),
    combine: (results) => results.map(({ data }) => data),
  });
}
