"use client";

import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { getActionBlockedReason, getReleaseBlockedReason } from "./connection.ts";

/** Why nothing can be freed now; null when it can. */
export function useReleaseBlockedReason(): string | null {
  return getReleaseBlockedReason(useLiveState(), useMessages(shell));
}

/** Why nothing can be done about what is shown; null when it is live. */
export function useActionBlockedReason(): string | null {
  return getActionBlockedReason(useLiveState(), useMessages(shell));
}
