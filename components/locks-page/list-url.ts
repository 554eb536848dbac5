import { describeFilterError } from "@/lib/query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import { LOCK_SORT_PATTERN } from "../../lib/contract/lock-sort.ts";
import { DEFAULT_SORT } from "./columns/column-sorts.ts";

export interface ListQuery {
  filter: string;
  /** Why the filter is invalid and therefore not sent to the server; `undefined` if it is valid. */
  fault: string | undefined;
  sort: string;
}

/**
 * Parses the filter and the sort order from a URL, which is untrusted. Truncates a filter that is too long, and
 * replaces an invalid sort order with the default.
 */
export function parseListUrl(q = "", sort = DEFAULT_SORT): ListQuery {
  const filter = q.slice(0, FILTER_CHARACTERS_MAX);
  return {
    filter,
    fault: describeFilterError(filter),
    sort: LOCK_SORT_PATTERN.test(sort) ? sort : DEFAULT_SORT,
  };
}
