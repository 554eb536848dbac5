"use client";

import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { getActionBlockedReason, getReleaseBlockedReason } from "./connection.ts";

/** Returns why the operator cannot release locks now; `null` if releases are possible. */
export function useReleaseBlockedReason(): string | null {
  return getReleaseBlockedReason(useLiveState(), useMessages(shell));
}

/** Returns why all actions are disabled; `null` if the data is live and the target is reachable. */
export function useActionBlockedReason(): string | null {
  return getActionBlockedReason(useLiveState(), useMessages(shell));
}
