/** Marks the main table or list of a page, which the skip link leads to. The element must be focusable. */
export const MAIN_PART_ATTRIBUTE = "data-main-part";
export const MAIN_PART = { [MAIN_PART_ATTRIBUTE]: "" };
