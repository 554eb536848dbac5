"use client";

import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { ChoiceGroup } from "@/components/ui/choice-group.tsx";
import { Field, INPUT_CLASS, TEXTAREA_CLASS } from "@/components/ui/field.tsx";
import { formatDate } from "@/components/ui/format-duration.ts";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import type { Access } from "@/lib/contract/access.ts";
import type { ApiKeyInput } from "@/lib/contract/accounts/api-key.ts";
import { NAME_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useCreateKey } from "@/lib/queries/access/api-keys.ts";
import { useTargets } from "@/lib/queries/targets.ts";
import { ACCESS_LEVELS } from "./access-levels.ts";
import { NO_QUOTA_TEXT, parseQuotaText } from "./key-quota.ts";
import { QuotaFields } from "./quota-fields.tsx";
import { SecretSheet } from "./secret-sheet.tsx";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { name: "days30", ms: 30 * DAY_MS },
  { name: "days90", ms: 90 * DAY_MS },
  { name: "year", ms: 365 * DAY_MS },
  { name: "never", ms: null },
] as const;

export function KeyForm({ onClose }: { onClose(): void }) {
  const messages = useMessages(apiKeys);
  const { waiting } = useMessages(ui);
  const make = useCreateKey();
  const now = useServerNow();
  const [name, setName] = useState("");
  const [verbs, setVerbs] = useState<readonly Access[]>(["read", "lock"]);
  const [targets, setTargets] = useState<readonly string[]>([]);
  const [patterns, setPatterns] = useState("");
  const [quotaText, setQuotaText] = useState(NO_QUOTA_TEXT);
  const [life, setLife] = useState<(typeof LIFETIMES)[number]>(LIFETIMES[1]);
  if (make.data !== undefined) return <SecretSheet made={make.data} onClose={onClose} />;

  const quota = parseQuotaText(quotaText);
  const expiresAt = life.ms === null || now === null ? null : Math.round(now + life.ms);
  const input = (): ApiKeyInput => ({
    ...{ holdsMax: null, bytesMax: null, ...quota },
    name: name.trim(),
    verbs: [...verbs],
    targets: targets.length === 0 ? ["*"] : [...targets],
    keys: splitLines(patterns),
    expiresAt,
  });
  const missing = findMissing();
  function findMissing(): string | null {
    if (name.trim() === "") return messages.nameRequired;
    if (verbs.length === 0) return messages.permissionsRequired;
    return quota === undefined ? messages.quotaInvalid : null;
  }
  const blocked = make.isPending ? waiting : missing;
  return (
    <Sheet
      title={messages.newTitle}
      onClose={onClose}
      onEdit={() => make.isError && make.reset()}
      onSubmit={() => blocked === null && make.mutate(input())}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {make.isPending ? messages.creating : messages.create}
        </Button>
      }
    >
      <ProblemNote problem={make.error} />
      <Field label={messages.name} hint={messages.nameHint}>
        {(field) => (
          <input
            {...field}
            className={INPUT_CLASS}
            value={name}
            maxLength={NAME_CHARACTERS_MAX}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <ChoiceGroup
        legend={messages.permissionsLegend}
        chosen={verbs}
        onChoose={setVerbs}
        choices={ACCESS_LEVELS.map((value) => ({ value, name: value, text: messages.accesses[value] }))}
      />
      <TargetPicker chosen={targets} onChoose={setTargets} />
      <Field label={messages.keys} hint={messages.keysHint}>
        {(field) => (
          <textarea
            {...field}
            rows={3}
            value={patterns}
            spellCheck={false}
            onChange={(event) => setPatterns(event.target.value)}
            className={`${TEXTAREA_CLASS} font-mono text-xs`}
          />
        )}
      </Field>
      {patterns.trim() === "" && <FormWarning text={messages.allKeysWarning} />}
      <QuotaFields value={quotaText} onChange={setQuotaText} />
      <Field label={messages.expiresAfter} hint={life.ms === null ? messages.expiresNever : undefined}>
        {(field) => (
          <select
            {...field}
            className={INPUT_CLASS}
            value={life.name}
            onChange={(event) =>
              setLife(LIFETIMES.find((each) => each.name === event.target.value) ?? LIFETIMES[1])
            }
          >
            {LIFETIMES.map((each) => (
              <option key={each.name} value={each.name}>
                {messages.lifetimes[each.name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {expiresAt !== null && (
        <FormWarning text={messages.expiryWarning(formatDate(expiresAt).slice(0, 10))} />
      )}
    </Sheet>
  );
}

/** Shows a warning about the input, before the key is created. */
function FormWarning({ text }: { text: string }) {
  return (
    <p role="status" className="flex gap-2 rounded-[8px] bg-warn-bg px-3 py-2 text-warn">
      <TriangleAlert aria-hidden size={14} className="mt-0.5 shrink-0" />
      {text}
    </p>
  );
}

function splitLines(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? ["*"] : lines;
}

interface TargetPickerProps {
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
}

function TargetPicker({ chosen, onChoose }: TargetPickerProps) {
  const messages = useMessages(apiKeys);
  const targets = useTargets() ?? [];
  if (targets.length < 2) return null;
  return (
    <ChoiceGroup
      legend={messages.targetsLegend}
      chosen={chosen}
      onChoose={onChoose}
      choices={targets.map(({ name, label }) => ({
        value: name,
        name: label,
        text: label === name ? "" : name,
      }))}
    />
  );
}
