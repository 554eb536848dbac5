/**
 * The contract's limits, written again because its schemas bring zod, which must not be in the page's first load.
 * A test holds the two together.
 */
export const FILTER_CHARACTERS_MAX = 2400;
export const REASON_CHARACTERS_MAX = 500;
export const NOTE_CHARACTERS_MAX = 500;
export const LOCK_SORT_PATTERN = /^-?(key|owner|format|count|remaining|held|waiters|fence|abnormality)$/;

/** Chromium lays out no element higher than about 33.5 million pixels. */
export const HEIGHT_PX_MAX = 33_000_000;

/** A file has no more locks than that. */
export const EXPORT_LOCKS_MAX = 100_000;
