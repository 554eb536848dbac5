/** Limits that pages and the API both know; without zod, which must not be in a page's first load. */

/** Of accounts. */
export const NAME_CHARACTERS_MAX = 64;
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;
/** Revoked and expired ones that are still listed count as well. */
export const API_KEYS_MAX = 1000;
export const OPERATORS_MAX = 1000;
export const API_KEY_PATTERNS_MAX = 100;
/** For how long after its end a key is listed, and its secret is told what became of it. */
export const ENDED_KEY_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
export const ROTATION_OVERLAP_MS_MAX = 7 * 24 * 60 * 60 * 1000;

/** Of views that are kept. */
export const VIEW_NAME_CHARACTERS_MAX = 60;
/** One's own, and as many of the team's. */
export const VIEWS_MAX = 30;
export const VIEW_COLUMNS_MAX = 30;
export const VIEW_ID_PATTERN = /^[A-Za-z0-9_-]{8,32}$/;

/** Room for the exact text of any owner. */
export const FILTER_CHARACTERS_MAX = 2400;
/** A file has no more locks than that: a hundred megabytes of JSON, at most. */
export const EXPORT_LOCKS_MAX = 100_000;

export const REASON_CHARACTERS_MAX = 500;
export const NOTE_CHARACTERS_MAX = 500;
/** Holds that one request may free. */
export const BULK_ITEMS_MAX = 1000;
