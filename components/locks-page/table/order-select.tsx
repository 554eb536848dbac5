"use client";

import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { PRESET_SORTS } from "../columns/column-sorts.ts";

interface SortSelectProps {
  sort: string;
  onSort(sort: string): void;
}

/** Renders a select box for the sort order. Shown on phones, where rows are cards without column headers. */
export function SortSelect({ sort, onSort }: SortSelectProps) {
  const messages = useMessages(table);
  return (
    <select
      aria-label={messages.order}
      value={sort}
      onChange={({ target }) => onSort(target.value)}
      className="h-11 min-w-0 bg-transparent text-right text-xs text-ink"
    >
      {PRESET_SORTS.map((each) => (
        <option key={each} value={each}>
          {messages.orders[each]}
        </option>
      ))}
      {!PRESET_SORTS.some((each) => each === sort) && <option value={sort}>{messages.otherOrder}</option>}
    </select>
  );
}
