"use client";

import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <main>
      <EmptyState page title="This page broke">
        <p>
          Nothing was done to any lock.{" "}
          {error.digest !== undefined && `The server's log has it as ${error.digest}.`}
        </p>
        <div>
          <Button look="primary" onClick={reset}>
            Try again
          </Button>
        </div>
      </EmptyState>
    </main>
  );
}
