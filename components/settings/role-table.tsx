"use client";

import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import type { Role, Roles } from "@/lib/contract/access.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { operators } from "@/lib/i18n/en/operators.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargets } from "@/lib/queries/targets.ts";

type RoleChoice = Role | "none" | "as_others";

const ASSIGNABLE_ROLES = ["none", "viewer", "operator", "admin"] as const;
const ROLE_CHOICES: readonly RoleChoice[] = ["as_others", ...ASSIGNABLE_ROLES];

interface RoleTableProps {
  roles: Roles;
  onRoles(roles: Roles): void;
}

/**
 * Lets the user choose a default role (`*`) and a role for each target. The role for a named target replaces the
 * default role, even if the named target's role grants less access. If there is only one target and it has no role of
 * its own, shows only the default role.
 */
export function RoleTable({ roles, onRoles }: RoleTableProps) {
  const messages = useMessages(operators);
  const targets = useTargets() ?? [];
  const named = new Set([...targets.map(({ name }) => name), ...Object.keys(roles)]);
  named.delete("*");
  const choose = (target: string, choice: RoleChoice) => {
    const { [target]: _, ...others } = roles;
    onRoles(choice === "as_others" ? others : { ...others, [target]: choice });
  };
  const [only] = named;
  // With a single target that has no role of its own, the default role applies to that target.
  if (named.size <= 1 && (only === undefined || roles[only] === undefined))
    return <SingleRole role={roles["*"] ?? "none"} onChoose={(role) => onRoles({ "*": role })} />;
  const labelOf = (target: string) => targets.find(({ name }) => name === target)?.label ?? target;
  return (
    <fieldset className="flex flex-col">
      <legend className="pb-1.5 text-ink-2">{messages.roles}</legend>
      <div className="divide-y divide-line-soft rounded-[8px] border border-line">
        <RoleRow name={messages.defaultRole} target="*" role={roles["*"] ?? "none"} onChoose={choose} />
        {[...named].map((target) => (
          <RoleRow
            key={target}
            name={labelOf(target)}
            target={target}
            role={roles[target] ?? "as_others"}
            onChoose={choose}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Lets the user choose the role of an operator if there is a single target. */
function SingleRole({ role, onChoose }: { role: Role | "none"; onChoose(role: Role | "none"): void }) {
  const messages = useMessages(operators);
  return (
    <Field label={messages.oneRole}>
      {(field) => (
        <select
          {...field}
          className={INPUT_CLASS}
          value={role}
          onChange={({ target: { value } }) => {
            const found = ASSIGNABLE_ROLES.find((each) => each === value);
            if (found !== undefined) onChoose(found);
          }}
        >
          {ASSIGNABLE_ROLES.map((each) => (
            <option key={each} value={each}>
              {messages.choices[each]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface RoleRowProps {
  name: string;
  target: string;
  role: RoleChoice;
  onChoose(target: string, choice: RoleChoice): void;
}

function RoleRow({ name, target, role, onChoose }: RoleRowProps) {
  const messages = useMessages(operators);
  const choices = ROLE_CHOICES.filter((choice) => choice !== "as_others" || target !== "*");
  return (
    <label className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <span className="min-w-32 flex-1">
        {name}
        {name !== target && <span className="ml-1.5 font-mono text-2xs text-ink-3">{target}</span>}
      </span>
      <select
        value={role}
        onChange={({ target: { value } }) => {
          const found = choices.find((choice) => choice === value);
          if (found !== undefined) onChoose(target, found);
        }}
        className="h-7 max-sm:h-11 w-48 rounded-[7px] border border-line bg-bg px-2"
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {messages.choices[choice]}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Formats roles as one line: `admin`, or `staging: operator, all other targets: viewer`. Omits a default role of
 * `none`.
 */
export function formatRoles(roles: Roles, messages: Messages["settings"]): string {
  const { "*": others, ...named } = roles;
  const parts = Object.entries(named).map(([target, role]) => messages.roleAt(target, messages.role[role]));
  if (others !== undefined && others !== "none")
    parts.push(parts.length === 0 ? messages.role[others] : messages.roleAtOthers(messages.role[others]));
  return parts.length === 0 ? messages.noRole : messages.listOf(parts);
}
