"use client";

import { TargetLink } from "@/components/app/target-link.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { unlisted as english } from "@/lib/i18n/en/unlisted.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Explains why a key might be a lock, what is required to release it and, for an unlisted lock, why lists omit it.
 * Shows nothing if the confidence is not `possible`.
 */
export function PossibleLockNote({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  if (lock.confidence !== "possible") return null;
  return (
    <div
      className="flex flex-col gap-1 border-b border-line-soft px-4 py-3 text-ink-2"
      data-testid="possible"
    >
      <p>{messages.possible}</p>
      {lock.unlisted === true && (
        <p>
          {messages.unlisted}{" "}
          <TargetLink href="/formats" className="text-accent underline">
            {messages.addRule}
          </TargetLink>
        </p>
      )}
    </div>
  );
}
