"use client";

import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { pages } from "@/lib/words/en/pages.tsx";
import { ui } from "@/lib/words/en/ui.ts";
import { useWords } from "@/lib/words/words.tsx";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const words = useWords(pages);
  const { tryAgain } = useWords(ui);
  return (
    <main>
      <EmptyState page title={words.broke}>
        <p>
          {words.nothingDone} {error.digest !== undefined && words.inLog(error.digest)}
        </p>
        <div>
          <Button look="primary" onClick={reset}>
            {tryAgain}
          </Button>
        </div>
      </EmptyState>
    </main>
  );
}
