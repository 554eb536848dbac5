"use client";

import { useMemo } from "react";
import { lock } from "@/lib/words/en/lock.tsx";
import { timeline } from "@/lib/words/en/timeline.ts";
import { useWords } from "@/lib/words/words.tsx";
import type { BarWords } from "./bar-text.ts";

export function useBarWords(): BarWords {
  const [told, known] = [useWords(timeline), useWords(lock)];
  return useMemo(() => ({ timeline: told, lock: known }), [told, known]);
}
