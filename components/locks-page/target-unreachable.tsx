"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * The notice that Lockkeeper is unreachable. It is bundled with the page, unlike the empty states, because the server
 * that would send it is unreachable.
 */
export function TargetUnreachable() {
  const messages = useMessages(locks).unreachable;
  return (
    <EmptyState title={messages.title}>
      <p>{messages.text()}</p>
    </EmptyState>
  );
}
