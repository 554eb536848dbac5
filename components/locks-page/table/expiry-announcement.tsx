"use client";

import { useState } from "react";
import { computeRemainingMs } from "@/components/lock-facts/lock-texts.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Remaining times in seconds at which the expiry of the selected lock is announced, in ascending order. */
const THRESHOLDS_S = [0, 10, 60] as const;

/**
 * Returns the smallest threshold, in seconds, at or above the remaining time. Returns `undefined` if the remaining time
 * exceeds all thresholds or the lock has no TTL.
 */
export function findThreshold(leftMs: number | null): number | undefined {
  return leftMs === null ? undefined : THRESHOLDS_S.find((seconds) => leftMs <= seconds * 1000);
}

/**
 * Announces to screen readers that the selected lock expires soon, once per threshold. A threshold that the lock has
 * already reached when it is selected is not announced.
 */
export function ExpiryAnnouncement({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const now = useServerNow();
  const threshold = lock.state === "held" ? findThreshold(computeRemainingMs(lock, now)) : undefined;
  const [first] = useState(threshold);
  // Not announced when the row is selected, because the row itself then shows the remaining time.
  const isNews = threshold !== undefined && threshold !== first;
  return (
    <p role="status" className="sr-only">
      {isNews && messages.nearEnd(toVisibleText(lock.key), threshold)}
    </p>
  );
}
