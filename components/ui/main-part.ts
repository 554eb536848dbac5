/** Marks the main table or list of a page, to which the skip link leads. The element must be focusable. */
export const MAIN_PART_ATTRIBUTE = "data-main-part";
export const MAIN_PART = { [MAIN_PART_ATTRIBUTE]: "" };
