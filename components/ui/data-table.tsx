"use client";

import type { ReactNode } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

export const CELL_CLASS = "px-4 py-2 align-top";

interface DataTableProps {
  label: string;
  /** The column headers. An empty string stands for a column of buttons. */
  heads: readonly string[];
  children: ReactNode;
}

/** Renders a table that scrolls horizontally if it is wider than its container. */
export function DataTable({ label, heads, children }: DataTableProps) {
  const messages = useMessages(ui);
  return (
    // The surrounding section is the landmark. A second landmark with the same name would be ambiguous.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto outline-offset-[-2px]"
    >
      <table className="w-full min-w-[860px] text-left">
        <thead>
          <tr className="text-2xs text-ink-3">
            {heads.map((head) => (
              <th key={head} scope="col" className="px-4 pt-2 pb-1 font-normal whitespace-nowrap">
                {head === "" ? <span className="sr-only">{messages.actions}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
