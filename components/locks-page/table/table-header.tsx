"use client";

import clsx from "clsx";
import { HEAD, SortHead } from "@/components/ui/sort-header.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { ColumnEdge } from "../columns/column-resizer.tsx";
import { COLUMNS, nextSort, parseSort } from "../columns/columns.ts";
import { TableSetUp } from "../columns/table-settings.tsx";
import type { TableColumns } from "../columns/use-columns.ts";

interface TableHeadProps {
  sort: string;
  onSort(sort: string): void;
  columns: TableColumns;
  /** Whether all rows that are loaded are ticked. */
  allPicked: boolean;
  onPickAll(): void;
}

export function TableHead({ sort, onSort, columns, allPicked, onPickAll }: TableHeadProps) {
  const words = useWords(table);
  const now = parseSort(sort);
  const shown = columns.layout.columns;
  return (
    <thead>
      <tr aria-rowindex={1} className="group/head">
        <th scope="col" className={clsx(HEAD, "pr-0 pl-0")}>
          <label className="grid h-9 cursor-pointer place-items-center">
            <input
              type="checkbox"
              aria-label={words.tickAll}
              checked={allPicked}
              onChange={onPickAll}
              className="size-[14px] accent-accent"
            />
          </label>
        </th>
        {shown.map(({ id }, at) => {
          const order = now.descending ? "descending" : "ascending";
          return (
            <SortHead
              key={id}
              name={words.columns[id]}
              figure={COLUMNS.get(id)?.figure ?? false}
              className={id === "key" ? "pl-1" : undefined}
              order={now.field === id ? order : undefined}
              onSort={() => onSort(nextSort(sort, id))}
            >
              {at > 0 && <ColumnEdge columns={columns} before={at} />}
            </SortHead>
          );
        })}
        <th scope="col" className={clsx(HEAD, "pl-0")}>
          <span className="sr-only">{words.actions}</span>
          <TableSetUp columns={columns} />
        </th>
      </tr>
    </thead>
  );
}
