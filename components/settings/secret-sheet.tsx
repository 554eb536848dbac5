"use client";

import { Command } from "@/components/ui/command.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { ApiKeyMade } from "@/lib/contract/api-key.ts";

/** The only place where a secret is ever shown. */
export function SecretSheet({ made, onClose }: { made: ApiKeyMade; onClose(): void }) {
  return (
    <Sheet
      title={
        <>
          The secret of <SafeText text={made.name} wrap />
        </>
      }
      stays
      closeLabel="I have stored it"
      onClose={onClose}
    >
      <p role="alert" className="rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
        It is shown this once. Lockkeeper keeps its hash only: who loses it makes a new one.
      </p>
      <Command text={made.secret} label="Copy the secret" />
      <p className="text-ink-2">Put it where the app keeps its secrets. It goes with every request:</p>
      <pre className="overflow-x-auto rounded-[8px] border border-line bg-bg px-3 py-2 font-mono text-xs">
        Authorization: Bearer $LOCKKEEPER_KEY
      </pre>
    </Sheet>
  );
}
