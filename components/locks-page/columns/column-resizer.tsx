"use client";

import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ColumnPlacement } from "./column-layout.ts";
import { findResizeHandle, type ResizeHandle, resizeColumn } from "./column-resize.ts";
import { COLUMNS } from "./columns.ts";
import type { TableColumns } from "./use-columns.ts";

const STEP_PX = 8;
const LARGE_STEP_PX = 40;

interface ColumnResizerProps {
  columns: TableColumns;
  /** Index of the column to resize. */
  at: number;
}

/**
 * Renders the handle at the right edge of a column. Dragging or the arrow keys resize the column, and a double-click or
 * Enter restores its typical width.
 */
export function ColumnResizer({ columns, at }: ColumnResizerProps) {
  const messages = useMessages(table);
  const begun = useRef<{ x: number; shown: readonly ColumnPlacement[]; edge: ResizeHandle } | null>(null);
  const shown = columns.layout.columns;
  const edge = findResizeHandle(shown, at);
  if (edge === undefined) return null;
  const give = (px: number) => columns.setWidths(resizeColumn(shown, edge, px), "final");
  const giveTypical = () => give(COLUMNS.get(edge.id)?.typicalPx ?? edge.px);
  const down = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, shown, edge };
  };
  const drag = ({ clientX }: PointerEvent, when: "during_drag" | "final") => {
    if (begun.current === null) return;
    const { x, shown: from, edge: of } = begun.current;
    if (when === "final") begun.current = null;
    // A click without a drag must not change the width.
    if (clientX !== x || from !== shown) {
      columns.setWidths(resizeColumn(from, of, of.px + clientX - x), when);
    }
  };
  const key = (event: KeyboardEvent<HTMLDivElement>) => {
    const px = computeWidthAfterKey(event, edge);
    if (px === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (px === undefined) giveTypical();
    else give(px);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved, but this separator can
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={messages.widthOf(messages.columns[edge.id])}
      aria-valuenow={edge.px}
      aria-valuemin={edge.leastPx}
      aria-valuemax={edge.mostPx}
      aria-valuetext={messages.pixels(edge.px)}
      title={messages.widthHint}
      tabIndex={0}
      onPointerDown={down}
      onPointerMove={(event) => drag(event, "during_drag")}
      onPointerUp={(event) => drag(event, "final")}
      onPointerCancel={(event) => drag(event, "final")}
      onDoubleClick={giveTypical}
      onKeyDown={key}
      className="absolute inset-y-0 -left-3 z-10 w-6 cursor-col-resize touch-none outline-offset-[-2px] before:absolute before:inset-y-2 before:left-1/2 before:w-px group-hover/head:before:bg-bar hover:before:inset-y-0 hover:before:w-0.5 hover:before:bg-accent focus-visible:before:bg-accent"
    />
  );
}

function computeWidthAfterKey({ key, shiftKey }: KeyboardEvent, edge: ResizeHandle): number | undefined {
  const by = shiftKey ? LARGE_STEP_PX : STEP_PX;
  switch (key) {
    case "ArrowRight":
      return edge.px + by;
    case "ArrowLeft":
      return edge.px - by;
    case "Home":
      return edge.leastPx;
    case "End":
      return edge.mostPx;
    default:
      return undefined;
  }
}
