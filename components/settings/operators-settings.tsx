"use client";

import { useState } from "react";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { Section } from "@/components/ui/section.tsx";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useOperators } from "@/lib/queries/access/operators.ts";
import { OperatorTable, type OperatorTask } from "./operator-table.tsx";
import { AdminOnlyNotice } from "./settings-frame.tsx";

const OperatorForm = createLazyOverlay(() =>
  import("./operator-form.tsx").then((module) => module.OperatorForm),
);
const OperatorPassword = createLazyOverlay(() =>
  import("./operator-password.tsx").then((module) => module.OperatorPassword),
);
const OperatorRemoval = createLazyOverlay(() =>
  import("./operator-removal.tsx").then((module) => module.OperatorRemoval),
);

export function OperatorsSettings() {
  const messages = useMessages(settings);
  const { hello } = useLiveState();
  if (hello === null) return null;
  if (!isServerAdmin(hello)) return <AdminOnlyNotice text={messages.operatorsForAdmins} />;
  return <OperatorList />;
}

function OperatorList() {
  const messages = useMessages(operators);
  const { loading } = useMessages(ui);
  const all = useOperators();
  const [task, setTask] = useState<OperatorTask | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <Section
        title={messages.title}
        text={messages.text}
        actions={
          <Button variant="primary" onClick={() => setTask({ what: "make" })}>
            {messages.add}
          </Button>
        }
      >
        {all.isPending && <p className="px-4 py-3 text-ink-3">{loading}</p>}
        <ProblemNote problem={all.error} onAgain={() => void all.refetch()} />
        {all.data !== undefined && <OperatorTable operators={all.data.items} onTask={setTask} />}
      </Section>
      {task?.what === "make" && <OperatorForm onClose={close} />}
      {task?.what === "roles" && <OperatorForm operator={task.operator} onClose={close} />}
      {task?.what === "password" && <OperatorPassword operator={task.operator} onClose={close} />}
      {(task?.what === "disable" || task?.what === "enable" || task?.what === "delete") && (
        <OperatorRemoval what={task.what} operator={task.operator} onClose={close} />
      )}
    </>
  );
}
