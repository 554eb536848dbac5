"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { View, ViewInput, ViewList } from "@/lib/contract/view.ts";
import { ask, type Failure, order, send } from "../api/request.ts";
import { useLive } from "../live/hooks.ts";

const VIEWS = ["views"];
/** Other browsers of the same operator, and the team, change them seldom. */
const EVERY_MS = 60_000;
const NONE: readonly View[] = [];

const addressOf = (id: string) => `/views/${encodeURIComponent(id)}`;

/** One's own, then the team's; none until they are known. */
export function useViews(): readonly View[] {
  const { connection } = useLive();
  const { data } = useQuery<ViewList, Failure>({
    queryKey: VIEWS,
    queryFn: () => ask(send("GET", "/views"), (wire, json) => wire.readViews(json)),
    enabled: connection !== "logged_out",
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS / 2,
  });
  return data?.items ?? NONE;
}

/** Makes one, or changes it. */
export function useSaveView() {
  const client = useQueryClient();
  return useMutation<ViewList, Failure, { id: string } & Partial<ViewInput>>({
    mutationFn: ({ id, ...input }) =>
      ask(send("PUT", addressOf(id), input), (wire, json) => wire.readViews(json)),
    onSuccess: (views) => client.setQueryData(VIEWS, views),
    onError: () => client.invalidateQueries({ queryKey: VIEWS }),
  });
}

export function useRemoveView() {
  const client = useQueryClient();
  return useMutation<void, Failure, string>({
    mutationFn: (id) => order(send("DELETE", addressOf(id))),
    onSettled: () => client.invalidateQueries({ queryKey: VIEWS }),
  });
}
