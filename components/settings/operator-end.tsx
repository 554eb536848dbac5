"use client";

import { Button } from "@/components/ui/button.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { Operator } from "@/lib/contract/operator.ts";
import { useChangeOperator, useRemoveOperator } from "@/lib/live/operators.ts";

const WORDS = {
  disable: {
    title: "Disable",
    button: "Disable the operator",
    texts: [
      "Within two seconds all their sessions end, and nobody logs in by this name.",
      "Name, roles and password are kept, so that it can be undone.",
    ],
  },
  enable: {
    title: "Enable",
    button: "Enable the operator",
    texts: ["They can log in again, with the password and the roles that they had."],
  },
  delete: {
    title: "Delete",
    button: "Delete the operator",
    texts: [
      "Within two seconds all their sessions end.",
      "Roles and password are gone and cannot be brought back. What they did stays in the audit, by their name.",
    ],
  },
} as const;

interface OperatorEndProps {
  what: keyof typeof WORDS;
  operator: Operator;
  onClose(): void;
}

/** What changes whether somebody can log in. */
export function OperatorEnd({ what, operator, onClose }: OperatorEndProps) {
  const change = useChangeOperator(operator.name);
  const remove = useRemoveOperator(operator.name);
  const { title, button, texts } = WORDS[what];
  const blocked = change.isPending || remove.isPending ? "Waiting for the answer" : null;
  const submit = () => {
    if (blocked !== null) return;
    if (what === "delete") remove.mutate(undefined, { onSuccess: onClose });
    else change.mutate({ state: what === "enable" ? "enabled" : "disabled" }, { onSuccess: onClose });
  };
  return (
    <Sheet
      title={
        <>
          {title} <SafeText text={operator.name} wrap />
        </>
      }
      onClose={onClose}
      onSubmit={submit}
      actions={
        <Button type="submit" look={what === "enable" ? "primary" : "danger"} blocked={blocked}>
          {button}
        </Button>
      }
    >
      <ProblemNote problem={change.error ?? remove.error} />
      <ul className="flex list-disc flex-col gap-1.5 pl-4 text-ink-2">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Sheet>
  );
}
