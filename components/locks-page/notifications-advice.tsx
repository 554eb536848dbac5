"use client";

import { CommandLine } from "@/components/ui/command-line.tsx";
import { formatUpperBound } from "@/components/ui/format-duration.ts";
import type { PollingDelays } from "@/lib/contract/polling.ts";
import { locks } from "@/lib/i18n/en/locks.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";

interface NotificationsAdviceProps {
  /** The server's advice, always in English; `undefined` if there is none. */
  detail: string | undefined;
  polling: PollingDelays | undefined;
}

/** Shows how long changes can be delayed without keyspace notifications, and how to enable notifications. */
export function NotificationsAdvice({ detail, polling }: NotificationsAdviceProps) {
  const messages = useMessages(locks).notifications;
  const uiMessages = useMessages(ui);
  const { language } = useLanguage();
  return (
    <details className="rounded-[8px] border border-line bg-warn-bg px-3 py-1.5 text-ink-2">
      <summary className="cursor-pointer">{messages.off(formatDelays(polling, uiMessages))}</summary>
      <div className="flex flex-col gap-2 pt-2 pb-1">
        {(detail === undefined || language !== "en") && <p>{messages.advice}</p>}
        {detail !== undefined && (
          <p lang="en" translate="no">
            {detail}
          </p>
        )}
        <CommandLine text="CONFIG SET notify-keyspace-events Kghszxe$" label={messages.copy} />
      </div>
    </details>
  );
}

function formatDelays(polling: PollingDelays | undefined, uiMessages: Messages["ui"]) {
  const { endsSeenWithinMs = null, newLocksSeenWithinMs = null } = polling ?? {};
  if (endsSeenWithinMs === null || newLocksSeenWithinMs === null) return undefined;
  return {
    ends: formatUpperBound(endsSeenWithinMs, uiMessages),
    newLocks: formatUpperBound(newLocksSeenWithinMs, uiMessages),
  };
}
