"use client";

import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { emptyLocks } from "@/lib/i18n/en/empty-locks.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { UnlistedSearchButton } from "./unlisted-locks.tsx";

interface NoLocksFoundProps {
  filter: string;
  onClear(): void;
  onFilter(filter: string): void;
}

export function NoLocksFound({ filter, onClear, onFilter }: NoLocksFoundProps) {
  const messages = useMessages(emptyLocks);
  return (
    <EmptyState title={messages.notFound.title}>
      <p>
        {messages.notFound.text(
          <code className="font-mono text-xs text-ink">
            <SafeText text={filter} wrap />
          </code>,
        )}
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button onClick={onClear}>{messages.clear}</Button>
        <UnlistedSearchButton filter={filter} onFilter={onFilter} />
      </div>
    </EmptyState>
  );
}

/** Shows that the search is invalid, with a button that clears it. Invalid searches are not sent to the server. */
export function InvalidSearch({ onClear }: { onClear(): void }) {
  const messages = useMessages(emptyLocks);
  return (
    <EmptyState title={messages.notASearch.title}>
      <p>{messages.notASearch.text}</p>
      <div>
        <Button onClick={onClear}>{messages.clear}</Button>
      </div>
    </EmptyState>
  );
}
