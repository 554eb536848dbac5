"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows that the server is unreachable. The component is part of the page bundle, because a separate chunk could not be
 * loaded while the server is unreachable.
 */
export function TargetUnreachable() {
  const messages = useMessages(locks).unreachable;
  return (
    <EmptyState title={messages.title}>
      <p>{messages.text()}</p>
    </EmptyState>
  );
}
