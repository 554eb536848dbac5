// Limits that the console and the API share. This file must not import zod, because pages load zod lazily.

/** Maximum length of an operator's or API key's name, in characters. */
export const NAME_CHARACTERS_MAX = 64;
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 256;
/** Maximum number of API keys, including revoked and expired keys that are still listed. */
export const API_KEYS_MAX = 1000;
export const OPERATORS_MAX = 1000;
export const API_KEY_PATTERNS_MAX = 100;
/**
 * Time in ms for which a revoked or expired key stays listed. During this time, requests with the key are refused with
 * a specific error.
 */
export const ENDED_KEY_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
export const ROTATION_OVERLAP_MS_MAX = 7 * 24 * 60 * 60 * 1000;

/** Maximum length of a saved view's name, in characters. */
export const VIEW_NAME_CHARACTERS_MAX = 60;
/** Maximum number of views of one operator or API key, and maximum number of team views. */
export const VIEWS_MAX = 30;
export const VIEW_COLUMNS_MAX = 30;
export const VIEW_ID_PATTERN = /^[A-Za-z0-9_-]{8,32}$/;

/** Maximum length of a filter in characters, enough for an exact match of the longest owner. */
export const FILTER_CHARACTERS_MAX = 2400;
/** Maximum number of locks per export: about 100 MB of JSON. */
export const EXPORT_LOCKS_MAX = 100_000;

export const REASON_CHARACTERS_MAX = 500;
/**
 * Maximum length in characters of the reason of a release request and of the holder's response. Redis stores both with
 * the hold.
 */
export const RELEASE_REQUEST_TEXT_MAX = 200;
export const NOTE_CHARACTERS_MAX = 500;
/** Maximum number of holds that one bulk release can release. */
export const BULK_ITEMS_MAX = 1000;

/**
 * Maximum number of filters whose matches are counted for one live view, enough for the system views and a dozen saved
 * views.
 */
export const COUNTED_FILTERS_MAX = 24;
/** Maximum number of prefixes whose namespaces are counted for one live view. */
export const COUNTED_PREFIXES_MAX = 32;
/** Maximum number of namespaces counted per prefix. The namespaces with the most locks are counted. */
export const COUNTED_NAMESPACES_MAX = 50;
