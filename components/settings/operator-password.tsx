"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Operator } from "@/lib/contract/accounts/operator.ts";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useSetPassword } from "@/lib/queries/access/operators.ts";
import { findPasswordFault, PasswordFields } from "./password-fields.tsx";

/** Lets an admin set the password of an operator. */
export function OperatorPassword({ operator, onClose }: { operator: Operator; onClose(): void }) {
  const messages = useMessages(operators);
  const faults = useMessages(settings);
  const { waiting } = useMessages(ui);
  const set = useSetPassword(operator.name);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const blocked = set.isPending ? waiting : findPasswordFault(password, again, faults);
  return (
    <Sheet
      title={messages.passwordOf(<SafeText text={operator.name} wrap />)}
      onClose={onClose}
      onEdit={() => set.isError && set.reset()}
      onSubmit={() => blocked === null && set.mutate({ password }, { onSuccess: onClose })}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {messages.setPassword}
        </Button>
      }
    >
      <ProblemNote problem={set.error} />
      <PasswordFields password={password} again={again} onPassword={setPassword} onAgain={setAgain} />
      <p className="text-2xs text-ink-3">{messages.sessionsEnd}</p>
    </Sheet>
  );
}
