"use client";

import clsx from "clsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive, useSilence } from "@/lib/live/hooks.ts";
import { conditionOf, type Tone, wholenessOf } from "../app/connection.ts";

const DOTS: Record<Tone, string> = { ok: "bg-ok", warn: "bg-warn", bad: "bg-bad", idle: "bg-bar" };
const TEXTS: Record<Tone, string> = {
  ok: "text-ink-2",
  warn: "text-warn",
  bad: "text-bad font-medium",
  idle: "text-ink-3",
};

export function ConnectionPill() {
  const words = useWords(shell);
  const state = useLive();
  const { tone, text, spoken } = conditionOf(state, useSilence(), words);
  return (
    <details className="relative min-w-0" data-testid="connection">
      <summary className={clsx("flex min-w-0 cursor-pointer list-none items-center gap-1.5", TEXTS[tone])}>
        <span aria-hidden className={clsx("size-[7px] shrink-0 rounded-full", DOTS[tone])} />
        <span className="truncate max-[380px]:hidden">{text}</span>
        <span role="status" className="sr-only">
          {spoken}
        </span>
      </summary>
      {state.health !== null && (
        <ul className="absolute top-full left-0 z-20 mt-2 flex w-72 flex-col max-sm:fixed max-sm:inset-x-3 max-sm:top-11 max-sm:w-auto gap-1.5 rounded-[7px] border border-line bg-panel p-3 text-2xs text-ink-2 shadow-lg">
          {wholenessOf(state.health, words).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </details>
  );
}
