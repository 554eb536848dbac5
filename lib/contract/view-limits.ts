/** Of views that are kept; without zod, which must not be in a page's first load. */
export const VIEW_NAME_CHARACTERS_MAX = 60;
/** One's own, and as many of the team's. */
export const VIEWS_MAX = 30;
export const VIEW_COLUMNS_MAX = 30;
export const VIEW_ID_PATTERN = /^[A-Za-z0-9_-]{8,32}$/;
