"use client";

import { CopyButton } from "@/components/ui/copy-button.tsx";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface CodeBlockProps {
  text: string;
  /** The accessible name of the code. */
  label: string;
  /** The heading above the code. Defaults to the label. */
  note?: string;
  /** Whether to limit the height. Longer code scrolls. */
  isTall?: boolean;
}

const WIDE_CLASS = "overflow-x-auto px-3 py-2.5";
const TALL_CLASS = "max-h-[70dvh] overflow-auto px-3 py-2.5";

/** Shows code with a copy button. The code is focusable, so that keyboard users can scroll it. */
export function CodeBlock({ text, label, note, isTall = false }: CodeBlockProps) {
  const messages = useMessages(docs);
  return (
    <div className="min-w-0 rounded-[8px] border border-line bg-panel">
      <div className="flex items-center justify-between gap-2 border-b border-line-soft py-1 pr-1.5 pl-3 text-xs text-ink-3">
        <span className="truncate">{note ?? label}</span>
        <CopyButton text={text} label={messages.copyOf(label)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard. */}
      <section aria-label={label} tabIndex={0} className={isTall ? TALL_CLASS : WIDE_CLASS}>
        <pre translate="no" className="font-mono text-sm leading-relaxed text-ink">
          {text}
        </pre>
      </section>
    </div>
  );
}
