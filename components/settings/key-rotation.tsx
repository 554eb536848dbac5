"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { ApiKey } from "@/lib/contract/accounts/api-key.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useRotateKey } from "@/lib/queries/access/api-keys.ts";
import { SecretSheet } from "./secret-sheet.tsx";

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { name: "hour", ms: HOUR_MS },
  { name: "day", ms: 24 * HOUR_MS },
  { name: "days7", ms: 7 * 24 * HOUR_MS },
  { name: "none", ms: 0 },
] as const;

export function KeyRotation({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const messages = useMessages(apiKeys);
  const { waiting } = useMessages(ui);
  const rotate = useRotateKey(apiKey.id);
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>(OVERLAPS[1]);
  if (rotate.data !== undefined) return <SecretSheet made={rotate.data} onClose={onClose} />;
  const blocked = rotate.isPending ? waiting : null;
  return (
    <Sheet
      title={messages.rotation(<SafeText text={apiKey.name} wrap />)}
      onClose={onClose}
      onSubmit={() => blocked === null && rotate.mutate({ overlapMs: overlap.ms })}
      actions={
        <Button type="submit" variant={overlap.ms === 0 ? "danger" : "primary"} blocked={blocked}>
          {messages.newSecret}
        </Button>
      }
    >
      <ProblemNote problem={rotate.error} />
      <p className="text-ink-2">{messages.rotationText}</p>
      <Field label={messages.overlap} hint={overlap.ms === 0 ? messages.overlapNone : messages.overlapSome}>
        {(field) => (
          <select
            {...field}
            className={INPUT_CLASS}
            value={overlap.name}
            onChange={(event) =>
              setOverlap(OVERLAPS.find((each) => each.name === event.target.value) ?? OVERLAPS[1])
            }
          >
            {OVERLAPS.map((each) => (
              <option key={each.name} value={each.name}>
                {messages.overlaps[each.name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(apiKey.oldSecretUntil ?? 0) > apiKey.createdAt && (
        <p className="text-2xs text-ink-3">{messages.olderSecretEnds}</p>
      )}
    </Sheet>
  );
}
