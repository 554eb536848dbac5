"use client";

import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import { useStoredText } from "@/components/ui/use-stored-text.ts";

/** Open it is so wide, beside a table that has no room to spare below 1600 px. */
export const OPEN_PANEL_CLASS =
  "flex w-[300px] shrink-0 flex-col border-l border-line bg-panel max-[1199px]:hidden";
export const CLOSED_PANEL_CLASS = "w-[41px] shrink-0 border-l border-line bg-panel p-2 max-[1199px]:hidden";

/** Whether the events stand beside the table: as was chosen in this browser, else where there is room. */
export function useEventPanelOpen(): [boolean, (open: boolean) => void] {
  const [choice, choose] = useStoredText("lockkeeper:event-panel");
  const isWide = useMediaQuery("(width >= 1600px)");
  return [choice === null ? isWide : choice === "1", (open) => choose(open ? "1" : "0")];
}

/** As wide as the panel that comes, so that the table does not move. The server does not know the page's width. */
export function EventPanelPlaceholder() {
  const [choice] = useStoredText("lockkeeper:event-panel");
  const byWidth =
    "w-[41px] shrink-0 border-l border-line bg-panel max-[1199px]:hidden min-[1600px]:w-[300px]";
  return (
    <div className={choice === null ? byWidth : choice === "1" ? OPEN_PANEL_CLASS : CLOSED_PANEL_CLASS} />
  );
}
