"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows that Lockkeeper is unreachable. Unlike the empty states, it is bundled with the page, because the server cannot
 * send it.
 */
export function TargetUnreachable() {
  const messages = useMessages(locks).unreachable;
  return (
    <EmptyState title={messages.title}>
      <p>{messages.text()}</p>
    </EmptyState>
  );
}
