"use client";

import type { Messages } from "@/lib/i18n/en/messages.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useSecondsSinceMessage } from "@/lib/live/hooks.ts";
import type { LiveState } from "@/lib/live/live-store.ts";
import { formatMastersDown } from "../app/connection.ts";

interface StatusNotice {
  text: string;
  /** The server's message, in English. */
  detail?: string | undefined;
}

function findStatusNotice(
  { connection, health }: LiveState,
  silentSeconds: number | null,
  messages: Messages["shell"],
) {
  if (connection === "stale")
    return { text: silentSeconds === null ? messages.staleUnreachable : messages.staleSilent(silentSeconds) };
  return health === null ? null : findHealthNotice(health, messages);
}

function findHealthNotice(
  health: NonNullable<LiveState["health"]>,
  messages: Messages["shell"],
): StatusNotice | null {
  const { state, majority, masters, detail } = health;
  if (state === "down")
    return { text: majority === undefined ? messages.redisDownStale : messages.majorityDownStale, detail };
  if (state !== "partial") {
    const isRefusing = masters.some(({ writesRefused }) => writesRefused !== undefined);
    return isRefusing ? { text: messages.writesRefused, detail } : null;
  }
  const down = formatMastersDown(health, messages);
  if (majority === undefined) return { text: messages.someDown(down), detail };
  const names = masters.filter((master) => master.state === "down").map(({ name }) => name);
  return { text: messages.minorityDown(down, names.join(", ")) };
}

export function StatusBanner() {
  const messages = useMessages(shell);
  const state = useLiveState();
  const trouble: StatusNotice | null = findStatusNotice(state, useSecondsSinceMessage(), messages);
  if (trouble !== null) {
    return (
      <p className="border-b border-line bg-bad-bg px-4 py-2 text-bad" data-testid="condition-banner">
        {trouble.text}
        {trouble.detail !== undefined && (
          <span lang="en" translate="no">
            {` ${trouble.detail}`}
          </span>
        )}
      </p>
    );
  }
  if (!state.outdated) return null;
  return (
    <p className="flex items-center gap-3 border-b border-line bg-warn-bg px-4 py-2 text-warn">
      {messages.outdated}
      <button type="button" className="font-medium underline" onClick={() => location.reload()}>
        {messages.reloadPage}
      </button>
    </p>
  );
}
