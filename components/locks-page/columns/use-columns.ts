"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useMemo, useState } from "react";
import { useStoredText } from "@/components/ui/use-stored-text.ts";
import {
  type ColumnWidths,
  parseColumnChoice,
  parseColumnWidths,
  serializeColumnChoice,
  serializeColumnWidths,
} from "./column-choice.ts";
import { type ColumnLayout, layOutColumns } from "./column-layout.ts";
import { ALL_COLUMNS, type ColumnId, getSortColumn } from "./columns.ts";
import { parseRowDensity, type RowDensity } from "./row-density.ts";

export interface TableColumns {
  chosen: readonly ColumnId[];
  /**
   * The column by which the rows are sorted; `undefined` for the default order. The layout includes this column even if
   * it is not chosen.
   */
  sortedBy: ColumnId | undefined;
  layout: ColumnLayout;
  density: RowDensity;
  choose(chosen: readonly ColumnId[]): void;
  setDensity(density: RowDensity): void;
  /**
   * Sets the column widths.
   *
   * @param when `during_drag`: shows the widths without storing them. `final`: shows and stores the widths.
   */
  setWidths(widths: ColumnWidths, when: "during_drag" | "final"): void;
  /** Restores the default columns and widths. */
  reset(): void;
}

/**
 * Manages the columns of the table. The URL contains the chosen columns, so that a shared link shows the same columns.
 * The browser stores the columns, their widths and the row height.
 */
export function useColumns(roomPx: number, sort: string): TableColumns {
  const [requested, setRequested] = useQueryState("cols", parseAsString);
  const [keptChoice, keepChoice] = useStoredText("lockkeeper:columns");
  const [keptWidths, keepWidths] = useStoredText("lockkeeper:column-widths");
  const [keptDensity, keepDensity] = useStoredText("lockkeeper:density");
  const [draft, setDraft] = useState<ColumnWidths | null>(null);
  useEffect(() => {
    if (requested === null && keptChoice !== null) void setRequested(keptChoice);
  }, [requested, keptChoice, setRequested]);
  const text = requested ?? keptChoice;
  const chosen = useMemo(() => parseColumnChoice(text) ?? ALL_COLUMNS, [text]);
  const widths = useMemo(() => draft ?? parseColumnWidths(keptWidths), [draft, keptWidths]);
  const sortedBy = getSortColumn(sort);
  const layout = useMemo(
    () => layOutColumns({ chosen, widths, sortedBy }, roomPx),
    [chosen, widths, sortedBy, roomPx],
  );
  const choose = (next: readonly ColumnId[]) => {
    keepChoice(serializeColumnChoice(next));
    void setRequested(serializeColumnChoice(next));
  };
  return {
    chosen,
    sortedBy,
    layout,
    density: parseRowDensity(keptDensity),
    choose,
    setDensity: (density) => keepDensity(density === "normal" ? null : density),
    setWidths(next, when) {
      setDraft(when === "during_drag" ? next : null);
      if (when === "final") keepWidths(serializeColumnWidths(next));
    },
    reset() {
      choose(ALL_COLUMNS);
      keepWidths(null);
    },
  };
}
