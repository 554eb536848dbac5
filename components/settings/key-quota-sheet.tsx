"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { ApiKey } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useSetKeyQuota } from "@/lib/queries/access/api-keys.ts";
import { formatMebibytes, parseQuotaText, toQuotaText } from "./key-quota.ts";
import { QuotaFields } from "./quota-fields.tsx";

/** Lets an admin change the quotas of an API key. */
export function KeyQuotaSheet({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const messages = useMessages(apiKeys);
  const { waiting } = useMessages(ui);
  const change = useSetKeyQuota(apiKey.id);
  const [text, setText] = useState(() => toQuotaText(apiKey));
  const quota = parseQuotaText(text);
  const blocked = change.isPending ? waiting : quota === undefined ? messages.quotaInvalid : null;
  const { holds, holdsMax, bytes, bytesMax } = apiKey.usage;
  return (
    <Sheet
      title={messages.quotaOf(<SafeText text={apiKey.name} wrap />)}
      onClose={onClose}
      onEdit={() => change.isError && change.reset()}
      onSubmit={() => {
        if (blocked === null && quota !== undefined) change.mutate(quota, { onSuccess: onClose });
      }}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {messages.saveQuota}
        </Button>
      }
    >
      <ProblemNote problem={change.error} />
      <p className="text-ink-2">
        {messages.usageText(
          messages.holdUsage(holds, holdsMax),
          messages.byteUsage(formatMebibytes(bytes), formatMebibytes(bytesMax)),
        )}
      </p>
      <QuotaFields value={text} onChange={setText} />
      <p className="text-2xs text-ink-3">{messages.quotaText}</p>
    </Sheet>
  );
}
