"use client";

import { useMemo } from "react";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { timeline } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { BarMessages } from "./bar-text.ts";

export function useBarMessages(): BarMessages {
  const [timelineMessages, lockMessages] = [useMessages(timeline), useMessages(lock)];
  return useMemo(
    () => ({ timeline: timelineMessages, lock: lockMessages }),
    [timelineMessages, lockMessages],
  );
}
