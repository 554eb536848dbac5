"use client";

import { pages } from "@/lib/i18n/en/pages.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Error page that Next.js shows if a page cannot be rendered. The error page must work even if other modules cannot be
 * loaded, and it is part of the bundle of every page. Keep its imports few.
 */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const words = useMessages(pages);
  const { tryAgain } = useMessages(ui);
  return (
    <main className="mx-auto flex w-full max-w-[640px] flex-col gap-3 px-4 py-12">
      <h1 className="text-lg font-semibold tracking-tight">{words.pageFailed}</h1>
      <p className="text-ink-2">
        {words.noLockChanged} {error.digest !== undefined && words.errorId(error.digest)}
      </p>
      <div>
        <button
          type="button"
          onClick={reset}
          className="h-7 rounded-[7px] border border-accent bg-accent px-2.5 text-accent-ink hover:brightness-90 dark:hover:brightness-110"
        >
          {tryAgain}
        </button>
      </div>
    </main>
  );
}
