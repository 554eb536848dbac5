"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { View, ViewInput, ViewList } from "@/lib/contract/view.ts";
import { type RequestError, requestJson, requestVoid, sendRequest } from "../api/request.ts";
import { useLiveState } from "../live/hooks.ts";

const VIEWS_QUERY_KEY = ["views"];
/** Interval of refetches, in ms. Long, because views rarely change outside this browser. */
const REFETCH_MS = 60_000;
const NO_VIEWS: readonly View[] = [];

const getViewPath = (id: string) => `/views/${encodeURIComponent(id)}`;

/** Returns the operator's views, followed by the team views. Empty until loaded. */
export function useViews(): readonly View[] {
  const { connection } = useLiveState();
  const { data } = useQuery<ViewList, RequestError>({
    queryKey: VIEWS_QUERY_KEY,
    queryFn: () => requestJson(sendRequest("GET", "/views"), (wire, json) => wire.readViews(json)),
    enabled: connection !== "logged_out",
    refetchInterval: REFETCH_MS,
    staleTime: REFETCH_MS / 2,
  });
  return data?.items ?? NO_VIEWS;
}

/** Returns a mutation that creates or changes a view and updates the list of views. */
export function useSaveView() {
  const client = useQueryClient();
  return useMutation<ViewList, RequestError, { id: string } & Partial<ViewInput>>({
    mutationFn: ({ id, ...input }) =>
      requestJson(sendRequest("PUT", getViewPath(id), input), (wire, json) => wire.readViews(json)),
    onSuccess: (views) => client.setQueryData(VIEWS_QUERY_KEY, views),
    onError: () => client.invalidateQueries({ queryKey: VIEWS_QUERY_KEY }),
  });
}

export function useRemoveView() {
  const client = useQueryClient();
  return useMutation<void, RequestError, string>({
    mutationFn: (id) => requestVoid(sendRequest("DELETE", getViewPath(id))),
    onSettled: () => client.invalidateQueries({ queryKey: VIEWS_QUERY_KEY }),
  });
}
