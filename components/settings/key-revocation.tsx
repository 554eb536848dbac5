"use client";

import { Button } from "@/components/ui/button.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { ApiKey } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useRevokeKey } from "@/lib/queries/access/api-keys.ts";

export function KeyRevocation({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const messages = useMessages(apiKeys);
  const { waiting } = useMessages(ui);
  const revoke = useRevokeKey(apiKey.id);
  const blocked = revoke.isPending ? waiting : null;
  return (
    <Sheet
      title={messages.revocation(<SafeText text={apiKey.name} wrap />)}
      onClose={onClose}
      onSubmit={() => blocked === null && revoke.mutate(undefined, { onSuccess: onClose })}
      actions={
        <Button type="submit" variant="danger" blocked={blocked}>
          {messages.revokeKey}
        </Button>
      }
    >
      <ProblemNote problem={revoke.error} />
      <ul className="flex list-disc flex-col gap-1.5 pl-4 text-ink-2">
        <li>{messages.refusedSoon}</li>
        {apiKey.verbs.includes("lock") && <li>{messages.holdsStay}</li>}
        <li>{messages.irreversible}</li>
      </ul>
    </Sheet>
  );
}
