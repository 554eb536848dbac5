"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows that the server is unreachable. Bundled with the page, because it cannot be loaded while the server is
 * unreachable.
 */
export function TargetUnreachable() {
  const messages = useMessages(locks).unreachable;
  return (
    <EmptyState title={messages.title}>
      <p>{messages.text()}</p>
    </EmptyState>
  );
}
