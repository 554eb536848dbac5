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
  const messages = useMessages(operators);
  if (items.length === 0) return <p className="px-4 py-3 text-ink-2">{messages.none}</p>;
  return (
    <DataTable label={messages.title} heads={[...Object.values(messages.heads), ""]}>
      {items.map((operator) => (
        <OperatorRow key={operator.name} operator={operator} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function OperatorRow({ operator, onTask }: { operator: Operator; onTask(task: OperatorTask): void }) {
  const { name, roles, state, password, createdAt, createdBy, lastLoginAt } = operator;
  const messages = useMessages(operators);
  const settingsMessages = useMessages(settings);
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
        title={settingsMessages.createdBy(formatDate(createdAt), toVisibleText(createdBy))}
      >
        <span className="font-medium">
          <SafeText text={name} />
        </span>
        {state === "disabled" && (
          <span className="ml-2 rounded-[4px] border border-bad px-1 text-2xs text-bad">
            {messages.disabled}
          </span>
        )}
      </th>
      <td className={CELL_CLASS}>
        <SafeText text={formatRoles(roles, settingsMessages)} wrap />
      </td>
      <td className={CELL_CLASS}>
        {password === "set" ? (
          messages.passwordSet
        ) : (
          <span className="text-warn">{messages.passwordNone}</span>
        )}
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
              aria-label={messages.taskOf[what](toVisibleText(name))}
              onClick={() => onTask({ what, operator })}
            >
              {messages.tasks[what]}
            </Button>
          ))}
        </span>
      </td>
    </tr>
  );
}

function LastLogin({ at }: { at: number | null }) {
  const messages = useMessages(ui);
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">{messages.never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDate(at)}>
      {now === null ? formatDate(at) : formatAgo(now - at, messages)}
    </time>
  );
}
