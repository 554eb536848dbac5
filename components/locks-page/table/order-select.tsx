"use client";

import { table } from "@/lib/i18n/en/table.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { FEW_ORDERS } from "../columns/columns.ts";

interface OrderSelectProps {
  sort: string;
  onSort(sort: string): void;
}

/** Cards have no heads to put them in order by. */
export function OrderSelect({ sort, onSort }: OrderSelectProps) {
  const words = useWords(table);
  return (
    <select
      aria-label={words.order}
      value={sort}
      onChange={({ target }) => onSort(target.value)}
      className="h-11 min-w-0 bg-transparent text-right text-xs text-ink"
    >
      {FEW_ORDERS.map((each) => (
        <option key={each} value={each}>
          {words.orders[each]}
        </option>
      ))}
      {!FEW_ORDERS.some((each) => each === sort) && <option value={sort}>{words.otherOrder}</option>}
    </select>
  );
}
