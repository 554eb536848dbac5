import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { LockList } from "@/lib/contract/list.ts";
import { ask, at, type Failure, send } from "../api/request.ts";
import { useTargetName } from "./targets.ts";

/** The first locks that match a filter, what wants a look before the others. @param filter "": nothing is asked */
export function useFoundLocks(filter: string, limit: number) {
  const target = useTargetName();
  return useQuery<LockList, Failure>({
    queryKey: ["found", target, filter, limit],
    queryFn: () =>
      ask(
        send("GET", at("/locks", target, { filter, sort: "-abnormality", limit: String(limit) })),
        (wire, json) => wire.readLocks(json),
      ),
    enabled: filter !== "",
    placeholderData: keepPreviousData,
    retry: false,
  });
}
