"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FinderReport } from "@/lib/contract/detection/lock-finder.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { cancelFinder, getFinderReport, startFinder } from "../api/endpoints.ts";
import type { RequestError, TargetName } from "../api/request.ts";

const getFinderQueryKey = (target: TargetName) => ["finding", target];

/** Reads the progress of the lock finder. Refetches the progress while the finder is running. */
export function useFinderReport() {
  const { target } = useLiveStore();
  return useQuery<FinderReport, RequestError>({
    queryKey: getFinderQueryKey(target),
    queryFn: () => getFinderReport(target),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? 1000 : false),
  });
}

/** Returns a mutation that starts or cancels the lock finder. */
export function useFinderAction(what: "start" | "cancel") {
  const client = useQueryClient();
  const { target } = useLiveStore();
  return useMutation<FinderReport, RequestError, void>({
    mutationFn: () => (what === "start" ? startFinder(target) : cancelFinder(target)),
    onSuccess: (finding) => client.setQueryData(getFinderQueryKey(target), finding),
  });
}
