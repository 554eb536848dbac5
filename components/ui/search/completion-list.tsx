"use client";

import clsx from "clsx";
import { useEffect, useRef } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { type Completion, getOptionId } from "./completion.ts";

interface CompletionListProps {
  id: string;
  completion: Completion;
  active: number;
  onSelect(text: string): void;
}

/** Lists the completions below a search box. The search box keeps the focus. */
export function CompletionList({ id, completion, active, onSelect }: CompletionListProps) {
  const messages = useMessages(ui);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In newer browsers, `scrollIntoView` returns a promise, which can be ignored.
    void list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={messages.suggestions}
      className="absolute top-full left-0 z-30 mt-1 max-h-72 w-full max-w-md overflow-y-auto rounded-[8px] border border-line bg-panel p-1 shadow-sheet"
    >
      {completion.items.map(({ text, hint }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the box above handles the keys
        <div
          key={text}
          id={getOptionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // Keeps the focus in the search box.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onSelect(text)}
          className={clsx(
            "flex min-h-7 cursor-pointer items-center gap-3 rounded-[6px] px-2",
            index === active ? "bg-accent-bg text-ink" : "hover:bg-line-soft",
          )}
        >
          <span translate="no" className="shrink-0 font-mono text-xs">
            {text}
          </span>
          <span className={clsx("truncate text-2xs", index === active ? "text-ink-2" : "text-ink-3")}>
            {hint}
          </span>
        </div>
      ))}
    </div>
  );
}
