"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { pages } from "@/lib/i18n/en/pages.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

export default function NotFound() {
  const messages = useMessages(pages);
  const { problemCodes } = useMessages(shell);
  return (
    <EmptyState page title={messages.notFound}>
      <p>
        <a href={`${BASE_PATH}/problems`} className="text-accent underline">
          {problemCodes}
        </a>
      </p>
    </EmptyState>
  );
}
