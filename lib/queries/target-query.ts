"use client";

import { type DefaultError, type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { useLiveStore } from "../live/live-context.ts";

/** Returns whether requests to the target can succeed: the stream is live, and the target is not down. */
export function useIsTargetReadable(): boolean {
  const store = useLiveStore();
  const isReadable = () => {
    const { connection, health } = store.state();
    return connection === "live" && health !== null && health.state !== "down";
  };
  return useSyncExternalStore(store.subscribe, isReadable, () => false);
}

/** Works like `useQuery`, but sends no requests and keeps the last data while the target is not readable. */
export function useTargetQuery<Data, Failure = DefaultError>(
  options: UseQueryOptions<Data, Failure, Data, QueryKey> & { readonly enabled?: boolean },
) {
  const isReadable = useIsTargetReadable();
  return useQuery<Data, Failure>({ ...options, enabled: options.enabled !== false && isReadable });
}
