/**
 * The attribute that marks the main table or list of a page, which is the target of the skip link. The element must be
 * focusable.
 */
export const MAIN_PART_ATTRIBUTE = "data-main-part";
export const MAIN_PART = { [MAIN_PART_ATTRIBUTE]: "" };
