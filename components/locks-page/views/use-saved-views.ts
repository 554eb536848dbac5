"use client";

import { useQueryState } from "nuqs";
import { useState } from "react";
import type { View } from "@/lib/contract/view.ts";
import { useViews } from "@/lib/queries/views.ts";
import { applyView, isViewActive, type ListSettings } from "./saved-views.ts";

export interface SavedViewsState {
  views: readonly View[];
  shown: ListSettings;
  /** The view that matches the current search. */
  here: View | undefined;
  /** The view that was opened last, even if the search has changed since. */
  opened: View | undefined;
  open(view: View): void;
  /** Resets `opened`. Call this before opening a search that is not a saved view. */
  leave(): void;
}

/** Returns the saved views, and which of them is open. */
export function useSavedViews(
  shown: ListSettings,
  show: (filter: string, sort: string) => void,
): SavedViewsState {
  const views = useViews();
  // The table owns the columns and their order.
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
