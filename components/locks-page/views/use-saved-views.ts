"use client";

import { useQueryState } from "nuqs";
import { useState } from "react";
import type { View } from "@/lib/contract/view.ts";
import { useViews } from "@/lib/queries/views.ts";
import { applyView, isViewActive, type ListSettings } from "./saved-views.ts";

export interface SavedViewsState {
  views: readonly View[];
  shown: ListSettings;
  /** The view whose settings match the current list; `undefined` if there is none. */
  here: View | undefined;
  /**
   * The view whose settings match the current list. If there is none, the view that was opened last; `undefined` if
   * there is no such view either.
   */
  opened: View | undefined;
  open(view: View): void;
  /** Forgets which view was opened last. Call `leave` before you open a search that is not a saved view. */
  leave(): void;
}

/** Returns the saved views and the view that is currently open. */
export function useSavedViews(
  shown: ListSettings,
  show: (filter: string, sort: string) => void,
): SavedViewsState {
  const views = useViews();
  // `show` does not set the columns, because the table keeps them in the URL.
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
