"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { LockList } from "@/lib/contract/list.ts";
import type { OwnerList, OwnersBy } from "@/lib/contract/owner.ts";
import { ask, at, type Failure, send } from "../api/request.ts";
import { useTargetName } from "./targets.ts";

export interface OwnersView {
  readonly by: OwnersBy;
  readonly filter: string;
  readonly sort: string;
}

const EVERY_MS = 3000;
/** Whoever has more to look at narrows the search. */
export const OWNERS_SHOWN = 500;

/** Who has how many locks, as it is now. */
export function useOwners({ by, filter, sort }: OwnersView) {
  const target = useTargetName();
  return useQuery<OwnerList, Failure>({
    queryKey: ["owners", target, by, filter, sort],
    queryFn: () =>
      ask(
        send(
          "GET",
          at("/owners", target, { by, filter: filter || undefined, sort, limit: String(OWNERS_SHOWN) }),
        ),
        (wire, json) => wire.readOwners(json),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

/** Locks that match a filter, the longest held first, as they are now. */
export function useLocksOf(filter: string, limit: number) {
  const target = useTargetName();
  return useQuery<LockList, Failure>({
    queryKey: ["locks-of", target, filter, limit],
    queryFn: () =>
      ask(send("GET", at("/locks", target, { filter, sort: "-held", limit: String(limit) })), (wire, json) =>
        wire.readLocks(json),
      ),
    refetchInterval: EVERY_MS,
  });
}
