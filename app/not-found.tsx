"use client";

import { EmptyState } from "@/components/ui/empty-state.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { pages } from "@/lib/i18n/en/pages.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

const HOME_HREF = "/locks/";

export default function NotFound() {
  const words = useMessages(pages);
  return (
    <main>
      <EmptyState page title={words.notFound}>
        <p>{words.addressOfLock(<code className="font-mono text-xs">{HOME_HREF}</code>)}</p>
        {/* Every page includes this module. With <Link>, each page would load <Link> twice. */}
        <a href={`${BASE_PATH}/`} className="text-accent underline">
          {words.allLocks}
        </a>
      </EmptyState>
    </main>
  );
}
