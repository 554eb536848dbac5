"use client";

import { useState } from "react";
import { computeRemainingMs } from "@/components/lock-facts/lock-texts.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Remaining times, in seconds, at which the expiry of the selected row is announced. Smallest first. */
const THRESHOLDS_S = [0, 10, 60] as const;

/**
 * Returns the smallest threshold that is at least the remaining time, in seconds. Returns `undefined` if there is none
 * or the lock has no TTL.
 */
export function findThreshold(leftMs: number | null): number | undefined {
  return leftMs === null ? undefined : THRESHOLDS_S.find((seconds) => leftMs <= seconds * 1000);
}

/** Announces to screen readers, once per threshold, that the selected lock expires soon. */
export function ExpiryAnnouncement({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const now = useServerNow();
  const threshold = lock.state === "held" ? findThreshold(computeRemainingMs(lock, now)) : undefined;
  const [first] = useState(threshold);
  // At the time of selection, the row itself shows the state.
  const isNews = threshold !== undefined && threshold !== first;
  return (
    <p role="status" className="sr-only">
      {isNews && messages.nearEnd(toVisibleText(lock.key), threshold)}
    </p>
  );
}
