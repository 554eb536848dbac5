"use client";

import type { BulkSelection } from "@/components/release/bulk-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { BULK_ITEMS_MAX } from "@/lib/contract/limits.ts";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { LockSelection } from "./use-selection.ts";

interface SelectionBarProps {
  selection: LockSelection;
  /** How many match the filter, ticked or not. */
  total: number;
  filter: string;
  blocked: string | null;
  onRelease(wish: BulkSelection): void;
}

/** What can be done to the ticked rows; stands at the foot of the table, so that no row moves. */
export function SelectionBar({ selection, total, filter, blocked, onRelease }: SelectionBarProps) {
  const words = useMessages(viewTools);
  const { selected, scope, outOfSight } = selection;
  const all = formatNumber(total);
  const isAll = scope === "all";
  const count = isAll ? total : selected.size;
  return (
    <div
      role="toolbar"
      aria-label={words.ticked}
      className="flex -mt-2 min-h-11 flex-wrap items-center gap-2 border-x border-t border-line bg-accent-bg px-3 py-1.5 max-sm:[&>button]:h-11 max-sm:[&>button]:flex-1"
    >
      <p role="status" className="min-w-40 flex-1 text-accent max-sm:basis-full">
        <span className="font-medium">
          {isAll ? formatSelectedAll(words, filter, all) : words.count(count, formatNumber(count))}
        </span>
        {outOfSight > 0 && (
          <span className="ml-2 text-ink-2">{words.outOfSight(formatNumber(outOfSight))}</span>
        )}
        {count > BULK_ITEMS_MAX && (
          <span className="ml-2 text-ink-2">{words.mostAtOnce(formatNumber(BULK_ITEMS_MAX))}</span>
        )}
      </p>
      {!isAll && total > selected.size && (
        <Button onClick={selection.selectAllMatching} title={words.tickAllHint}>
          {filter === "" ? words.tickAllEver(all) : words.tickAll(all)}
        </Button>
      )}
      <Button onClick={selection.clear} title={words.untickHint}>
        {words.untick}
      </Button>
      <Button
        variant="danger"
        blocked={blocked}
        title={words.freeHint}
        onClick={() => onRelease(isAll ? { filter } : { locks: [...selected.values()] })}
      >
        {words.free(formatNumber(Math.min(count, BULK_ITEMS_MAX)))}
      </Button>
    </div>
  );
}

const formatSelectedAll = (words: typeof viewTools, filter: string, all: string) =>
  filter === "" ? words.allTickedEver(all) : words.allTicked(all);
