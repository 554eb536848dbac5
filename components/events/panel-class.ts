/** The place of the events beside the table, before they are there and after. */
export const PANEL_CLASS =
  "flex w-[272px] shrink-0 flex-col border-l border-line bg-panel max-[1199px]:hidden";
