/** Marks the table or list that a page is about: the skip link goes there. It must take the focus. */
export const MAIN_PART_ATTRIBUTE = "data-main-part";
export const MAIN_PART = { [MAIN_PART_ATTRIBUTE]: "" };
