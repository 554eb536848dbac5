/** The sort fields of locks. This file must not import zod, because pages load zod lazily. */
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

/** Matches a sort order: a field, with a leading `-` for descending order. */
export const LOCK_SORT_PATTERN = new RegExp(`^-?(${LOCK_SORT_FIELDS.join("|")})$`);
