"use client";

import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { getActionBlockedReason, getReleaseBlockedReason } from "./connection.ts";

/** Returns why locks cannot currently be released; `null` if they can. */
export function useReleaseBlockedReason(): string | null {
  return getReleaseBlockedReason(useLiveState(), useMessages(shell));
}

/** Returns why actions are disabled; `null` if the page is live. */
export function useActionBlockedReason(): string | null {
  return getActionBlockedReason(useLiveState(), useMessages(shell));
}
