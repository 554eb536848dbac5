"use client";

import { Button } from "@/components/ui/button.tsx";
import { CELL_CLASS, DataTable } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Operator } from "@/lib/contract/accounts/operator.ts";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatRoles } from "./role-table.tsx";

export type OperatorTask =
  | { what: "make" }
  | { what: "roles" | "password" | "disable" | "enable" | "delete"; operator: Operator };

interface OperatorTableProps {
  operators: readonly Operator[];
  onTask(task: OperatorTask): void;
}

export function OperatorTable({ operators: items, onTask }: OperatorTableProps) {
  const words = useMessages(operators);
  if (items.length === 0) return <p className="px-4 py-3 text-ink-2">{words.none}</p>;
  return (
    <DataTable label={words.title} heads={[...Object.values(words.heads), ""]}>
      {items.map((operator) => (
        <OperatorRow key={operator.name} operator={operator} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function OperatorRow({ operator, onTask }: { operator: Operator; onTask(task: OperatorTask): void }) {
  const { name, roles, state, password, createdAt, createdBy, lastLoginAt } = operator;
  const words = useMessages(operators);
  const said = useMessages(settings);
  const tasks: readonly Exclude<OperatorTask["what"], "make">[] = [
    "roles",
    "password",
    state === "enabled" ? "disable" : "enable",
    "delete",
  ];
  return (
    <tr className="border-t border-line-soft">
      <th
        scope="row"
        className={`${CELL_CLASS} font-normal`}
        title={said.madeBy(formatDate(createdAt), toVisibleText(createdBy))}
      >
        <span className="font-medium">
          <SafeText text={name} />
        </span>
        {state === "disabled" && (
          <span className="ml-2 rounded-[4px] border border-bad px-1 text-2xs text-bad">
            {words.disabled}
          </span>
        )}
      </th>
      <td className={CELL_CLASS}>
        <SafeText text={formatRoles(roles, said)} wrap />
      </td>
      <td className={CELL_CLASS}>
        {password === "set" ? words.passwordSet : <span className="text-warn">{words.passwordNone}</span>}
      </td>
      <td className={CELL_CLASS}>
        <LastLogin at={lastLoginAt} />
      </td>
      <td className={`${CELL_CLASS} text-right whitespace-nowrap`}>
        <span className="inline-flex gap-1.5">
          {tasks.map((what) => (
            <Button
              key={what}
              size="small"
              aria-label={words.taskOf[what](toVisibleText(name))}
              onClick={() => onTask({ what, operator })}
            >
              {words.tasks[what]}
            </Button>
          ))}
        </span>
      </td>
    </tr>
  );
}

function LastLogin({ at }: { at: number | null }) {
  const words = useMessages(ui);
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">{words.never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDate(at)}>
      {now === null ? formatDate(at) : formatAgo(now - at, words)}
    </time>
  );
}
