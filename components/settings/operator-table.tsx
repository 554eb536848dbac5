import { Button } from "@/components/ui/button.tsx";
import { DataTable, TD } from "@/components/ui/data-table.tsx";
import { formatAgo, formatDate } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Operator } from "@/lib/contract/operator.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { OperatorTask } from "./operators-settings.tsx";
import { rolesText } from "./role-table.tsx";

const HEADS = ["Name", "Roles", "Password", "Last login", ""] as const;

interface OperatorTableProps {
  operators: readonly Operator[];
  onTask(task: OperatorTask): void;
}

export function OperatorTable({ operators, onTask }: OperatorTableProps) {
  if (operators.length === 0) {
    return (
      <p className="px-4 py-3 text-ink-2">
        No operators yet: whoever has the terminal logs in with a one-time link. Make one for each person, so
        that events and the audit say who it was.
      </p>
    );
  }
  return (
    <DataTable label="Operators" heads={HEADS}>
      {operators.map((operator) => (
        <OperatorRow key={operator.name} operator={operator} onTask={onTask} />
      ))}
    </DataTable>
  );
}

function OperatorRow({ operator, onTask }: { operator: Operator; onTask(task: OperatorTask): void }) {
  const { name, roles, state, password, createdAt, createdBy, lastLoginAt } = operator;
  const tasks: readonly (readonly [Exclude<OperatorTask["what"], "make">, string])[] = [
    ["roles", "Roles…"],
    ["password", "Password…"],
    state === "enabled" ? ["disable", "Disable…"] : ["enable", "Enable…"],
    ["delete", "Delete…"],
  ];
  return (
    <tr className="border-t border-line-soft">
      <th scope="row" className={`${TD} font-normal`} title={`Made ${formatDate(createdAt)} by ${createdBy}`}>
        <span className="font-medium">
          <SafeText text={name} />
        </span>
        {state === "disabled" && (
          <span className="ml-2 rounded-[4px] border border-bad px-1 text-2xs text-bad">disabled</span>
        )}
      </th>
      <td className={TD}>
        <SafeText text={rolesText(roles)} wrap />
      </td>
      <td className={TD}>
        {password === "set" ? "set" : <span className="text-warn">none: cannot log in</span>}
      </td>
      <td className={TD}>
        <LastLogin at={lastLoginAt} />
      </td>
      <td className={`${TD} text-right whitespace-nowrap`}>
        <span className="inline-flex gap-1.5">
          {tasks.map(([what, words]) => (
            <Button
              key={what}
              size="small"
              aria-label={`${words.replace("…", "")} of ${name}`}
              onClick={() => onTask({ what, operator })}
            >
              {words}
            </Button>
          ))}
        </span>
      </td>
    </tr>
  );
}

function LastLogin({ at }: { at: number | null }) {
  const now = useServerNow();
  if (at === null) return <span className="text-ink-3">never</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDate(at)}>
      {now === null ? formatDate(at) : formatAgo(now - at)}
    </time>
  );
}
