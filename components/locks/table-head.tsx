import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { LockSortField } from "@/lib/contract/list.ts";
import { ACTION_CLASS, COLUMNS, nextSort, PICK_CLASS, parseSort } from "./columns.ts";

const CELL =
  "sticky top-0 z-10 h-9 border-b border-line bg-bg px-2.5 font-medium whitespace-nowrap text-ink-3";

interface TableHeadProps {
  sort: string;
  onSort(sort: string): void;
  /** Whether all rows that are loaded are ticked. */
  allPicked: boolean;
  onPickAll(): void;
}

export function TableHead({ sort, onSort, allPicked, onPickAll }: TableHeadProps) {
  const now = parseSort(sort);
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={clsx(CELL, PICK_CLASS)}>
          <label className="grid h-9 cursor-pointer place-items-center">
            <input
              type="checkbox"
              aria-label="Tick all rows that are loaded"
              checked={allPicked}
              onChange={onPickAll}
              className="size-[14px] accent-accent"
            />
          </label>
        </th>
        {COLUMNS.map(({ id, name, figure, className }) => {
          const sorted = now.field === id;
          return (
            <th
              key={id}
              scope="col"
              aria-sort={sorted ? (now.descending ? "descending" : "ascending") : undefined}
              className={clsx(CELL, figure ? "text-right" : "text-left", className)}
            >
              <SortButton sort={sort} onSort={onSort} {...{ id, name, figure }} />
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

interface SortButtonProps {
  id: LockSortField;
  name: string;
  figure: boolean;
  sort: string;
  onSort(sort: string): void;
}

function SortButton({ id, name, figure, sort, onSort }: SortButtonProps) {
  const now = parseSort(sort);
  const sorted = now.field === id;
  const Arrow = now.descending ? ArrowDown : ArrowUp;
  return (
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
  );
}
