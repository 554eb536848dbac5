import { type QueryClient, skipToken, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { keyOfFields, pathOfKey } from "@/lib/contract/key.ts";
import type { KeptLock, LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { getHistory } from "./api.ts";
import { useLiveStore } from "./live-context.ts";
import type { TargetName } from "./request.ts";
import type { Pictures } from "./store.ts";

const windowKey = (target: TargetName) => ["window", target] as const;
const lockKey = (target: TargetName, path: string) => ["lock", target, path] as const;
const keptKey = (target: TargetName) => ["kept", target] as const;
const historyKey = (target: TargetName, path: string) => ["history", target, path] as const;

/** Never fetched. The stream shares what did not change by itself, so nobody has to compare it again. */
const CARRIED = { queryFn: skipToken, staleTime: "static", structuralSharing: false } as const;

/** The stream writes, the pages read: the cache never fetches what the stream carries. */
export function queryPictures(client: QueryClient, target: TargetName): Pictures {
  return {
    window: (window) => client.setQueryData<LiveWindow>(windowKey(target), window),
    kept: (kept) => client.setQueryData<Kept>(keptKey(target), kept),
    lock: (lock) => client.setQueryData<Lock>(lockKey(target, pathOfKey(keyOfFields(lock))), lock),
    reconnected: () => void client.invalidateQueries({ queryKey: ["history"] }),
    forget: () => client.clear(),
  };
}

export function useLockWindow(): LiveWindow | undefined {
  const { target } = useLiveStore();
  return useQuery<LiveWindow>({ queryKey: windowKey(target), ...CARRIED }).data;
}

export type Kept = ReadonlyMap<string, KeptLock>;

/** By path: rows that the view keeps, where the window does not tell of them. */
export function useKept(): Kept | undefined {
  const { target } = useLiveStore();
  return useQuery<Kept>({
    queryKey: keptKey(target),
    queryFn: skipToken,
    staleTime: "static",
    structuralSharing: false,
  }).data;
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
