import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";
import type { KeptLock, LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { keyOfFields, pathOfKey } from "@/lib/keys/key.ts";
import type { TargetName } from "../api/request.ts";
import { useLiveStore } from "./live-context.ts";
import type { Pictures } from "./live-store.ts";

const windowKey = (target: TargetName) => ["window", target] as const;
const lockKey = (target: TargetName, path: string) => ["lock", target, path] as const;
const keptKey = (target: TargetName) => ["kept", target] as const;

/** Never fetched. The stream shares what did not change by itself, so nobody has to compare it again. */
const CARRIED = { queryFn: skipToken, staleTime: "static", structuralSharing: false } as const;

/** The stream writes, the pages read: the cache never fetches what the stream carries. */
export function queryPictures(client: QueryClient, target: TargetName): Pictures {
  return {
    window: (window) => client.setQueryData<LiveWindow>(windowKey(target), window),
    kept: (kept) => client.setQueryData<Kept>(keptKey(target), kept),
    lock: (lock) => client.setQueryData<Lock>(lockKey(target, pathOfKey(keyOfFields(lock))), lock),
    // The first part of the keys of `lib/queries/lock-history.ts`, which fetches.
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
