"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { Lock } from "@/lib/contract/lock.ts";
import type { WaitPosition, Waits } from "@/lib/contract/waits/waits.ts";
import type { KeyFields } from "@/lib/keys/key.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/** Interval of refetches, in ms. The server finds a deadlock within 2 s. */
const REFETCH_MS = 1000;
const POSITION_REFETCH_MS = 2000;

/**
 * Reads the wait-for graph of the target. Refetches the graph while the component is mounted.
 *
 * @param lock the lock to which the graph is limited; `undefined` for the whole graph
 */
export function useWaits(lock: KeyFields | undefined, refetchMs = REFETCH_MS, enabled = true) {
  const target = useTargetName();
  const { key, keyBase64 } = lock ?? {};
  return useTargetQuery<Waits, RequestError>({
    queryKey: ["waits", target, key, keyBase64],
    queryFn: () =>
      requestJson(sendRequest("GET", withTarget("/waits", target, toWaitsQuery(lock))), (wire, json) =>
        wire.readWaits(json),
      ),
    enabled,
    placeholderData: lock === undefined ? keepPreviousData : undefined,
    refetchInterval: refetchMs,
    retry: false,
  });
}

/**
 * Reads the position of a lock in the wait-for graph: which lock blocks its holder, and how many clients wait behind
 * the lock. Returns `undefined` if the lock is not held or the position is not loaded.
 */
export function useWaitPosition(lock: Lock): WaitPosition | undefined {
  return useWaits(lock, POSITION_REFETCH_MS, lock.holders.length > 0).data?.position;
}

/**
 * Returns the query parameters that limit the graph to one lock; no parameters if the lock is `undefined`. The API and
 * the waits page use the same parameters.
 */
export function toWaitsQuery(lock: KeyFields | undefined): Record<string, string> {
  if (lock === undefined) return {};
  const { key, keyBase64 } = lock;
  return keyBase64 === undefined ? { key } : { keyBase64 };
}
