"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { UsualMs } from "@/lib/contract/stats.ts";
import type { Key } from "@/lib/keys/key.ts";
import { ask, at, type Failure, send, type TargetName } from "../api/request.ts";
import { useTargetName } from "./targets.ts";

const EVERY_MS = 60_000;
/** Those that are acquired most; of the rest a lock's own page tells. */
const PATTERNS = 200;

/** undefined: not known. */
type UsualHeldOf = (key: Key) => UsualMs | undefined;

/** For how long locks of a key's pattern are held, where that is known; all who ask share one request a minute. */
export function useUsualHeld(key: Key): UsualMs | undefined {
  const target = useTargetName();
  const { data } = useQuery<UsualHeldOf, Failure>({
    queryKey: ["usual-held", target],
    queryFn: () => getUsualHeld(target),
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS,
    structuralSharing: false,
  });
  return useMemo(() => data?.(key), [data, key]);
}

async function getUsualHeld(target: TargetName): Promise<UsualHeldOf> {
  const query = { sort: "acquisitions", limit: String(PATTERNS) };
  // Not in the first load: it is used with what was asked for alone.
  const { patternOf } = await import("@/lib/keys/key-pattern.ts");
  const usual = await ask(send("GET", at("/stats", target, query)), (wire, json) =>
    wire
      .readStats(json)
      .patterns.items.flatMap(({ pattern, heldMs }): [string, UsualMs][] =>
        heldMs === null ? [] : [[pattern, heldMs]],
      ),
  );
  const byPattern = new Map(usual);
  return (key) => byPattern.get(patternOf(key));
}
