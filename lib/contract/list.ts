import { z } from "zod";
import { describeFilterError, parseFilter } from "../query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "./limits.ts";
import { asOfSchema, Lock } from "./lock.ts";
import { LOCK_SORT_FIELDS, LOCK_SORT_PATTERN } from "./lock-sort.ts";

export const LIST_LIMIT_MAX = 500;

export const LockSort = z
  .string()
  .regex(LOCK_SORT_PATTERN, `sort is one of ${LOCK_SORT_FIELDS.join(", ")}, with a leading - for descending`)
  .max(20)
  .default("key")
  .meta({
    description: `One of ${LOCK_SORT_FIELDS.join(", ")}; a leading - sorts descending. attention, descending: overdue or without TTL first, then what is past its typical by doublings, then the rest, each by the time held.`,
    example: "-held",
  });

/** What costs more than its length to compare: globs and plain text, all of a filter's together. */
export const FILTER_GLOBS_MAX = 300;

export const LockFilter = z
  .string()
  .max(FILTER_CHARACTERS_MAX)
  .refine((filter) => countGlobs(filter) <= FILTER_GLOBS_MAX, {
    message: `globs and plain words of a filter have at most ${FILTER_GLOBS_MAX} characters together`,
  })
  .check(({ value, issues }) => {
    const fault = describeFilterError(value);
    if (fault !== undefined) issues.push({ code: "custom", input: value, message: fault });
  })
  .default("")
  .meta({
    description:
      'Words that must all match: `key:GLOB`, `owner:GLOB`, `format:GLOB` (also what it may be), `kind:GLOB`, `liveness:GLOB`, `service:GLOB` and `host:GLOB` (of the owner record), or plain text found in key, owner or record. `held>5m`, `remaining<10s`, `waiters>0` and `count>1` compare (times in ms, s, m, h, d); `held>typical`: longer than nineteen of twenty locks of its pattern were held; `is:needs_attention`: late, without expiry, or held for more than twice the typical. After `:=` it is that very text, case and all: `owner:="a b"`, with a backslash before a quote or a backslash; `owner:=~` and base64url for bytes.',
    example: "key:lock:orders:* billing",
  });

function countGlobs(filter: string): number {
  // Short ones need not be looked at.
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
    .meta({ description: "How many a page has at most." }),
  cursor: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: "`next` of the page before.", example: "WyJrZXkiLDEsImxvY2s6YSIsImxvY2s6YSJd" }),
  filter: LockFilter,
  sort: LockSort,
});
export type ListQuery = z.infer<typeof ListQuery>;

export const LockList = z
  .object({ items: z.array(Lock), total: z.int(), next: z.string().optional(), asOf: asOfSchema })
  .meta({ id: "LockList" });
export type LockList = z.infer<typeof LockList>;

export const ExportLocksQuery = z.strictObject({
  format: z.enum(["jsonl", "csv"]).default("jsonl").meta({
    description: "jsonl: a `Lock` a line, as the list has them. csv: a line a lock, for spreadsheets.",
  }),
  filter: LockFilter,
  sort: LockSort,
});
export type ExportLocksQuery = z.infer<typeof ExportLocksQuery>;
