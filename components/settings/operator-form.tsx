"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Roles } from "@/lib/contract/access.ts";
import type { Operator } from "@/lib/contract/accounts/operator.ts";
import { NAME_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useCreateOperator, useUpdateOperator } from "@/lib/queries/access/operators.ts";
import { findPasswordFault, PasswordFields } from "./password-fields.tsx";
import { RoleTable } from "./role-table.tsx";

interface OperatorFormProps {
  /** The operator to change; `undefined` to create one. */
  operator?: Operator;
  onClose(): void;
}

export function OperatorForm({ operator, onClose }: OperatorFormProps) {
  return operator === undefined ? (
    <NewOperator onClose={onClose} />
  ) : (
    <OperatorRoles operator={operator} onClose={onClose} />
  );
}

function NewOperator({ onClose }: { onClose(): void }) {
  const messages = useMessages(operators);
  const faults = useMessages(settings);
  const { waiting } = useMessages(ui);
  const make = useCreateOperator();
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<Roles>({ "*": "viewer" });
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const missing = name.trim() === "" ? messages.nameRequired : findPasswordFault(password, again, faults);
  const blocked = make.isPending ? waiting : missing;
  const submit = () => {
    if (blocked === null) make.mutate({ name: name.trim(), roles, password }, { onSuccess: onClose });
  };
  return (
    <Sheet
      title={messages.newTitle}
      onClose={onClose}
      onEdit={() => make.isError && make.reset()}
      onSubmit={submit}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {messages.create}
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
      <RoleTable roles={roles} onRoles={setRoles} />
      <PasswordFields password={password} again={again} onPassword={setPassword} onAgain={setAgain} />
    </Sheet>
  );
}

function OperatorRoles({ operator, onClose }: { operator: Operator; onClose(): void }) {
  const messages = useMessages(operators);
  const { waiting } = useMessages(ui);
  const change = useUpdateOperator(operator.name);
  const [roles, setRoles] = useState(operator.roles);
  const blocked = change.isPending ? waiting : null;
  return (
    <Sheet
      title={messages.rolesOf(<SafeText text={operator.name} wrap />)}
      onClose={onClose}
      onEdit={() => change.isError && change.reset()}
      onSubmit={() => blocked === null && change.mutate({ roles }, { onSuccess: onClose })}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {messages.saveRoles}
        </Button>
      }
    >
      <ProblemNote problem={change.error} />
      <RoleTable roles={roles} onRoles={setRoles} />
      <p className="text-2xs text-ink-3">{messages.rolesEffective}</p>
    </Sheet>
  );
}
