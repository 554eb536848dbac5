"use client";

import type { BulkWish } from "@/components/release/bulk-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { BULK_ITEMS_MAX } from "@/lib/contract/limits.ts";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { Picking } from "./use-selection.ts";

interface PickBarProps {
  picking: Picking;
  /** How many match the filter, ticked or not. */
  total: number;
  filter: string;
  blocked: string | null;
  onFree(wish: BulkWish): void;
}

/** What can be done to the ticked rows; stands at the foot of the table, so that no row moves. */
export function PickBar({ picking, total, filter, blocked, onFree }: PickBarProps) {
  const words = useWords(viewTools);
  const { picked, which, outOfSight } = picking;
  const all = formatNumber(total);
  const isAll = which === "all";
  const count = isAll ? total : picked.size;
  return (
    <div
      role="toolbar"
      aria-label={words.ticked}
      className="flex -mt-2 min-h-11 flex-wrap items-center gap-2 border-x border-t border-line bg-accent-bg px-3 py-1.5 max-sm:[&>button]:h-11 max-sm:[&>button]:flex-1"
    >
      <p role="status" className="min-w-40 flex-1 text-accent max-sm:basis-full">
        <span className="font-medium">
          {isAll ? tickedAll(words, filter, all) : words.count(count, formatNumber(count))}
        </span>
        {outOfSight > 0 && (
          <span className="ml-2 text-ink-2">{words.outOfSight(formatNumber(outOfSight))}</span>
        )}
        {count > BULK_ITEMS_MAX && (
          <span className="ml-2 text-ink-2">{words.mostAtOnce(formatNumber(BULK_ITEMS_MAX))}</span>
        )}
      </p>
      {!isAll && total > picked.size && (
        <Button onClick={picking.tickAllThatMatch} title={words.tickAllHint}>
          {filter === "" ? words.tickAllEver(all) : words.tickAll(all)}
        </Button>
      )}
      <Button onClick={picking.clear} title={words.untickHint}>
        {words.untick}
      </Button>
      <Button
        look="danger"
        blocked={blocked}
        title={words.freeHint}
        onClick={() => onFree(isAll ? { filter } : { locks: [...picked.values()] })}
      >
        {words.free(formatNumber(Math.min(count, BULK_ITEMS_MAX)))}
      </Button>
    </div>
  );
}

const tickedAll = (words: typeof viewTools, filter: string, all: string) =>
  filter === "" ? words.allTickedEver(all) : words.allTicked(all);
