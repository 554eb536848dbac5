"use client";

import { SafeText } from "@/components/ui/safe-text.tsx";
import type { UnreadableKey } from "@/lib/contract/target.ts";
import { targets } from "@/lib/i18n/en/targets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Lists examples of keys that Lockkeeper watches but cannot read, with the reasons. Renders nothing if there are none.
 */
export function UnreadableKeyList({ keys }: { keys: readonly UnreadableKey[] }) {
  const messages = useMessages(targets);
  if (keys.length === 0) return null;
  return (
    <ul aria-label={messages.unreadableKeys} className="flex flex-col gap-0.5">
      {keys.map(({ key, keyBase64, master, reason, why }) => (
        <li key={`${master} ${keyBase64 ?? key}`} className="flex flex-wrap gap-x-2">
          <code className="min-w-0 font-mono text-xs break-all text-ink">
            <SafeText text={key} wrap />
          </code>
          <span className="text-ink-2">{messages.unreadableReasons[reason]}</span>
          <span lang="en" translate="no" className="min-w-0 text-2xs text-ink-3">
            <SafeText text={why} wrap />
          </span>
        </li>
      ))}
    </ul>
  );
}
