import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";
import type { LiveWindow, PinnedLock } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { encodeKeyPath, parseKeyFields } from "@/lib/keys/key.ts";
import type { TargetName } from "../api/request.ts";
import { useLiveStore } from "./live-context.ts";
import type { LiveCache } from "./live-store.ts";

const getWindowQueryKey = (target: TargetName) => ["window", target] as const;
const getLockQueryKey = (target: TargetName, path: string) => ["lock", target, path] as const;
const getPinnedQueryKey = (target: TargetName) => ["kept", target] as const;

/**
 * Options of queries for streamed data. Disables structural sharing, because the stream already reuses unchanged
 * objects.
 */
const STREAMED_QUERY = { queryFn: skipToken, staleTime: "static", structuralSharing: false } as const;

/**
 * Creates the cache for the data from the stream. Components read the cache through queries, which never fetch this
 * data.
 */
export function createLiveCache(client: QueryClient, target: TargetName): LiveCache {
  return {
    window: (window) => client.setQueryData<LiveWindow>(getWindowQueryKey(target), window),
    pinned: (pinned) => client.setQueryData<PinnedLocks>(getPinnedQueryKey(target), pinned),
    lock: (lock) =>
      client.setQueryData<Lock>(getLockQueryKey(target, encodeKeyPath(parseKeyFields(lock))), lock),
    // Invalidates the histories that `lib/queries/lock-history.ts` has fetched.
    reconnected: () => void client.invalidateQueries({ queryKey: ["history"] }),
    clear: () => client.clear(),
  };
}

export function useLockWindow(): LiveWindow | undefined {
  const { target } = useLiveStore();
  return useQuery<LiveWindow>({ queryKey: getWindowQueryKey(target), ...STREAMED_QUERY }).data;
}

export type PinnedLocks = ReadonlyMap<string, PinnedLock>;

/**
 * Returns the pinned locks that are not in the window, by key as a path segment; `undefined` until the first pinned
 * locks arrive.
 */
export function usePinnedLocks(): PinnedLocks | undefined {
  const { target } = useLiveStore();
  return useQuery<PinnedLocks>({
    queryKey: getPinnedQueryKey(target),
    queryFn: skipToken,
    staleTime: "static",
    structuralSharing: false,
  }).data;
}

export function useLock(path: string): Lock | undefined {
  const { target } = useLiveStore();
  return useQuery<Lock>({ queryKey: getLockQueryKey(target, path), ...STREAMED_QUERY }).data;
}
