"use client";

import { Trash2 } from "lucide-react";
import { usePictureBlock } from "@/components/shell/use-block.ts";
import { Button } from "@/components/ui/button.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { FormatRule, Formats, ListedRule } from "@/lib/contract/format-rule.ts";
import { useLive, useReplaceRules } from "@/lib/live/hooks.ts";
import { RuleForm } from "./rule-form.tsx";

/** The rules that are kept here, without what the list says of them. */
function keptOf(rules: readonly ListedRule[]): FormatRule[] {
  return rules.filter(({ from }) => from === "api").map(({ pattern, format }) => ({ pattern, format }));
}

/** Those of the configuration first, which are changed there; then those that are kept by the server. */
export function RuleList({ formats: { formats, rules } }: { formats: Formats }) {
  const replace = useReplaceRules();
  const blocked = useRulesBlocked(replace.isPending);
  const kept = keptOf(rules);
  const label = (name: string) => formats.find((each) => each.name === name)?.label ?? name;
  return (
    <>
      <ol aria-label="Rules">
        {rules.map(({ pattern, format, from }, index) => (
          <li
            key={`${from} ${pattern} ${format}`}
            className="flex min-h-10 items-center gap-3 border-b border-line-soft px-4 py-1.5"
          >
            <span className="min-w-0 flex-1 font-mono text-xs">
              <SafeText text={pattern} wrap />
            </span>
            <span className="flex-1">{label(format)}</span>
            {from === "configuration" ? (
              <span className="text-2xs text-ink-3">from the configuration</span>
            ) : (
              <Button
                look="quiet"
                size="small-icon"
                blocked={blocked}
                aria-label={`Remove the rule for ${visibleText(pattern)}`}
                onClick={() =>
                  replace.mutate(kept.filter((_, at) => at !== index - (rules.length - kept.length)))
                }
              >
                <Trash2 aria-hidden size={14} />
              </Button>
            )}
          </li>
        ))}
      </ol>
      {rules.length === 0 && (
        <p className="border-b border-line-soft px-4 py-3 text-ink-3">
          No rules: what a key is, is told by its name and shape alone.
        </p>
      )}
      <RuleForm
        formats={formats}
        blocked={blocked}
        error={replace.error?.message}
        onAdd={(rule, then) => replace.mutate([...kept, rule], { onSuccess: then })}
      />
    </>
  );
}

function useRulesBlocked(isPending: boolean): string | null {
  const live = useLive();
  const block = usePictureBlock();
  if (isPending) return "Waiting for the answer";
  if (live.hello?.operator.may.includes("admin") === false) return "Rules are changed by an admin.";
  return block === null ? null : "Nothing can be changed until the picture is live again.";
}
