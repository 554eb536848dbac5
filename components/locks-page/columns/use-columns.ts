"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useMemo, useState } from "react";
import { useStoredText } from "@/components/ui/use-stored-text.ts";
import { choiceText, parseChoice, parseWidths, type Widths, widthsText } from "./column-choice.ts";
import { type ColumnLayout, layOut } from "./column-layout.ts";
import { ALL_COLUMNS, type ColumnId } from "./columns.ts";
import { type Density, parseDensity } from "./row-density.ts";

export interface TableColumns {
  chosen: readonly ColumnId[];
  layout: ColumnLayout;
  density: Density;
  choose(chosen: readonly ColumnId[]): void;
  setDensity(density: Density): void;
  /** @param when while: it is being dragged, and not kept yet */
  setWidths(widths: Widths, when: "while" | "for_good"): void;
  /** Columns and widths as everybody has them. */
  reset(): void;
}

/**
 * What is chosen stands in the address, so that a link shows what its sender saw, and is kept in the browser with the
 * widths and the height of rows.
 */
export function useColumns(roomPx: number): TableColumns {
  const [asked, setAsked] = useQueryState("cols", parseAsString);
  const [keptChoice, keepChoice] = useStoredText("lockkeeper:columns");
  const [keptWidths, keepWidths] = useStoredText("lockkeeper:column-widths");
  const [keptDensity, keepDensity] = useStoredText("lockkeeper:density");
  const [draft, setDraft] = useState<Widths | null>(null);
  useEffect(() => {
    if (asked === null && keptChoice !== null) void setAsked(keptChoice);
  }, [asked, keptChoice, setAsked]);
  const text = asked ?? keptChoice;
  const chosen = useMemo(() => parseChoice(text) ?? ALL_COLUMNS, [text]);
  const widths = useMemo(() => draft ?? parseWidths(keptWidths), [draft, keptWidths]);
  const layout = useMemo(() => layOut(chosen, widths, roomPx), [chosen, widths, roomPx]);
  const choose = (next: readonly ColumnId[]) => {
    keepChoice(choiceText(next));
    void setAsked(choiceText(next));
  };
  return {
    chosen,
    layout,
    density: parseDensity(keptDensity),
    choose,
    setDensity: (density) => keepDensity(density === "normal" ? null : density),
    setWidths(next, when) {
      setDraft(when === "while" ? next : null);
      if (when === "for_good") keepWidths(widthsText(next));
    },
    reset() {
      choose(ALL_COLUMNS);
      keepWidths(null);
    },
  };
}
