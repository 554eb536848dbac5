/** By what locks are put in order; without zod, which must not be in a page's first load. */
export const LOCK_SORT_FIELDS = [
  "key",
  "owner",
  "format",
  "count",
  "remaining",
  "held",
  "waiters",
  "fence",
  "attention",
] as const;
export type LockSortField = (typeof LOCK_SORT_FIELDS)[number];

/** A leading - is for descending. */
export const LOCK_SORT_PATTERN = new RegExp(`^-?(${LOCK_SORT_FIELDS.join("|")})$`);
