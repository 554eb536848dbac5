"use client";

import { useQuery } from "@tanstack/react-query";
import type { Usual } from "@/lib/contract/stats.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getUsual } from "../api/endpoints.ts";
import type { Failure } from "../api/request.ts";

const USUAL_EVERY_MS = 30_000;

/** What is usual for a lock of this name; undefined while it is not known. */
export function useUsual(path: string): Usual | undefined {
  const { target } = useLiveStore();
  const { data } = useQuery<Usual, Failure>({
    queryKey: ["usual", target, path],
    queryFn: () => getUsual(path, target),
    refetchInterval: USUAL_EVERY_MS,
  });
  return data;
}
