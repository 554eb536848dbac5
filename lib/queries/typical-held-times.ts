"use client";

import { useMemo } from "react";
import type { TypicalMs } from "@/lib/contract/stats.ts";
import type { Key } from "@/lib/keys/key.ts";
import { loadPart } from "../api/load-part.ts";
import { type RequestError, requestJson, sendRequest, type TargetName, withTarget } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

const REFETCH_MS = 60_000;
/**
 * Number of key patterns to read. The patterns that are acquired most often come first. The lock page reads the pattern
 * of its lock separately.
 */
const PATTERNS_MAX = 200;

const loadKeyPattern = loadPart(() => import("@/lib/keys/key-pattern.ts"));

/** Returns the typical hold time of the key pattern to which the key belongs; `undefined` if there is no data. */
type TypicalHeldLookup = (key: Key) => TypicalMs | undefined;

/**
 * Returns the typical hold time of the key pattern to which the key belongs. Returns `undefined` if there is no data,
 * or if the pattern is not one of the 200 patterns that are acquired most often. All callers share one request per
 * minute.
 */
export function useTypicalHeldTime(key: Key): TypicalMs | undefined {
  const target = useTargetName();
  const { data } = useTargetQuery<TypicalHeldLookup, RequestError>({
    queryKey: ["typical-held", target],
    queryFn: () => fetchTypicalHeldTimes(target),
    refetchInterval: REFETCH_MS,
    staleTime: REFETCH_MS,
    structuralSharing: false,
  });
  return useMemo(() => data?.(key), [data, key]);
}

async function fetchTypicalHeldTimes(target: TargetName): Promise<TypicalHeldLookup> {
  const query = { sort: "acquisitions", limit: String(PATTERNS_MAX) };
  // Imported dynamically to keep the code out of the first load, because it is only needed for fetched data.
  const { toKeyPattern: patternOf } = await loadKeyPattern();
  const typical = await requestJson(sendRequest("GET", withTarget("/stats", target, query)), (wire, json) =>
    wire
      .readStats(json)
      .patterns.items.flatMap(({ pattern, heldMs }): [string, TypicalMs][] =>
        heldMs === null ? [] : [[pattern, heldMs]],
      ),
  );
  const byPattern = new Map(typical);
  return (key) => byPattern.get(patternOf(key));
}
