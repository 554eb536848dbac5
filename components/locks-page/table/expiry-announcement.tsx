"use client";

import { useState } from "react";
import { computeRemainingMs } from "@/components/lock-facts/lock-texts.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** In seconds, the last first: what a reader is told of the row in hand when it has less left. */
const THRESHOLDS_S = [0, 10, 60] as const;

/** The least threshold that is not above what is left; undefined: there is plenty, or no end. */
export function findThreshold(leftMs: number | null): number | undefined {
  return leftMs === null ? undefined : THRESHOLDS_S.find((seconds) => leftMs <= seconds * 1000);
}

/** Says politely that the end of the selected lock comes near: once a threshold, and never the figures between. */
export function ExpiryAnnouncement({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const now = useServerNow();
  const threshold = lock.state === "held" ? findThreshold(computeRemainingMs(lock, now)) : undefined;
  const [first] = useState(threshold);
  // What it is like when it is selected stands in its row.
  const isNews = threshold !== undefined && threshold !== first;
  return (
    <p role="status" className="sr-only">
      {isNews && messages.nearEnd(toVisibleText(lock.key), threshold)}
    </p>
  );
}
