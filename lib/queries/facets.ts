"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { Facets } from "@/lib/contract/facet.ts";
import type { LiveNamespaceCount } from "@/lib/contract/live-counts.ts";
import type { NamespaceList } from "@/lib/contract/namespace.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useCounts, useNamespaceCountSubscription } from "../live/hooks.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/**
 * Interval of refetches, in ms. These counts need not be current, because they only help to choose a filter. Hidden
 * pages do not refetch.
 */
const REFETCH_MS = 5000;
/** Maximum number of namespaces shown per prefix. Namespaces with the most locks come first. */
export const NAMESPACES_SHOWN = 50;

/**
 * Reads the facets of the locks that match the filter.
 *
 * @param filter `undefined` if the filter is invalid; no request is then sent
 */
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

/** Reads the namespaces below a prefix. */
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

/**
 * Returns the namespaces below a prefix. Their counts are from the same snapshot as all other counts on the page,
 * except for namespaces that are not in the snapshot.
 */
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
