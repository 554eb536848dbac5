"use client";

import type { ReactNode } from "react";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { FrozenRows } from "../frozen-rows/use-frozen-rows.ts";

interface TableFooterProps {
  list: FrozenRows;
  /** Indexes of the first and the last visible row in the whole list. */
  first: number;
  last: number;
  total: number;
  /**
   * Maximum number of rows that a browser can lay out. If more rows match, the operator must narrow the search to see
   * them.
   */
  most: number;
  children?: ReactNode;
}

/**
 * Shows the position in the list, whether the list is frozen, and the number of changes since it was frozen. The footer
 * is always rendered, so that rows do not move when the number of changes appears.
 */
export function TableFooter({ list, first, last, total, most, children }: TableFooterProps) {
  const messages = useMessages(table);
  const { changes, freezeReason } = list;
  return (
    <div className="flex h-8 shrink-0 items-center gap-3 max-sm:h-[45px] border-x border-t border-line bg-bg px-3 text-2xs text-ink-3">
      <span data-testid="position" className="truncate">
        {total > 0 && messages.position(formatNumber(first + 1), formatNumber(last + 1), formatNumber(total))}
        {total > most && ` · ${messages.narrow}`}
      </span>
      <span className="ml-auto truncate">
        <span className="max-sm:hidden">
          {freezeReason === "paused" && messages.paused}
          {freezeReason === "reading" && messages.pausedWhileReading}
        </span>
      </span>
      {freezeReason !== null && changes > 0 && (
        <button
          type="button"
          onClick={list.refresh}
          title={messages.refresh}
          className="h-6 shrink-0 rounded-full bg-accent-bg px-2.5 text-xs font-medium text-accent max-sm:h-11"
          data-testid="changes"
        >
          {messages.changes(changes, formatNumber(changes))}
        </button>
      )}
      {children}
    </div>
  );
}
