/** Marks the table or list that a page is about: the skip link goes there. The element must be focusable. */
export const MAIN_PART_ATTRIBUTE = "data-main-part";
export const MAIN_PART = { [MAIN_PART_ATTRIBUTE]: "" };
