"use client";

import { CopyButton } from "@/components/ui/copy-button.tsx";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface CodeBlockProps {
  text: string;
  /** What it is, for those who do not see where it stands. */
  label: string;
  /** Said above it. */
  note?: string;
}

/** Code to be copied. It scrolls by itself, and so must be reached with the keyboard. */
export function CodeBlock({ text, label, note }: CodeBlockProps) {
  const messages = useMessages(docs);
  return (
    <div className="min-w-0 rounded-[8px] border border-line bg-panel">
      <div className="flex items-center justify-between gap-2 border-b border-line-soft py-1 pr-1.5 pl-3 text-2xs text-ink-3">
        <span className="truncate">{note ?? label}</span>
        <CopyButton text={text} label={messages.copyOf(label)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached with the keyboard. */}
      <section aria-label={label} tabIndex={0} className="overflow-x-auto px-3 py-2.5">
        <pre translate="no" className="font-mono text-xs leading-relaxed text-ink">
          {text}
        </pre>
      </section>
    </div>
  );
}
