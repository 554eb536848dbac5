"use client";

import { useQuery } from "@tanstack/react-query";
import type { BrowserSessionList, Session } from "@/lib/contract/accounts/session.ts";
import { type RequestError, requestJson, requestVoid, sendRequest } from "../../api/request.ts";
import { useInvalidatingMutation } from "../use-change.ts";

const SESSIONS_QUERY_KEY = ["browser-sessions"];
const REFETCH_MS = 15_000;

/** Reads this browser's session and its operator. */
export function useSession() {
  return useQuery<Session, RequestError>({
    queryKey: ["session"],
    queryFn: () => requestJson(sendRequest("GET", "/session"), (wire, json) => wire.readSession(json)),
    refetchInterval: REFETCH_MS,
  });
}

/** Lists the operator's sessions. For administrators of all targets, lists the sessions of all operators. */
export function useBrowserSessions() {
  return useQuery<BrowserSessionList, RequestError>({
    queryKey: SESSIONS_QUERY_KEY,
    queryFn: () =>
      requestJson(sendRequest("GET", "/browser-sessions"), (wire, json) => wire.readBrowserSessions(json)),
    refetchInterval: REFETCH_MS,
  });
}

/** Returns a mutation that ends the sessions with the given ids, one at a time. It stops at the first failure. */
export function useEndSessions() {
  return useInvalidatingMutation<void, readonly string[]>(SESSIONS_QUERY_KEY, async (ids) => {
    for (const id of ids)
      await requestVoid(sendRequest("DELETE", `/browser-sessions/${encodeURIComponent(id)}`));
  });
}
