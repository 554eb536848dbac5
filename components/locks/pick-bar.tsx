"use client";

import type { BulkWish } from "@/components/free/bulk-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import type { Picking } from "./use-picking.ts";

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
  const { picked } = picking;
  const ofAll = filter === "" ? `All ${formatNumber(total)}…` : `All ${formatNumber(total)} matching…`;
  return (
    <div
      role="toolbar"
      aria-label="Ticked locks"
      className="flex -mt-2 min-h-11 flex-wrap items-center gap-2 border-x border-t border-line bg-accent-bg px-3 py-1.5"
    >
      <span role="status" className="flex-1 font-medium text-accent">
        {picked.size === 1 ? "1 lock ticked" : `${formatNumber(picked.size)} locks ticked`}
      </span>
      <Button onClick={picking.clear}>Untick</Button>
      {total > picked.size && (
        <Button blocked={blocked} onClick={() => onFree({ filter })} title="Review all, then decide">
          {ofAll}
        </Button>
      )}
      <Button look="danger" blocked={blocked} onClick={() => onFree({ locks: [...picked.values()] })}>
        Free {formatNumber(picked.size)}…
      </Button>
    </div>
  );
}
