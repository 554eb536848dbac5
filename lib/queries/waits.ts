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
 * Reads the wait-for graph, and refetches it while mounted.
 *
 * @param lock limits the graph to one lock
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
 * Reads which lock blocks this one and how many clients wait behind it. `undefined` if the lock is free, or while this
 * is unknown.
 */
export function useWaitPosition(lock: Lock): WaitPosition | undefined {
  return useWaits(lock, POSITION_REFETCH_MS, lock.holders.length > 0).data?.position;
}

/** Returns the query parameters that limit the graph to one lock, for the API and for the waits page. */
export function toWaitsQuery(lock: KeyFields | undefined): Record<string, string> {
  if (lock === undefined) return {};
  const { key, keyBase64 } = lock;
  return keyBase64 === undefined ? { key } : { keyBase64 };
}
