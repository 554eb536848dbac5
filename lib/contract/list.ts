import { z } from "zod";
import { AS_OF, Lock } from "./lock.ts";

export const LOCK_SORTS = [
  "key",
  "owner",
  "format",
  "count",
  "remaining",
  "held",
  "waiters",
  "fence",
] as const;
export type LockSortField = (typeof LOCK_SORTS)[number];
export const LIST_LIMIT_MAX = 500;

export const LockSort = z
  .string()
  .regex(
    new RegExp(`^-?(${LOCK_SORTS.join("|")})$`),
    `sort is one of ${LOCK_SORTS.join(", ")}, with a leading - for descending`,
  )
  .default("key")
  .meta({ description: `One of ${LOCK_SORTS.join(", ")}; a leading - sorts descending.`, example: "-held" });

export const FILTER_CHARACTERS_MAX = 300;
export const LockFilter = z.string().max(FILTER_CHARACTERS_MAX).default("").meta({
  description:
    "Words that must all match: `key:GLOB`, `owner:GLOB`, `format:GLOB` (also what it may be), `kind:GLOB`, `verdict:GLOB`, or plain text found in key, owner or record.",
  example: "key:lock:orders:* billing",
});

export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(100),
  cursor: z.string().max(4096).optional().meta({ description: "`next` of the page before." }),
  filter: LockFilter,
  sort: LockSort,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const LockList = z
  .object({ items: z.array(Lock), total: z.int(), next: z.string().optional(), asOf: AS_OF })
  .meta({ id: "LockList" });
export type LockList = z.infer<typeof LockList>;
