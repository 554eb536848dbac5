"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { Operator } from "@/lib/contract/operator.ts";
import { useSetPassword } from "@/lib/live/operators.ts";
import { PasswordFields, passwordFault } from "./password-fields.tsx";

/** An admin gives somebody a new password. */
export function OperatorPassword({ operator, onClose }: { operator: Operator; onClose(): void }) {
  const set = useSetPassword(operator.name);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const blocked = set.isPending ? "Waiting for the answer" : passwordFault(password, again);
  return (
    <Sheet
      title={
        <>
          Password of <SafeText text={operator.name} wrap />
        </>
      }
      onClose={onClose}
      onEdit={() => set.isError && set.reset()}
      onSubmit={() => blocked === null && set.mutate({ password }, { onSuccess: onClose })}
      actions={
        <Button type="submit" look="primary" blocked={blocked}>
          Set the password
        </Button>
      }
    >
      <ProblemNote problem={set.error} />
      <PasswordFields password={password} again={again} onPassword={setPassword} onAgain={setAgain} />
      <p className="text-2xs text-ink-3">Their sessions end: they log in again with the new one.</p>
    </Sheet>
  );
}
