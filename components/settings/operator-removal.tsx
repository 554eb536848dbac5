"use client";

import { Button } from "@/components/ui/button.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Operator } from "@/lib/contract/accounts/operator.ts";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useRemoveOperator, useUpdateOperator } from "@/lib/queries/access/operators.ts";

interface OperatorRemovalProps {
  what: keyof typeof operators.ends;
  operator: Operator;
  onClose(): void;
}

/** Asks for confirmation, and then disables, enables or deletes an operator. */
export function OperatorRemoval({ what, operator, onClose }: OperatorRemovalProps) {
  const change = useUpdateOperator(operator.name);
  const remove = useRemoveOperator(operator.name);
  const { title, button, texts } = useMessages(operators).ends[what];
  const { waiting } = useMessages(ui);
  const blocked = change.isPending || remove.isPending ? waiting : null;
  const submit = () => {
    if (blocked !== null) return;
    if (what === "delete") remove.mutate(undefined, { onSuccess: onClose });
    else change.mutate({ state: what === "enable" ? "enabled" : "disabled" }, { onSuccess: onClose });
  };
  return (
    <Sheet
      title={title(<SafeText text={operator.name} wrap />)}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <Button type="submit" variant={what === "enable" ? "primary" : "danger"} blocked={blocked}>
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
