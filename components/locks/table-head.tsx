import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { ACTION_CLASS, COLUMNS, nextSort, parseSort } from "./columns.ts";

const CELL =
  "sticky top-0 z-10 h-9 border-b border-line bg-bg px-2.5 font-medium whitespace-nowrap text-ink-3";

export function TableHead({ sort, onSort }: { sort: string; onSort(sort: string): void }) {
  const now = parseSort(sort);
  return (
    <thead>
      <tr aria-rowindex={1}>
        {COLUMNS.map(({ id, name, figure, className }) => {
          const sorted = now.field === id;
          const Arrow = now.descending ? ArrowDown : ArrowUp;
          return (
            <th
              key={id}
              scope="col"
              aria-sort={sorted ? (now.descending ? "descending" : "ascending") : undefined}
              className={clsx(CELL, figure ? "text-right" : "text-left", className)}
            >
              <button
                type="button"
                onClick={() => onSort(nextSort(sort, id))}
                className={clsx(
                  "inline-flex h-6 items-center gap-1 hover:text-ink",
                  figure && "flex-row-reverse",
                  sorted && "text-ink",
                )}
              >
                {name}
                {sorted && <Arrow aria-hidden size={12} />}
              </button>
            </th>
          );
        })}
        <th scope="col" className={clsx(CELL, ACTION_CLASS)}>
          <span className="sr-only">Actions</span>
        </th>
      </tr>
    </thead>
  );
}
