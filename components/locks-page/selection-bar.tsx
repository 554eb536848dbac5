"use client";

import type { BulkSelection } from "@/components/release/bulk/bulk-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { BULK_ITEMS_MAX } from "@/lib/contract/limits.ts";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { LockSelection } from "./use-selection.ts";

interface SelectionBarProps {
  selection: LockSelection;
  /** Number of locks that match the filter, whether selected or not. */
  total: number;
  filter: string;
  blocked: string | null;
  onRelease(wish: BulkSelection): void;
}

/** Shows the actions on the selected rows. The bar is below the table, so no row moves when the bar appears. */
export function SelectionBar({ selection, total, filter, blocked, onRelease }: SelectionBarProps) {
  const messages = useMessages(viewTools);
  const { selected, scope, unloadedCount } = selection;
  const all = formatNumber(total);
  const isAll = scope === "all";
  const count = isAll ? total : selected.size;
  return (
    <div
      role="toolbar"
      aria-label={messages.selection}
      className="flex -mt-2 min-h-11 flex-wrap items-center gap-2 border-x border-t border-line bg-accent-bg px-3 py-1.5 max-sm:[&>button]:h-11 max-sm:[&>button]:flex-1"
    >
      <p role="status" className="min-w-40 flex-1 text-accent max-sm:basis-full">
        <span className="font-medium">
          {isAll ? formatSelectedAll(messages, filter, all) : messages.count(count, formatNumber(count))}
        </span>
        {unloadedCount > 0 && (
          <span className="ml-2 text-ink-2">{messages.offScreen(formatNumber(unloadedCount))}</span>
        )}
        {count > BULK_ITEMS_MAX && (
          <span className="ml-2 text-ink-2">{messages.mostAtOnce(formatNumber(BULK_ITEMS_MAX))}</span>
        )}
      </p>
      {!isAll && total > selected.size && (
        <Button onClick={selection.selectAllMatching} title={messages.selectAllHint}>
          {filter === "" ? messages.selectAll(all) : messages.selectAllMatching(all)}
        </Button>
      )}
      <Button onClick={selection.clear} title={messages.clearHint}>
        {messages.clear}
      </Button>
      <Button
        variant="danger"
        blocked={blocked}
        title={messages.releaseHint}
        onClick={() => onRelease(isAll ? { filter } : { locks: [...selected.values()] })}
      >
        {messages.release(formatNumber(Math.min(count, BULK_ITEMS_MAX)))}
      </Button>
    </div>
  );
}

const formatSelectedAll = (messages: typeof viewTools, filter: string, all: string) =>
  filter === "" ? messages.allSelected(all) : messages.allMatchingSelected(all);
