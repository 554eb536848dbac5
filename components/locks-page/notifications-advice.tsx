"use client";

import { CommandLine } from "@/components/ui/command-line.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";

/** What is late without notifications, and how they are had. @param detail the server's own advice */
export function NotificationsAdvice({ detail }: { detail: string | undefined }) {
  const messages = useMessages(locks).notifications;
  const { language } = useLanguage();
  return (
    <details className="rounded-[8px] border border-line bg-warn-bg px-3 py-1.5 text-ink-2">
      <summary className="cursor-pointer">{messages.off()}</summary>
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
