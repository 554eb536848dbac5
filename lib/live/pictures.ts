import { type QueryClient, skipToken, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { keyOfFields, pathOfKey } from "@/lib/contract/key.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { getHistory } from "./api.ts";
import type { Pictures } from "./store.ts";

const WINDOW = ["window"] as const;
const lockKey = (path: string) => ["lock", path] as const;
const historyKey = (path: string) => ["history", path] as const;

/** The stream writes, the pages read: the cache never fetches what the stream carries. */
export function queryPictures(client: QueryClient): Pictures {
  return {
    window: (window) => client.setQueryData<LiveWindow>(WINDOW, window),
    lock: (lock) => client.setQueryData<Lock>(lockKey(pathOfKey(keyOfFields(lock))), lock),
    reconnected: () => void client.invalidateQueries({ queryKey: ["history"] }),
    forget: () => client.clear(),
  };
}

export function useLockWindow(): LiveWindow | undefined {
  return useQuery<LiveWindow>({ queryKey: WINDOW, queryFn: skipToken, staleTime: "static" }).data;
}

export function useLock(path: string): Lock | undefined {
  return useQuery<Lock>({ queryKey: lockKey(path), queryFn: skipToken, staleTime: "static" }).data;
}

/** Page by page, the newest first. */
export function useHistory(path: string) {
  return useInfiniteQuery({
    queryKey: historyKey(path),
    queryFn: ({ pageParam }) => getHistory(path, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}
