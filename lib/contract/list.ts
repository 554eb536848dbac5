import { z } from "zod";
import { describeFilterError, parseFilter } from "../query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "./limits.ts";
import { Lock, listAsOfSchema } from "./lock.ts";
import { LOCK_SORT_FIELDS, LOCK_SORT_PATTERN } from "./lock-sort.ts";

export const LIST_LIMIT_MAX = 500;

export const LockSort = z
  .string()
  .regex(
    LOCK_SORT_PATTERN,
    `must be one of ${LOCK_SORT_FIELDS.join(", ")}, with a leading - for descending order`,
  )
  .max(20)
  .default("key")
  .meta({
    description: `One of ${LOCK_SORT_FIELDS.join(", ")}. A leading \`-\` sorts in descending order. \`-attention\` lists overdue locks and locks without TTL first, then locks held longer than typical, then the rest.`,
    example: "-held",
  });

/**
 * Maximum total length in characters of the globs and plain words in a filter. Limited because the cost of matching
 * grows faster than the length.
 */
export const FILTER_GLOBS_MAX = 300;

export const LockFilter = z
  .string()
  .max(FILTER_CHARACTERS_MAX)
  .refine((filter) => countGlobs(filter) <= FILTER_GLOBS_MAX, {
    message: `globs and plain words must have at most ${FILTER_GLOBS_MAX} characters in total`,
  })
  .check(({ value, issues }) => {
    const fault = describeFilterError(value);
    if (fault !== undefined) issues.push({ code: "custom", input: value, message: fault });
  })
  .default("")
  .meta({
    description:
      'Terms separated by spaces, all of which must match. Plain text matches the key, the owner and the owner record. `key:GLOB`, `owner:GLOB`, `format:GLOB`, `kind:GLOB`, `confidence:GLOB`, `liveness:GLOB`, `service:GLOB`, `host:GLOB` and `session:GLOB` match one field, case-insensitively. `held>5m`, `remaining<10s`, `waiters>0` and `count>1` compare values; times take the units `ms`, `s`, `m`, `h` and `d`. `held>typical` matches locks held longer than the 95th percentile of their key pattern. `is:needs_attention` matches locks that are overdue, have no TTL, or are held for more than twice that percentile. `is:unlisted` matches possible locks whose key matches neither a lockable pattern nor a format rule: a filter finds them only with this term, a `confidence` term, or a `key` term without wildcards. `is:listed` matches all others. `owner:="a b"` matches the exact text; escape `"` and `\\` with a backslash. `owner:=~BASE64URL` matches exact bytes.',
    example: "key:lock:orders:* billing",
  });

function countGlobs(filter: string): number {
  // A filter of at most this length cannot exceed the limit.
  if (filter.length <= FILTER_GLOBS_MAX) return 0;
  return parseFilter(filter).reduce((sum, term) => {
    if (!("glob" in term || "text" in term)) return sum;
    return sum + ("glob" in term ? term.glob : term.text).length;
  }, 0);
}

export const ListQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIST_LIMIT_MAX)
    .default(100)
    .meta({ description: "Maximum number of locks per page." }),
  cursor: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: "`next` of the previous page.", example: "WyJrZXkiLDEsImxvY2s6YSIsImxvY2s6YSJd" }),
  filter: LockFilter,
  sort: LockSort,
});
export type ListQuery = z.infer<typeof ListQuery>;

/** Description of the response field `unlisted`. */
export const UNLISTED_DESCRIPTION =
  "Number of possible locks that lists, counts and events leave out, regardless of the filter. The filter `is:unlisted` finds them.";

export const LockList = z
  .object({
    items: z.array(Lock),
    total: z.int().meta({ description: "Number of locks that match the filter, on all pages." }),
    unlisted: z.int().meta({ description: UNLISTED_DESCRIPTION }),
    next: z.string().optional().meta({ description: "`cursor` for the next page. Absent on the last page." }),
    asOf: listAsOfSchema,
  })
  .meta({ id: "LockList" });
export type LockList = z.infer<typeof LockList>;

export const ExportLocksQuery = z.strictObject({
  format: z.enum(["jsonl", "csv"]).default("jsonl").meta({
    description: "`jsonl`: one `Lock` per line, as in `GET /locks`. `csv`: one row per lock.",
  }),
  filter: LockFilter,
  sort: LockSort,
});
export type ExportLocksQuery = z.infer<typeof ExportLocksQuery>;
