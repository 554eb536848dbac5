"use client";

import { type FormEvent, type Ref, useState } from "react";
import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import type { FormatRule, Formats } from "@/lib/contract/detection/format-rule.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface RuleFormProps {
  formats: Formats["formats"];
  blocked: string | null;
  keysRef: Ref<HTMLInputElement>;
  /** Called to open the dialog that shows the effect of the rule and adds it. */
  onPreview(rule: FormatRule): void;
}

const FIELD_CLASS = "h-7 rounded-[7px] border border-line bg-bg px-2.5";
const PATTERN_CHARACTERS_MAX = 256;

export function RuleForm({ formats, blocked, keysRef, onPreview }: RuleFormProps) {
  const messages = useMessages(english);
  const names = useMessages(lock);
  const [pattern, setPattern] = useState("");
  const [format, setFormat] = useState<FormatName | "">("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = pattern.trim();
    if (blocked !== null || wanted === "" || format === "") return;
    onPreview({ pattern: wanted, format });
  };
  const missing =
    pattern.trim() === "" ? messages.patternRequired : format === "" ? messages.formatRequired : null;
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2 px-4 py-3">
      <input
        ref={keysRef}
        aria-label={messages.keys}
        placeholder="order-*"
        value={pattern}
        maxLength={PATTERN_CHARACTERS_MAX}
        onChange={(event) => setPattern(event.target.value)}
        className={`${FIELD_CLASS} min-w-48 flex-1 font-mono text-xs placeholder:text-ink-3`}
      />
      <select
        aria-label={messages.format}
        value={format}
        onChange={(event) => setFormat(formats.find(({ name }) => name === event.target.value)?.name ?? "")}
        className={FIELD_CLASS}
      >
        <option value="">{messages.chooseFormat}</option>
        {formats.map(({ name }) => (
          <option key={name} value={name} translate="no">
            {getFormatLabel(name, names)}
          </option>
        ))}
      </select>
      <Button type="submit" blocked={blocked ?? missing}>
        {messages.preview}
      </Button>
    </form>
  );
}
