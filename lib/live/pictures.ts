import { type QueryClient, skipToken, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { keyOfFields, pathOfKey } from "@/lib/contract/key.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { getHistory, getPast, type PastView } from "./api.ts";
import { useLiveStore } from "./live-context.ts";
import type { TargetName } from "./request.ts";
import type { Pictures } from "./store.ts";

const windowKey = (target: TargetName) => ["window", target] as const;
const lockKey = (target: TargetName, path: string) => ["lock", target, path] as const;
const historyKey = (target: TargetName, path: string) => ["history", target, path] as const;

/** Never fetched. The stream shares what did not change by itself, so nobody has to compare it again. */
const CARRIED = { queryFn: skipToken, staleTime: "static", structuralSharing: false } as const;

/** The stream writes, the pages read: the cache never fetches what the stream carries. */
export function queryPictures(client: QueryClient, target: TargetName): Pictures {
  return {
    window: (window) => client.setQueryData<LiveWindow>(windowKey(target), window),
    lock: (lock) => client.setQueryData<Lock>(lockKey(target, pathOfKey(keyOfFields(lock))), lock),
    reconnected: () => void client.invalidateQueries({ queryKey: ["history"] }),
    forget: () => client.clear(),
  };
}

export function useLockWindow(): LiveWindow | undefined {
  const { target } = useLiveStore();
  return useQuery<LiveWindow>({ queryKey: windowKey(target), ...CARRIED }).data;
}

export function useLock(path: string): Lock | undefined {
  const { target } = useLiveStore();
  return useQuery<Lock>({ queryKey: lockKey(target, path), ...CARRIED }).data;
}

/** Page by page, the newest first. */
export function useHistory(path: string) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: historyKey(target, path),
    queryFn: ({ pageParam }) => getHistory(path, target, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** The past of all locks, page by page, the newest first. @param before an id; undefined: nothing is loaded */
export function usePast(view: PastView, before: string | undefined) {
  const { target } = useLiveStore();
  return useInfiniteQuery({
    queryKey: ["past", target, view, before],
    queryFn: ({ pageParam }) => getPast(view, target, pageParam),
    initialPageParam: before === "" ? undefined : before,
    getNextPageParam: ({ next }) => next,
    enabled: before !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** Whether there is anything older than an event: a page of one. @param before an id; undefined: it is not asked */
export function useIsOlder(view: PastView, before: string | undefined): IsOlder {
  const { target } = useLiveStore();
  const { data } = useQuery({
    queryKey: ["past-begins", target, view, before],
    queryFn: () => getPast(view, target, before || undefined, 1),
    enabled: before !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return "unknown";
  if (data.items.length > 0) return "some";
  return data.complete ? "never_was" : "not_kept";
}

export type IsOlder = "some" | "never_was" | "not_kept" | "unknown";
