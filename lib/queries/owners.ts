"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { LockList } from "@/lib/contract/list.ts";
import type { OwnerGrouping, OwnerList } from "@/lib/contract/owner.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useLiveState } from "../live/hooks.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

export interface OwnersView {
  readonly by: OwnerGrouping;
  readonly filter: string;
  readonly sort: string;
}

const REFETCH_MS = 3000;
/** Maximum number of owners shown. If there are more, the operator must narrow the search. */
export const OWNERS_SHOWN = 500;

/** Reads up to `OWNERS_SHOWN` owners, services, hosts or sessions, as selected by `by`, and counts their locks. */
export function useOwners({ by, filter, sort }: OwnersView) {
  const target = useTargetName();
  return useTargetQuery<OwnerList, RequestError>({
    queryKey: ["owners", target, by, filter, sort],
    queryFn: () =>
      requestJson(
        sendRequest(
          "GET",
          withTarget("/owners", target, {
            by,
            filter: filter || undefined,
            sort,
            limit: String(OWNERS_SHOWN),
          }),
        ),
        (wire, json) => wire.readOwners(json),
      ),
    // While the target is down, a request could not return newer data than the page shows.
    enabled: useIsTargetAnswering(),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

function useIsTargetAnswering(): boolean {
  const { connection, health } = useLiveState();
  return connection !== "logged_out" && health?.state !== "down";
}

/** Reads up to `limit` current locks that match a filter, longest held first. */
export function useOwnerLocks(filter: string, limit: number) {
  const target = useTargetName();
  return useTargetQuery<LockList, RequestError>({
    queryKey: ["locks-of", target, filter, limit],
    queryFn: () =>
      requestJson(
        sendRequest("GET", withTarget("/locks", target, { filter, sort: "-held", limit: String(limit) })),
        (wire, json) => wire.readLocks(json),
      ),
    enabled: useIsTargetAnswering(),
    refetchInterval: REFETCH_MS,
  });
}
