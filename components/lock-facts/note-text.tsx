"use client";

import { formatAgo, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Note } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";

/** Shows an operator's note about the lock. */
export function NoteText({ note: { text, by, at, about } }: { note: Note }) {
  const messages = useMessages(english);
  const now = useServerNow();
  return (
    <div data-testid="note" className="rounded-[9px] bg-warn-bg px-3 py-2">
      <p>
        <SafeText text={text} wrap />
      </p>
      <p className="text-2xs text-ink-2" title={formatDate(at)}>
        {messages.noteBy(<SafeText text={by} />, now === null ? null : formatAgo(now - at, messages), about)}
      </p>
    </div>
  );
}
