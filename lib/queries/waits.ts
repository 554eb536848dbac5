"use client";

import { keepPreviousData } from "@tanstack/react-query";
import type { Lock } from "@/lib/contract/lock.ts";
import type { WaitPosition, Waits } from "@/lib/contract/waits/waits.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useTargetQuery } from "./target-query.ts";
import { useTargetName } from "./targets.ts";

/** Interval of refetches, in ms. The server finds a deadlock within 2 s. */
const REFETCH_MS = 1000;
const POSITION_REFETCH_MS = 2000;

/**
 * Reads the wait-for graph, and refetches it while mounted.
 *
 * @param key limits the graph to one lock
 */
export function useWaits(key: string | undefined, refetchMs = REFETCH_MS, enabled = true) {
  const target = useTargetName();
  return useTargetQuery<Waits, RequestError>({
    queryKey: ["waits", target, key],
    queryFn: () =>
      requestJson(sendRequest("GET", withTarget("/waits", target, { key })), (wire, json) =>
        wire.readWaits(json),
      ),
    enabled,
    placeholderData: key === undefined ? keepPreviousData : undefined,
    refetchInterval: refetchMs,
    retry: false,
  });
}

/**
 * Reads which lock blocks this one and how many clients wait behind it. `undefined` if the lock is free, or while this
 * is unknown.
 */
export function useWaitPosition({ key, keyBase64, holders }: Lock): WaitPosition | undefined {
  // The query parameter cannot contain a key that is not valid UTF-8.
  const isReadable = holders.length > 0 && keyBase64 === undefined;
  return useWaits(key, POSITION_REFETCH_MS, isReadable).data?.position;
}
