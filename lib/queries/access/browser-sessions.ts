"use client";

import { useQuery } from "@tanstack/react-query";
import type { BrowserSessionList, Session } from "@/lib/contract/accounts/session.ts";
import { type RequestError, requestJson, requestVoid, sendRequest } from "../../api/request.ts";
import { useInvalidatingMutation } from "../use-change.ts";

const SESSIONS_QUERY_KEY = ["browser-sessions"];
const REFETCH_MS = 15_000;

/** Reads the session of this browser, with its operator. */
export function useSession() {
  return useQuery<Session, RequestError>({
    queryKey: ["session"],
    queryFn: () => requestJson(sendRequest("GET", "/session"), (wire, json) => wire.readSession(json)),
    refetchInterval: REFETCH_MS,
  });
}

/** Lists the sessions of the operator. For administrators of all targets, lists the sessions of all operators. */
export function useBrowserSessions() {
  return useQuery<BrowserSessionList, RequestError>({
    queryKey: SESSIONS_QUERY_KEY,
    queryFn: () =>
      requestJson(sendRequest("GET", "/browser-sessions"), (wire, json) => wire.readBrowserSessions(json)),
    refetchInterval: REFETCH_MS,
  });
}

/** Returns a mutation that ends sessions one by one, by id. It stops at the first failure. */
export function useEndSessions() {
  return useInvalidatingMutation<void, readonly string[]>(SESSIONS_QUERY_KEY, async (ids) => {
    for (const id of ids)
      await requestVoid(sendRequest("DELETE", `/browser-sessions/${encodeURIComponent(id)}`));
  });
}
