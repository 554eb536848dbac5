"use client";

import clsx from "clsx";
import { HEADER_CLASS, SortHeader } from "@/components/ui/sort-header.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { ColumnResizer } from "../columns/column-resizer.tsx";
import { parseColumnSort, toggleSort } from "../columns/column-sorts.ts";
import { COLUMNS } from "../columns/columns.ts";
import { TableSettings } from "../columns/table-settings.tsx";
import type { TableColumns } from "../columns/use-columns.ts";

interface TableHeaderProps {
  sort: string;
  onSort(sort: string): void;
  columns: TableColumns;
  /** Whether all loaded rows are selected. */
  allSelected: boolean;
  onSelectAll(): void;
}

export function TableHeader({ sort, onSort, columns, allSelected, onSelectAll }: TableHeaderProps) {
  const messages = useMessages(table);
  const now = parseColumnSort(sort);
  const shown = columns.layout.columns;
  return (
    <thead>
      <tr aria-rowindex={1} className="group/head">
        <th scope="col" className={clsx(HEADER_CLASS, "pr-0 pl-0")}>
          <label className="grid h-9 cursor-pointer place-items-center">
            <input
              type="checkbox"
              aria-label={messages.selectAll}
              checked={allSelected}
              onChange={onSelectAll}
              className="size-[14px] accent-accent"
            />
          </label>
        </th>
        {shown.map(({ id }, at) => {
          const order = now.descending ? "descending" : "ascending";
          return (
            <SortHeader
              key={id}
              name={messages.columns[id]}
              figure={COLUMNS.get(id)?.figure ?? false}
              className={id === "key" ? "px-2! pl-1!" : "px-2!"}
              order={now.field === id ? order : undefined}
              onSort={() => onSort(toggleSort(sort, id))}
            >
              {/* Rendered in the next header, which is stacked above the header whose width it changes. */}
              {at > 0 && <ColumnResizer columns={columns} at={at - 1} />}
            </SortHeader>
          );
        })}
        <th scope="col" className={clsx(HEADER_CLASS, "px-1.5! text-right")}>
          <span className="sr-only">{messages.actions}</span>
          <TableSettings columns={columns} />
        </th>
      </tr>
    </thead>
  );
}
