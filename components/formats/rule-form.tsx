"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import type { FormatName } from "@/lib/contract/format.ts";
import type { FormatRule, Formats } from "@/lib/contract/format-rule.ts";

interface RuleFormProps {
  formats: Formats["formats"];
  blocked: string | null;
  error: string | undefined;
  onAdd(rule: FormatRule, then: () => void): void;
}

const FIELD = "h-7 rounded-[7px] border border-line bg-bg px-2.5";
const PATTERN_CHARACTERS_MAX = 256;

export function RuleForm({ formats, blocked, error, onAdd }: RuleFormProps) {
  const [pattern, setPattern] = useState("");
  const [format, setFormat] = useState<FormatName | "">("");
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wanted = pattern.trim();
    if (blocked !== null || wanted === "" || format === "") return;
    onAdd({ pattern: wanted, format }, () => setPattern(""));
  };
  const missing = pattern.trim() === "" ? "Say for which keys." : format === "" ? "Say which format." : null;
  return (
    <form onSubmit={add} className="flex flex-wrap items-center gap-2 px-4 py-3">
      <input
        aria-label="Keys"
        placeholder="order-*"
        value={pattern}
        maxLength={PATTERN_CHARACTERS_MAX}
        onChange={(event) => setPattern(event.target.value)}
        className={`${FIELD} min-w-48 flex-1 font-mono text-xs placeholder:text-ink-3`}
      />
      <select
        aria-label="Format"
        value={format}
        onChange={(event) => setFormat(formats.find(({ name }) => name === event.target.value)?.name ?? "")}
        className={FIELD}
      >
        <option value="">Format…</option>
        {formats.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      <Button type="submit" look="primary" blocked={blocked ?? missing}>
        Add rule
      </Button>
      {error !== undefined && (
        <p role="alert" className="w-full text-bad">
          {error}
        </p>
      )}
    </form>
  );
}
