"use client";

import { useMemo } from "react";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { timeline } from "@/lib/i18n/en/timeline.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { BarWords } from "./bar-text.ts";

export function useBarWords(): BarWords {
  const [told, known] = [useWords(timeline), useWords(lock)];
  return useMemo(() => ({ timeline: told, lock: known }), [told, known]);
}
