/** The layout of a row. `wide`: one line with columns. `narrow`: two lines, for phones or next to the details. */
export type FeedLayout = "wide" | "narrow";

/** The layout of a row and its position in the list. */
export interface RowPlace {
  readonly layout: FeedLayout;
  /** Offset in pixels from the top of the list. */
  readonly top: number;
}

/** The row heights in pixels. Narrow rows have two lines and are high enough for touch. */
export const ROW_PX: Readonly<Record<FeedLayout, number>> = { wide: 32, narrow: 52 };

const WIDE_FROM_PX = 768;

/**
 * Returns the layout that fits the list.
 *
 * @param px the width of the list in pixels
 */
export function chooseFeedLayout(px: number): FeedLayout {
  return px >= WIDE_FROM_PX ? "wide" : "narrow";
}

export const ROW_CLASS = "absolute inset-x-0 items-center border-b border-line-soft px-4";

export const COLUMN_CLASSES: Readonly<Record<FeedLayout, string>> = {
  wide: "grid grid-cols-[112px_144px_minmax(0,5fr)_minmax(0,6fr)_92px] gap-3",
  narrow: "grid grid-cols-[58px_minmax(0,1fr)_minmax(0,45%)] content-center gap-x-3 gap-y-0.5",
};

/**
 * The CSS classes of the button that opens an entry. The classes extend the button's clickable area to the whole row,
 * beneath the other controls.
 */
export const OPEN_BUTTON_CLASS =
  "text-left outline-offset-[-2px] after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";
