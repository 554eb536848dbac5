"use client";

import { useQuery } from "@tanstack/react-query";
import type { BrowserSessionList, Session } from "@/lib/contract/accounts/session.ts";
import { ask, type Failure, order, send } from "../api/request.ts";
import { useChange } from "./use-change.ts";

const SESSIONS = ["browser-sessions"];
const EVERY_MS = 15_000;

/** Who this browser is logged in as. */
export function useSession() {
  return useQuery<Session, Failure>({
    queryKey: ["session"],
    queryFn: () => ask(send("GET", "/session"), (wire, json) => wire.readSession(json)),
    refetchInterval: EVERY_MS,
  });
}

/** One's own; of whoever is an admin at every target, everybody's. */
export function useBrowserSessions() {
  return useQuery<BrowserSessionList, Failure>({
    queryKey: SESSIONS,
    queryFn: () => ask(send("GET", "/browser-sessions"), (wire, json) => wire.readBrowserSessions(json)),
    refetchInterval: EVERY_MS,
  });
}

/** One after the other; the first that fails ends it. */
export function useEndSessions() {
  return useChange<void, readonly string[]>(SESSIONS, async (ids) => {
    for (const id of ids) await order(send("DELETE", `/browser-sessions/${encodeURIComponent(id)}`));
  });
}
