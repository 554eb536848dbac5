"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import type { FormatRule } from "@/lib/contract/detection/format-rule.ts";
import type { RuleChange as Change, RulePreview } from "@/lib/contract/detection/rule-preview.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { usePreviewRules } from "@/lib/queries/formats.ts";

export interface ProposedRules {
  /** All rules set through the API, after the change. */
  readonly rules: readonly FormatRule[];
  readonly kind: "add" | "remove";
  /** The added or removed rule. */
  readonly rule: FormatRule;
}

interface RulePreviewDialogProps {
  proposed: ProposedRules;
  blocked: string | null;
  onDo(): void;
  onCancel(): void;
}

/**
 * Shows how adding or removing a rule would change the formats of held locks. The operator confirms or cancels the
 * change.
 */
export function RulePreviewDialog({ proposed, blocked, onDo, onCancel }: RulePreviewDialogProps) {
  const { change: messages, ...all } = useMessages(english);
  const names = useMessages(lock);
  const preview = usePreviewRules();
  const { mutate } = preview;
  const place = useRef<HTMLElement>(null);
  useEffect(() => mutate(proposed.rules), [mutate, proposed]);
  useEffect(() => place.current?.focus(), []);
  useShortcuts({ escape: onCancel });
  const pattern = (
    <code className="font-mono text-xs">
      <SafeText text={proposed.rule.pattern} wrap />
    </code>
  );
  const isAdding = proposed.kind === "add";
  return (
    <section
      ref={place}
      tabIndex={-1}
      data-testid="rule-preview"
      className="mx-4 mb-3 flex flex-col gap-2 rounded-[9px] border border-accent px-3 py-2.5 outline-none"
    >
      <h3 className="font-medium">
        {isAdding
          ? messages.adding(pattern, getFormatLabel(proposed.rule.format, names))
          : messages.removing(pattern)}
      </h3>
      {preview.isError && <ProblemNote problem={preview.error} />}
      <div role="status">
        {preview.data === undefined && !preview.isError && <p className="text-ink-3">{messages.reading}</p>}
        {preview.data !== undefined && <RuleEffects preview={preview.data} />}
      </div>
      <div className="flex gap-2">
        <Button
          variant="primary"
          onClick={onDo}
          blocked={blocked ?? (preview.isPending ? all.waiting : null)}
        >
          {isAdding ? messages.add : messages.remove}
        </Button>
        <Button onClick={onCancel}>{messages.cancel}</Button>
      </div>
    </section>
  );
}

function RuleEffects({ preview }: { preview: RulePreview }) {
  const { change: messages } = useMessages(english);
  const { held, affected, readCount, scanned, isWhole, changes } = preview;
  return (
    <div className="flex flex-col gap-2">
      {changes.length === 0 ? (
        <p>{messages.nothing}</p>
      ) : (
        <ul className="divide-y divide-line-soft rounded-[8px] border border-line">
          {changes.map((change) => (
            <EffectRow key={JSON.stringify([change.from, change.to])} change={change} />
          ))}
        </ul>
      )}
      <p className="text-2xs text-ink-3">
        {messages.affected(formatNumber(affected), formatNumber(held))}{" "}
        {readCount < affected && messages.truncated(formatNumber(readCount))}{" "}
        {isWhole ? messages.scannedAll(formatNumber(scanned)) : messages.scannedSome(formatNumber(scanned))}
      </p>
    </div>
  );
}

function EffectRow({ change: { from, to, count, sample } }: { change: Change }) {
  const { change: messages } = useMessages(english);
  return (
    <li className="flex flex-col gap-0.5 px-3 py-1.5">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium tabular-nums">{messages.count(formatNumber(count), count === 1)}</span>
        <EffectDescription meaning={from} />
        <span aria-hidden className="text-ink-3">
          →
        </span>
        <EffectDescription meaning={to} />
      </span>
      <span className="flex flex-wrap gap-x-3 font-mono text-2xs text-ink-3">
        {sample.map(({ key }) => (
          <SafeText key={key} text={key} wrap />
        ))}
        {count > sample.length && <span aria-hidden>…</span>}
      </span>
    </li>
  );
}

function EffectDescription({ meaning }: { meaning: Change["from"] }): ReactNode {
  const { change, confidences } = useMessages(english);
  const names = useMessages(lock);
  if (meaning === null) return <span className="text-ink-2">{change.noLock}</span>;
  return (
    <span>
      <span translate="no">{getFormatLabel(meaning.format, names)}</span>{" "}
      <span className="text-2xs text-ink-3">{confidences[meaning.confidence]}</span>
    </span>
  );
}
