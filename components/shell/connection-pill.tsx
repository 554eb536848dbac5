"use client";

import clsx from "clsx";
import dynamic from "next/dynamic";
import { loadPart } from "@/lib/api/load-part.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useSecondsSinceMessage } from "@/lib/live/hooks.ts";
import { type ConnectionTone, getConnectionStatus } from "../app/connection.ts";

/**
 * Shows how complete the index is. The code is loaded with the first health message, so that the list can also be
 * opened while the server is unreachable.
 */
const CompletenessList = dynamic(
  loadPart(() => import("./completeness-list.tsx").then((module) => module.CompletenessList)),
  { ssr: false },
);

const DOT_CLASSES: Record<ConnectionTone, string> = {
  ok: "bg-ok",
  warn: "bg-warn",
  bad: "bg-bad",
  idle: "bg-bar",
};
const TEXT_CLASSES: Record<ConnectionTone, string> = {
  ok: "text-ink-2",
  warn: "text-warn",
  bad: "text-bad font-medium",
  idle: "text-ink-3",
};

export function ConnectionPill() {
  const messages = useMessages(shell);
  const uiMessages = useMessages(ui);
  const state = useLiveState();
  const { tone, text, announcement } = getConnectionStatus(
    state,
    useSecondsSinceMessage(),
    messages,
    uiMessages,
  );
  return (
    <details className="relative min-w-0" data-testid="connection">
      <summary
        className={clsx(
          "flex min-w-0 cursor-pointer list-none items-center gap-1.5 max-sm:h-11 max-sm:min-w-11",
          TEXT_CLASSES[tone],
        )}
      >
        <span aria-hidden className={clsx("size-[7px] shrink-0 rounded-full", DOT_CLASSES[tone])} />
        <span className="truncate max-[380px]:hidden">{text}</span>
        <span role="status" className="sr-only">
          {announcement}
        </span>
      </summary>
      {state.health !== null && <CompletenessList health={state.health} />}
    </details>
  );
}
