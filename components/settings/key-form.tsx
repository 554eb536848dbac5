"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Choices } from "@/components/ui/choices.tsx";
import { Field, INPUT, TEXTAREA } from "@/components/ui/field.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { Access } from "@/lib/contract/access.ts";
import { NAME_CHARACTERS_MAX } from "@/lib/contract/account-limits.ts";
import type { ApiKeyInput } from "@/lib/contract/api-key.ts";
import { useMakeKey } from "@/lib/live/api-keys.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTargets } from "@/lib/live/targets.ts";
import { ACCESS_WORDS, ACCESSES } from "./access-words.ts";
import { SecretSheet } from "./secret-sheet.tsx";

const DAY_MS = 86_400_000;
const LIVES = [
  { name: "30 days", ms: 30 * DAY_MS },
  { name: "90 days", ms: 90 * DAY_MS },
  { name: "1 year", ms: 365 * DAY_MS },
  { name: "never", ms: null },
] as const;

export function KeyForm({ onClose }: { onClose(): void }) {
  const make = useMakeKey();
  const now = useServerNow();
  const [name, setName] = useState("");
  const [verbs, setVerbs] = useState<readonly Access[]>(["read", "lock"]);
  const [targets, setTargets] = useState<readonly string[]>([]);
  const [patterns, setPatterns] = useState("");
  const [life, setLife] = useState<(typeof LIVES)[number]>(LIVES[1]);
  if (make.data !== undefined) return <SecretSheet made={make.data} onClose={onClose} />;

  const input = (): ApiKeyInput => ({
    name: name.trim(),
    verbs: [...verbs],
    targets: targets.length === 0 ? ["*"] : [...targets],
    keys: linesOf(patterns),
    expiresAt: life.ms === null || now === null ? null : Math.round(now + life.ms),
  });
  const missing = name.trim() === "" ? "Give it a name." : verbs.length === 0 ? "Say what it may do." : null;
  const blocked = make.isPending ? "Waiting for the answer" : missing;
  return (
    <Sheet
      title="New API key"
      onClose={onClose}
      onEdit={() => make.isError && make.reset()}
      onSubmit={() => blocked === null && make.mutate(input())}
      actions={
        <Button type="submit" look="primary" blocked={blocked}>
          {make.isPending ? "Making it…" : "Make the key"}
        </Button>
      }
    >
      <ProblemNote problem={make.error} />
      <Field label="Name" hint="What events and the audit call it: key:checkout, for instance.">
        {(field) => (
          <input
            {...field}
            className={INPUT}
            value={name}
            maxLength={NAME_CHARACTERS_MAX}
            autoComplete="off"
            spellCheck={false}
            placeholder="checkout"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Choices
        legend="What it may do"
        chosen={verbs}
        onChoose={setVerbs}
        choices={ACCESSES.map((value) => ({ value, name: value, text: ACCESS_WORDS[value] }))}
      />
      <Targets chosen={targets} onChoose={setTargets} />
      <Field label="Keys" hint="Redis patterns, one a line; none: all keys.">
        {(field) => (
          <textarea
            {...field}
            rows={3}
            value={patterns}
            spellCheck={false}
            placeholder={"lock:orders:*\nlock:payments:*"}
            onChange={(event) => setPatterns(event.target.value)}
            className={`${TEXTAREA} font-mono text-xs`}
          />
        )}
      </Field>
      <Field
        label="Expires after"
        hint={life.ms === null ? "It works until somebody revokes it." : undefined}
      >
        {(field) => (
          <select
            {...field}
            className={INPUT}
            value={life.name}
            onChange={(event) => setLife(LIVES.find((each) => each.name === event.target.value) ?? LIVES[1])}
          >
            {LIVES.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        )}
      </Field>
    </Sheet>
  );
}

function linesOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? ["*"] : lines;
}

interface TargetsProps {
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
}

function Targets({ chosen, onChoose }: TargetsProps) {
  const targets = useTargets() ?? [];
  if (targets.length < 2) return null;
  return (
    <Choices
      legend="Targets (none chosen: all, also those that come later)"
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
