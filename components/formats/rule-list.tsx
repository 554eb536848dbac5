"use client";

import { Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { useActionBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { FormatRule, Formats, ListedRule } from "@/lib/contract/detection/format-rule.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useReplaceRules } from "@/lib/queries/formats.ts";
import { RuleForm } from "./rule-form.tsx";
import { type ProposedRules, RulePreviewDialog } from "./rule-preview-dialog.tsx";

/** Returns the rules that were set through the API, in the form that the API accepts. */
function selectApiRules(rules: readonly ListedRule[]): FormatRule[] {
  return rules.filter(({ from }) => from === "api").map(({ pattern, format }) => ({ pattern, format }));
}

/** Lists the rules from the configuration, which are read-only, followed by the rules set through the API. */
export function RuleList({ formats: { formats, rules } }: { formats: Formats }) {
  const messages = useMessages(english);
  const replace = useReplaceRules();
  const blocked = useRulesBlockedReason(replace.isPending);
  const apiRules = selectApiRules(rules);
  // Incrementing `round` clears the form after a rule was added. Cancelling the preview keeps the input.
  const [proposed, setProposed] = useState<ProposedRules | null>(null);
  const [round, setRound] = useState(0);
  const keys = useRef<HTMLInputElement>(null);
  const names = useMessages(lock);
  useCommands([{ id: "rules:add", name: messages.addRule, blocked, run: () => keys.current?.focus() }]);
  const close = () => {
    setProposed(null);
    replace.reset();
    keys.current?.focus();
  };
  const carryOut = ({ rules: next }: ProposedRules) =>
    replace.mutate(next, {
      onSuccess: () => {
        setRound(round + 1);
        close();
      },
    });
  return (
    <>
      <ol aria-label={messages.rules}>
        {rules.map((rule, index) => (
          <li
            key={`${rule.from} ${rule.pattern} ${rule.format}`}
            className="flex min-h-10 items-center gap-3 border-b border-line-soft px-4 py-1.5"
          >
            <span className="min-w-0 flex-1 font-mono text-xs">
              <SafeText text={rule.pattern} wrap />
            </span>
            <span translate="no" className="flex-1">
              {getFormatLabel(rule.format, names)}
            </span>
            {rule.from === "configuration" ? (
              <span className="text-2xs text-ink-3">{messages.fromConfiguration}</span>
            ) : (
              <Button
                variant="quiet"
                size="small-icon"
                blocked={blocked}
                aria-label={messages.removeRuleFor(toVisibleText(rule.pattern))}
                onClick={() =>
                  setProposed({
                    kind: "remove",
                    rule,
                    rules: apiRules.filter((_, at) => at !== index - (rules.length - apiRules.length)),
                  })
                }
              >
                <Trash2 aria-hidden size={14} />
              </Button>
            )}
          </li>
        ))}
      </ol>
      {rules.length === 0 && (
        <p className="border-b border-line-soft px-4 py-3 text-ink-3">{messages.noRules}</p>
      )}
      <RuleForm
        key={round}
        formats={formats}
        blocked={blocked}
        keysRef={keys}
        onPreview={(rule) => setProposed({ kind: "add", rule, rules: [...apiRules, rule] })}
      />
      {proposed !== null && (
        <RulePreviewDialog
          proposed={proposed}
          blocked={blocked}
          onDo={() => carryOut(proposed)}
          onCancel={close}
        />
      )}
      {replace.isError && (
        <div className="px-4 pb-3">
          <ProblemNote problem={replace.error} />
        </div>
      )}
    </>
  );
}

function useRulesBlockedReason(isPending: boolean): string | null {
  const messages = useMessages(english);
  const live = useLiveState();
  const block = useActionBlockedReason();
  if (isPending) return messages.waiting;
  if (live.hello?.operator.may.includes("admin") === false) return messages.adminsOnly;
  return block;
}
