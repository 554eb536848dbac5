import { keepPreviousData } from "@tanstack/react-query";
import type { LockList } from "@/lib/contract/list.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/**
 * Reads up to `limit` locks that match a filter. Locks that need attention come first.
 *
 * @param filter no request is sent if the filter is empty
 */
export function useFoundLocks(filter: string, limit: number) {
  const target = useTargetName();
  return useTargetQuery<LockList, RequestError>({
    queryKey: ["found", target, filter, limit],
    queryFn: () =>
      requestJson(
        sendRequest(
          "GET",
          withTarget("/locks", target, { filter, sort: "-attention", limit: String(limit) }),
        ),
        (wire, json) => wire.readLocks(json),
      ),
    enabled: filter !== "",
    placeholderData: keepPreviousData,
    retry: false,
  });
}
