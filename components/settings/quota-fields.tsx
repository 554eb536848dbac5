"use client";

import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { QuotaText } from "./key-quota.ts";

interface QuotaFieldsProps {
  value: QuotaText;
  onChange(value: QuotaText): void;
}

/** Renders the input fields for the quotas of an API key. If a field is empty, the server's limit applies. */
export function QuotaFields({ value, onChange }: QuotaFieldsProps) {
  const messages = useMessages(apiKeys);
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label={messages.holdsMax} hint={messages.quotaHint}>
        {(field) => (
          <input
            {...field}
            className={INPUT_CLASS}
            inputMode="numeric"
            autoComplete="off"
            value={value.holds}
            onChange={(event) => onChange({ ...value, holds: event.target.value })}
          />
        )}
      </Field>
      <Field label={messages.bytesMax} hint={messages.quotaHint}>
        {(field) => (
          <input
            {...field}
            className={INPUT_CLASS}
            inputMode="decimal"
            autoComplete="off"
            value={value.mebibytes}
            onChange={(event) => onChange({ ...value, mebibytes: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
