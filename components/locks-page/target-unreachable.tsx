"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Not loaded late as the other empty states are: there is nobody to load it from. */
export function TargetUnreachable() {
  const messages = useMessages(locks).unreachable;
  return (
    <EmptyState title={messages.title}>
      <p>{messages.text()}</p>
    </EmptyState>
  );
}
