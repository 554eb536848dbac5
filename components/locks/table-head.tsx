import clsx from "clsx";
import { HEAD, SortHead } from "@/components/ui/sort-head.tsx";
import { ACTION_CLASS, COLUMNS, nextSort, PICK_CLASS, parseSort } from "./columns.ts";

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
        <th scope="col" className={clsx(HEAD, PICK_CLASS)}>
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
          const order = now.descending ? "descending" : "ascending";
          return (
            <SortHead
              key={id}
              name={name}
              figure={figure}
              className={className}
              order={now.field === id ? order : undefined}
              onSort={() => onSort(nextSort(sort, id))}
            />
          );
        })}
        <th scope="col" className={clsx(HEAD, ACTION_CLASS)}>
          <span className="sr-only">Actions</span>
        </th>
      </tr>
    </thead>
  );
}
