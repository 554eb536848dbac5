"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FinderReport } from "@/lib/contract/detection/lock-finder.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { cancelFinder, getFinding, startFinder } from "../api/endpoints.ts";
import type { Failure, TargetName } from "../api/request.ts";

const findingKey = (target: TargetName) => ["finding", target];

/** How far the finder is, looked at again and again while it runs. */
export function useFinding() {
  const { target } = useLiveStore();
  return useQuery<FinderReport, Failure>({
    queryKey: findingKey(target),
    queryFn: () => getFinding(target),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? 1000 : false),
  });
}

/** Starts the finder, or stops it. */
export function useFinder(what: "start" | "cancel") {
  const client = useQueryClient();
  const { target } = useLiveStore();
  return useMutation<FinderReport, Failure, void>({
    mutationFn: () => (what === "start" ? startFinder(target) : cancelFinder(target)),
    onSuccess: (finding) => client.setQueryData(findingKey(target), finding),
  });
}
