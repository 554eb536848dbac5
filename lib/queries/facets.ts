"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { Facets } from "@/lib/contract/facet.ts";
import type { LiveNamespaceCount } from "@/lib/contract/live-counts.ts";
import type { NamespaceList } from "@/lib/contract/namespace.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useCounts, useNamespaceCountSubscription } from "../live/hooks.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/** Calmly: these are counts to choose by. A hidden page asks nothing. */
const REFETCH_MS = 5000;
/** Of one branch; those that most locks have. */
export const NAMESPACES_SHOWN = 50;

/** What the locks of a search have in common. @param filter undefined: it is none that could be asked */
export function useFacets(filter: string | undefined) {
  const target = useTargetName();
  return useTargetQuery<Facets, RequestError>({
    queryKey: ["facets", target, filter],
    queryFn: () =>
      requestJson(
        sendRequest("GET", withTarget("/facets", target, { filter: filter || undefined })),
        (wire, json) => wire.readFacets(json),
      ),
    enabled: filter !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
}

/** What keys of locks go on with after a prefix, of the target as a whole. */
export function useNamespaces(prefix: string, isWanted = true) {
  const target = useTargetName();
  return useTargetQuery<NamespaceList, RequestError>({
    queryKey: ["namespaces", target, prefix],
    queryFn: () =>
      requestJson(
        sendRequest(
          "GET",
          withTarget("/namespaces", target, { prefix: prefix || undefined, limit: String(NAMESPACES_SHOWN) }),
        ),
        (wire, json) => wire.readNamespaces(json),
      ),
    enabled: isWanted,
    refetchInterval: REFETCH_MS,
  });
}

/** The namespaces below a prefix with the counts of this moment, as everything else on the page shows them. */
export function useCountedNamespaces(prefix: string) {
  useNamespaceCountSubscription(prefix);
  const { data, error } = useNamespaces(prefix);
  const counted = useCounts()?.namespaces;
  return { data: data && applyNamespaceCounts(data, counted), error };
}

function applyNamespaceCounts(
  list: NamespaceList,
  counted: ReadonlyMap<string, LiveNamespaceCount> | undefined,
): NamespaceList {
  if (counted === undefined) return list;
  const items = list.items.flatMap((item) => {
    const now = counted.get(item.name);
    if (now === undefined) return [item];
    if (now.holds === 0) return [];
    const { holds, needsAttention, waiting } = now;
    return [{ ...item, holds, needsAttention, waiters: { ...item.waiters, count: waiting } }];
  });
  return { ...list, items };
}
