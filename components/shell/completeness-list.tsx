"use client";

import type { Health } from "@/lib/contract/live.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { describeCompleteness } from "../app/completeness.ts";

/** Shows how complete the index is, in a popover below the connection state. */
export function CompletenessList({ health }: { health: Health }) {
  const messages = useMessages(shell);
  const uiMessages = useMessages(ui);
  return (
    <ul className="absolute top-full left-0 z-20 mt-2 flex w-72 flex-col max-sm:fixed max-sm:inset-x-3 max-sm:top-11 max-sm:w-auto gap-1.5 rounded-[7px] border border-line bg-panel p-3 text-2xs text-ink-2 shadow-lg">
      {describeCompleteness(health, messages, uiMessages).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
