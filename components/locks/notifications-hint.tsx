"use client";

import { Command } from "@/components/ui/command.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { locks } from "@/lib/words/en/locks.tsx";
import { useLanguage, useWords } from "@/lib/words/words.tsx";

/** Without notifications the picture is right, but later. */
export function NotificationsHint() {
  const words = useWords(locks).notifications;
  const { language } = useLanguage();
  const { health } = useLive();
  if (health === null || health.notifications === "on" || health.state === "down") return null;
  return (
    <details className="rounded-[8px] border border-line bg-warn-bg px-3 py-1.5 text-ink-2">
      <summary className="cursor-pointer">{words.off()}</summary>
      <div className="flex flex-col gap-2 pt-2 pb-1">
        {(health.detail === undefined || language !== "en") && <p>{words.advice}</p>}
        {health.detail !== undefined && (
          <p lang="en" translate="no">
            {health.detail}
          </p>
        )}
        <Command text="CONFIG SET notify-keyspace-events Kghszxe$" label={words.copy} />
      </div>
    </details>
  );
}
