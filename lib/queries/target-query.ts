"use client";

import { type DefaultError, type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useLiveStore } from "../live/live-context.ts";

/** Returns whether requests to the target can succeed. This requires a live stream and a Redis that responds. */
export function useIsTargetReadable(): boolean {
  const store = useLiveStore();
  const isReadable = () => {
    const { connection, health } = store.state();
    return connection === "live" && health !== null && health.state !== "down";
  };
  return useSyncExternalStore(store.subscribe, isReadable, () => false);
}

/** Works like `useQuery`. While the target is down, sends no requests and keeps its data. */
export function useTargetQuery<Data, Failure = DefaultError>(
  options: UseQueryOptions<Data, Failure, Data, QueryKey> & { readonly enabled?: boolean },
) {
  const isReadable = useIsTargetReadable();
  return useQuery<Data, Failure>({ ...options, enabled: options.enabled !== false && isReadable });
}
