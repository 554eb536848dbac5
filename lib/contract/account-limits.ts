/** What is said of accounts in several places. */
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
