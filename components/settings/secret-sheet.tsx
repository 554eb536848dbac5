"use client";

import { CommandLine } from "@/components/ui/command-line.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { CreatedApiKey } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getServerUrl } from "@/lib/queries/api-document.ts";
import { buildTrialCommand } from "./trial-command.ts";

const HEADER = "Authorization: Bearer $LOCKKEEPER_API_KEY";

/** Shows the new secret of an API key. The secret cannot be shown again, because the server stores only its hash. */
export function SecretSheet({ made, onClose }: { made: CreatedApiKey; onClose(): void }) {
  const messages = useMessages(apiKeys);
  return (
    <Sheet
      title={messages.secretOf(<SafeText text={made.name} wrap />)}
      stays
      closeLabel={messages.stored}
      onClose={onClose}
    >
      <p role="alert" className="rounded-[9px] bg-warn-bg px-3 py-2.5 text-warn">
        {messages.shownOnce}
      </p>
      <CommandLine text={made.secret} label={messages.copySecret} />
      <p className="text-ink-2">{messages.storeIt}</p>
      <pre
        translate="no"
        className="overflow-x-auto rounded-[8px] border border-line bg-bg px-3 py-2 font-mono text-xs"
      >
        {HEADER}
      </pre>
      {made.verbs.includes("read") && (
        <>
          <p className="text-ink-2">{messages.tryIt}</p>
          <CommandLine text={buildTrialCommand(made, getServerUrl())} label={messages.copyCommand} />
        </>
      )}
    </Sheet>
  );
}
