"use client";

import type { Toast } from "@/components/ui/overlay/toast.tsx";
import type { FrozenRows } from "../frozen-rows/use-frozen-rows.ts";
import type { ListSettings } from "../views/saved-views.ts";
import { useSavedViews } from "../views/use-saved-views.ts";
import { ViewsBar } from "../views/views-bar.tsx";
import { LocksToolbar } from "./locks-toolbar.tsx";
import { UnlistedChip } from "./unlisted-chip.tsx";

interface ListBarProps {
  /** The filter, sort order and columns of the list. */
  shown: ListSettings;
  /** Why the search is invalid; `undefined` if it is valid. An invalid search is not sent to the server. */
  fault: string | undefined;
  table: FrozenRows;
  /** Shows the result of an action in a toast. */
  showToast: Toast["showToast"];
  onFilter(filter: string): void;
  onShow(filter: string, sort: string): void;
}

/** Shows the views, the number of unlisted locks and, except on phones, the actions on the whole list. */
export function ListBar({ shown, fault, table, showToast, onFilter, onShow }: ListBarProps) {
  const saved = useSavedViews(shown, onShow);
  const validFilter = fault === undefined ? shown : undefined;
  return (
    <>
      <ViewsBar
        filter={shown.filter}
        isValid={validFilter !== undefined}
        saved={saved}
        showToast={showToast}
        onFilter={onFilter}
      />
      <UnlistedChip
        filter={shown.filter}
        window={validFilter === undefined ? undefined : table.latest}
        onFilter={onFilter}
      />
      <LocksToolbar table={table} shown={validFilter} showToast={showToast} />
    </>
  );
}
