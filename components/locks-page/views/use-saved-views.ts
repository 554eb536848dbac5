"use client";

import { useQueryState } from "nuqs";
import { useState } from "react";
import type { View } from "@/lib/contract/view.ts";
import { useViews } from "@/lib/queries/views.ts";
import { applyView, isViewActive, type ListSettings } from "./saved-views.ts";

export interface SavedViewsState {
  views: readonly View[];
  shown: ListSettings;
  /** The view whose tab is the present one. */
  here: View | undefined;
  /** The one that was opened last; the search may have been changed since. */
  opened: View | undefined;
  open(view: View): void;
  /** Another search that is no saved view. */
  leave(): void;
}

/** Views that are kept, and which of them is shown. */
export function useSavedViews(
  shown: ListSettings,
  show: (filter: string, sort: string) => void,
): SavedViewsState {
  const views = useViews();
  // The table's own: which columns, in which order.
  const [columns, setColumns] = useQueryState("cols");
  const [openedId, setOpenedId] = useState<string | null>(null);
  const opened = views.find(({ id, of }) => formatViewName(id, of) === openedId);
  const here =
    opened !== undefined && isViewActive(opened, shown)
      ? opened
      : views.find((view) => isViewActive(view, shown));
  return {
    views,
    shown,
    here,
    opened: here ?? opened,
    open(view) {
      const next = applyView(view, shown);
      setOpenedId(formatViewName(view.id, view.of));
      show(next.filter, next.sort);
      if (next.columns !== columns) void setColumns(next.columns);
    },
    leave: () => setOpenedId(null),
  };
}

const formatViewName = (id: string, of: View["of"]) => `${of} ${id}`;
