"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { isServerAdmin } from "@/components/shell/rank.ts";
import { Button } from "@/components/ui/button.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Operator } from "@/lib/contract/operator.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useOperators } from "@/lib/live/operators.ts";
import { OperatorTable } from "./operator-table.tsx";
import { ForAdmins } from "./settings-frame.tsx";

const OperatorForm = dynamic(() => import("./operator-form.tsx").then((module) => module.OperatorForm), {
  ssr: false,
});
const OperatorPassword = dynamic(
  () => import("./operator-password.tsx").then((module) => module.OperatorPassword),
  { ssr: false },
);
const OperatorEnd = dynamic(() => import("./operator-end.tsx").then((module) => module.OperatorEnd), {
  ssr: false,
});

export type OperatorTask =
  | { what: "make" }
  | { what: "roles" | "password" | "disable" | "enable" | "delete"; operator: Operator };

/** Who may log in by password, and what they may do. */
export function OperatorsSettings() {
  const { hello } = useLive();
  if (hello === null) return null;
  if (!isServerAdmin(hello)) return <ForAdmins what="Operators are seen and changed" />;
  return <Operators />;
}

function Operators() {
  const operators = useOperators();
  const [task, setTask] = useState<OperatorTask | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <Section
        title="Operators"
        text="People who log in by name and password. A viewer looks, an operator frees locks as well, an admin may do everything; each at some targets or at all."
        actions={
          <Button look="primary" onClick={() => setTask({ what: "make" })}>
            New operator…
          </Button>
        }
      >
        {operators.isPending && <p className="px-4 py-3 text-ink-3">Looking…</p>}
        <ProblemNote problem={operators.error} onAgain={() => void operators.refetch()} />
        {operators.data !== undefined && <OperatorTable operators={operators.data.items} onTask={setTask} />}
      </Section>
      {task?.what === "make" && <OperatorForm onClose={close} />}
      {task?.what === "roles" && <OperatorForm operator={task.operator} onClose={close} />}
      {task?.what === "password" && <OperatorPassword operator={task.operator} onClose={close} />}
      {(task?.what === "disable" || task?.what === "enable" || task?.what === "delete") && (
        <OperatorEnd what={task.what} operator={task.operator} onClose={close} />
      )}
    </>
  );
}
